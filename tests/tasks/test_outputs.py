"""Output files of the tasks' commands: treebanks, models and proofs that nobody wants replaced."""

import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless.learn import write_archive
from gapless_models.parsing.treebank import embedded_treebank
from gapless_tasks.demo import command as demo
from gapless_tasks.price_and_cut.job import Models

DATA = Path(str(files("gapless_models.parsing") / "data"))


@pytest.fixture
def treebank(tmp_path):
    return Path(shutil.copy(DATA / "dev.conllu", tmp_path / "s.conllu"))


def refused(capsys, words, *arguments):
    assert main([*map(str, arguments)]) == exit_codes.USAGE
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("model", ["tagger", "parser"])
@pytest.mark.parametrize("link", [None, "symbolic", "hard", "folder", "dev"])
def test_train_leaves_its_treebanks_alone(model, link, treebank, tmp_path, capsys):
    out, before = tmp_path / "out", treebank.read_bytes()
    data = [treebank]
    if link == "symbolic":
        out.symlink_to(treebank)
    elif link == "hard":
        os.link(treebank, out)
    elif link == "folder":
        (tmp_path / "folder").symlink_to(tmp_path)
        out = tmp_path / "folder" / treebank.name
    else:
        out = treebank
    if link == "dev":
        data = [DATA / "train.conllu", "--dev", treebank]
    refused(capsys, "this command reads that file", "train", model, *data, "-o", out)
    assert treebank.read_bytes() == before
    assert treebank.stat().st_ino == out.stat().st_ino


def test_train_replaces_models_of_its_kind_only(treebank, tmp_path, capsys):
    model, other = tmp_path / "tagger.npz", tmp_path / "other.npz"
    command = ["train", "tagger", treebank, "--epochs", "1", "-o"]
    for _ in range(2):
        assert main([*map(str, command), str(model)]) == exit_codes.PROVED
    write_archive(other, "parser", {}, {})
    before = other.read_bytes()
    refused(capsys, "this command did not write it", *command, other)
    assert other.read_bytes() == before
    assert main([*map(str, command), str(other), "--overwrite"]) == exit_codes.PROVED


@pytest.mark.parametrize("ending", [".tagger.epochs", ".epochs", ".pruner.epochs"])
def test_train_removes_no_checkpoint_of_others(ending, treebank, tmp_path, capsys):
    notes = tmp_path / f"model{ending}"
    notes.write_text("mine", "utf-8")
    refused(capsys, "did not write it", "train", "tagger", treebank, "-o", tmp_path / "model")
    assert notes.read_text() == "mine"


def test_proofs_replace_neither_text_nor_other_files(tmp_path, capsys):
    text, notes, proofs = tmp_path / "text.jsonl", tmp_path / "notes.jsonl", tmp_path / "proofs.jsonl"
    for path in (text, notes):
        path.write_text("the dog barks\n", "utf-8")
    command = ["tag", text, "--tokens", "--certificates"]
    refused(capsys, "this command reads that file", *command, text)
    refused(capsys, "this command did not write it", *command, notes)
    for path in (text, notes):
        assert path.read_text() == "the dog barks\n"
    for out in (proofs, proofs):
        assert main([*map(str, command), str(out)]) == exit_codes.PROVED
    assert main([*map(str, command), str(notes), "--overwrite"]) == exit_codes.PROVED
    assert notes.read_bytes() == proofs.read_bytes()


@pytest.mark.parametrize("name", [demo.PAGE, demo.ANSWER, demo.FORGED])
def test_the_demo_replaces_no_other_file(name, tmp_path, capsys):
    (tmp_path / name).write_text("mine", "utf-8")
    refused(capsys, "did not write it", "demo", "--out", tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_training_anew_replaces_models_only(treebank, tmp_path, capsys):
    before = treebank.read_bytes()
    refused(capsys, "did not write it", "run", "dependency-parsing", "--model", treebank, "--train")
    assert treebank.read_bytes() == before
    model = tmp_path / "embedded.npz"
    model.write_text("mine", "utf-8")
    models = Models(tmp_path, retrain=True, learner="beliefs", epochs=1, seed=0)
    with pytest.raises(gl.InvalidProblem, match="did not write it"):
        models.model(embedded_treebank(), Console())
    assert model.read_text() == "mine"


def test_a_drawn_figure_replaces_no_other_file(tmp_path, capsys):
    picture = tmp_path / "picture.svg"
    picture.write_text("mine", "utf-8")
    refused(capsys, "did not write it", "run", "pos-tagging", "--figure", picture)
    assert picture.read_text() == "mine"


def test_the_selftest_shares_no_folder_with_other_documents(tmp_path, capsys):
    (tmp_path / "package.json").write_text("{}", "utf-8")
    refused(capsys, "did not write it", "selftest", "--out", tmp_path)
