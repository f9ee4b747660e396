"""Model files: what is written is read, and nothing else is."""

import io
import json
import zipfile

import numpy as np
import pytest

import gapless as gl
from gapless.learn import Blocks, DamagedFile, Weights, read_archive, write_archive


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    few = np.zeros((50, 3))
    few[rng.integers(0, 50, 5), 1] = rng.normal(size=5)
    return Weights.of({"many": rng.normal(size=(4, 3)), "few": few, "one": np.array(2.0), "none": np.zeros((0, 2))})


META = {"labels": ["a", "naïve", "日本", "\ud800", ""], "order": 2, "deep": {"x": [None, True, 0.1]}}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_trip(tmp_path, model, dtype):
    weights = Weights(model.blocks, model.values.astype(dtype))
    path = tmp_path / "model.npz"
    path.write_text("an older file")
    weights.save(path, META)
    loaded, metadata = Weights.load(path)
    assert metadata == META
    assert loaded.values.dtype == dtype
    assert dict(loaded.blocks) == dict(model.blocks)
    np.testing.assert_array_equal(loaded.values, weights.values)
    again, _ = Weights.load(path, Blocks({name: model.blocks[name] for name in reversed(list(model.blocks))}))
    for name in model.blocks:
        np.testing.assert_array_equal(again[name], weights[name])
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.npz"]


def test_arrays_of_all_kinds_and_special_values(tmp_path):
    arrays = {
        "floats": np.array([0.0, np.nan, np.inf, -np.inf, 1e-300]),
        "sparse": np.where(np.arange(1000) % 97 == 5, np.nan, 0.0).reshape(10, 100),
        "ints": np.arange(5),
        "bools": np.zeros(100, bool),
        "with/slash and spaces": np.ones((2, 2)),
    }
    write_archive(tmp_path / "a", "test", arrays, {})
    found, _ = read_archive(tmp_path / "a", "test")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable


def test_mostly_zeros_are_stored_sparsely(tmp_path):
    array = np.zeros(100_000)
    array[7] = 1.0
    write_archive(tmp_path / "a", "test", {"x": array}, {})
    assert (tmp_path / "a").stat().st_size < 3000


@pytest.mark.parametrize("keep", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_cut_files_are_refused(tmp_path, model, keep):
    path = tmp_path / "model.npz"
    model.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(DamagedFile, match=r"model.npz: damaged, or not a file of gapless.learn"):
        Weights.load(path)


def test_a_changed_byte_is_noticed(tmp_path, model):
    path = tmp_path / "model.npz"
    model.save(path)
    whole = path.read_bytes()
    place = whole.index(model["many"].tobytes())
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(DamagedFile, match="CRC"):
        Weights.load(path)


def foreign(header):
    packed = io.BytesIO()
    np.savez(packed, header=np.frombuffer(json.dumps(header).encode(), np.uint8), values0=np.ones(3))
    return packed.getvalue()


def header(**changes):
    entry = {"name": "x", "shape": [3], "sparse": False}
    return {"format": "gapless.learn", "version": 1, "kind": "weights", "arrays": [entry], "metadata": {}} | changes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"word\ttag\n", "damaged, or not a file"),
        (foreign({"what": 1}), "damaged, or not a file"),
        (foreign(header(version=9)), "version 9; expected 'weights', version 1"),
        (foreign(header(kind="checkpoint")), "holds 'checkpoint' of gapless.learn"),
        (foreign(header(arrays=[{"name": "x", "shape": [4], "sparse": False}])), "damaged"),
        (foreign(header(arrays=[{"name": "x", "shape": [10**15], "sparse": True}])), "damaged"),
        (foreign(header(arrays=[])), "holds no weights"),
        (foreign(header(metadata=[1])), "damaged"),
    ],
)
def test_foreign_files_are_refused(tmp_path, content, words):
    (tmp_path / "f.npz").write_bytes(content)
    with pytest.raises(DamagedFile, match=words):
        Weights.load(tmp_path / "f.npz")


def test_a_small_file_must_not_ask_for_gigabytes(tmp_path):
    path = tmp_path / "f.npz"
    entry = {"name": "x", "shape": [400_000, 1000], "sparse": True}
    text = np.frombuffer(json.dumps(header(arrays=[entry])).encode(), np.uint8)
    np.savez(path, header=text, values0=np.ones(3), places0=np.arange(3))
    with pytest.raises(DamagedFile) as refused:
        Weights.load(path)
    assert "more than 2 GiB" in f"{refused.value} {refused.value.__cause__}"


def test_pickled_arrays_are_never_loaded(tmp_path):
    np.savez(tmp_path / "p.npz", header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DamagedFile, match="damaged, or not a file"):
        Weights.load(tmp_path / "p.npz")
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(DamagedFile, match="damaged, or not a file"):
        Weights.load(tmp_path / "one.npy")


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none.npz: no such file"):
        Weights.load(tmp_path / "none.npz")


def test_another_models_blocks_are_refused(tmp_path, model):
    model.save(tmp_path / "m.npz")
    with pytest.raises(DamagedFile, match="belongs to another model"):
        Weights.load(tmp_path / "m.npz", Blocks({"many": (4, 4)}))
    write_archive(tmp_path / "ints", "weights", {"x": np.arange(3)}, {})
    with pytest.raises(DamagedFile, match="no weights of type float32"):
        Weights.load(tmp_path / "ints")


@pytest.mark.parametrize("metadata", [{"x": object()}, {"x": float("nan")}, {"x": np.zeros(2)}])
def test_metadata_that_is_not_json(tmp_path, model, metadata):
    with pytest.raises(gl.InvalidProblem, match="metadata must be JSON data"):
        model.save(tmp_path / "m.npz", metadata)
    with pytest.raises(gl.InvalidProblem, match="only numbers are stored"):
        write_archive(tmp_path / "m.npz", "test", {"x": np.array(["a"])}, {})
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file(tmp_path, model, monkeypatch):
    path = tmp_path / "model.npz"
    path.write_text("an older file")

    def full(file, **_):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space left"):
        model.save(path)
    assert path.read_text() == "an older file"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_is_a_plain_zip(tmp_path, model):
    model.save(tmp_path / "m.npz", {"labels": ["x"]})
    with zipfile.ZipFile(tmp_path / "m.npz") as archive:
        assert archive.testzip() is None
        assert all(name.endswith(".npy") for name in archive.namelist())
