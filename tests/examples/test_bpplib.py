"""Instances in the text format of the BPPLIB: both kinds, every way to be wrong, and the task that takes them."""

import io
import json

import numpy as np
import pytest

import gapless as gl
from gapless.cli import main

pytest.importorskip(
    "gapless_cutting_stock",
    reason="the example is not installed: pip install -e docs/examples/cutting_stock",
)
from gapless_cutting_stock import bpplib_files, read_bpplib

PACKING = "5\n10\n4\n6\n4\n3\n4\n"
STOCK = "3\n10\n6\t1\n4\t3\n3\t1\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="instance.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", [PACKING, STOCK, STOCK.replace("\t", "   "), STOCK.replace("\n", "\r\n") + "\n\n"])
def test_both_kinds_are_read(write, text):
    problem = read_bpplib(write(text))
    assert (problem.width, problem.sizes, problem.demands) == (10, (6, 4, 3), (1, 3, 1))
    assert gl.solve(problem).value == 3


def test_a_byte_order_mark_is_no_number(write):
    assert read_bpplib(write(b"\xef\xbb\xbf" + PACKING.encode())).width == 10


def test_types_of_one_weight_stay_apart(write):
    """Numbers of item types are those of the file."""
    problem = read_bpplib(write("3\n10\n4 1\n6 2\n4 2\n"))
    assert (problem.sizes, problem.demands) == ((4, 6, 4), (1, 2, 2))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read(write, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 50, 30)
    text = f"{weights.size}\n50\n" + "".join(f"{weight}\n" for weight in weights)
    problem = read_bpplib(write(text))
    held = sorted(np.repeat(problem.sizes, problem.demands).tolist())
    assert held == sorted(weights.tolist())
    assert list(problem.sizes) == sorted(set(weights.tolist()), reverse=True)


WRONG = {
    "": "instance.txt: the file is empty",
    "\n \n": "the file is empty",
    "3\n": "ends before the capacity; it may have been cut short",
    "3\n10\n": "ends after 0 items, line 1 says 3",
    "3\n10\n4\n6\n": "ends after 2 items, line 1 says 3; it may have been cut short",
    "2\n10\n4\n6\n5\n": "line 5: more items than the 2 that line 1 says",
    "2 10\n4\n6\n": "line 1: expected the number of items, one number of at least 1, found 2 10",
    "0\n10\n": "line 1: expected the number of items, one number of at least 1, found 0",
    "2\n0\n4\n6\n": "line 2: expected the capacity, one number of at least 1, found 0",
    "2\n10\n4 2\n6\n": "line 4: expected 2, as for the first item, found 1 numbers",
    "2\n10\n4\n6 1\n": "line 4: expected 1, as for the first item, found 2 numbers",
    "2\n10\n4 2 1\n6 1 1\n": "line 3: expected a weight, or a weight and a demand, found 3 numbers",
    "2\n10\n4\n0\n": "line 4: weights and demands are at least 1",
    "2\n10\n4 1\n6 0\n": "line 4: weights and demands are at least 1",
    "2\n10\n4\n-6\n": "line 4: '-6' is no whole number of at least 0",
    "2\n10\n4\n6.5\n": "line 4: '6.5' is no whole number",
    "2\n10\n4\nsix\n": "line 4: 'six' is no whole number",
    "2\n10\n4\n1_0\n": "line 4: '1_0' is no whole number",
    "2\n10\n4\n" + 30 * "9": "line 4: '999999999999999999999999999999' is no whole number",
    "2\n999999999999\n4\n6\n": "a width of 999999999999 and 2 items may take more than 50,000,000 decisions",
    "1\n10\n4 99999999999\n": "may take more than 50,000,000 decisions",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named_with_its_place(write, text):
    path = write(text)
    with pytest.raises(gl.InvalidProblem) as error:
        read_bpplib(path)
    assert str(path) in str(error.value)
    assert WRONG[text] in str(error.value)


def test_bytes_and_missing_files_are_named(write, tmp_path):
    with pytest.raises(gl.InvalidProblem, match=r"instance\.txt: cannot be read"):
        read_bpplib(write(b"\xff\xfe\x00\x01"))
    with pytest.raises(gl.InvalidProblem, match=r"nothing\.txt: no such file"):
        read_bpplib(tmp_path / "nothing.txt")
    with pytest.raises(gl.InvalidProblem, match="cannot be read"):
        read_bpplib(tmp_path)


def test_folders_are_read_in_order(write, tmp_path):
    for name in ("b.txt", "a.txt", "deeper/c.txt", "readme.md"):
        write(STOCK, name)
    alone = write(STOCK, "alone.csp")
    found = bpplib_files([tmp_path, alone])
    assert [path.name for path in found] == ["a.txt", "b.txt", "c.txt", "alone.csp"]
    with pytest.raises(gl.InvalidProblem, match="no such file or folder"):
        bpplib_files([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(gl.InvalidProblem, match=r"empty: no file in this folder ends in \.txt"):
        bpplib_files([tmp_path / "empty"])
    (tmp_path / "empty" / "LICENSE.txt").write_text("1\n")
    (tmp_path / "empty" / "Hard28.rar").write_bytes(b"")
    with pytest.raises(gl.InvalidProblem, match=r"unpack them: bsdtar -xf .*Hard28\.rar"):
        bpplib_files([tmp_path / "empty"])


def test_the_task_takes_files(write, tmp_path, capsys):
    write(PACKING, "packing.txt")
    write("2\n10\n12 1\n5 2\n", "too wide.txt")
    assert main(["run", "cutting-stock-benchmark", "--data", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["agreed"] is True
    assert [one["name"] for one in document["instances"]] == ["packing", "too wide"]
    packing, wide = document["instances"]
    assert (packing["items"], packing["types"], packing["width"]) == (5, 3, 10)
    assert packing["branch-and-price"]["rolls"] == packing["scip"]["rolls"] == 3
    assert packing["branch-and-price"]["verified"] is True
    assert wide["scip"]["status"] == "INFEASIBLE"
    assert main(["run", "cutting-stock-benchmark", "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "none fits" in shown
    assert "both find the same values" in shown


def test_the_task_takes_a_part_of_the_files(write, tmp_path, capsys):
    for name in "abcde":
        write(PACKING, f"{name}.txt")
    assert main(["run", "cutting-stock-benchmark", "--data", str(tmp_path), "--every", "2", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["instances"]] == ["a", "c", "e"]
    assert main(["run", "cutting-stock-benchmark", "--data", str(tmp_path), "--every", "0"]) == 2
    assert "--every is 0" in capsys.readouterr().err


def test_the_task_refuses_a_file_by_its_line(write, capsys):
    path = write("2\n10\n4\nsix\n")
    assert main(["run", "cutting-stock-benchmark", "--data", str(path)]) == 2
    said = capsys.readouterr().err
    assert f"{path}, line 4: 'six' is no whole number" in said
    assert "Traceback" not in said


def test_the_task_says_what_a_limit_left_open(write, capsys):
    path = write("3\n30\n15 3\n10 5\n6 9\n")
    assert main(["run", "cutting-stock-benchmark", "--data", str(path), "--time", "0"]) == 3
    assert "2 solves ended before their proof" in capsys.readouterr().out


def test_a_disagreement_is_reported(write, monkeypatch):
    from argparse import Namespace  # noqa: PLC0415

    from gapless.cli import Console, exit_codes  # noqa: PLC0415
    from gapless_cutting_stock import benchmark  # noqa: PLC0415

    problem = read_bpplib(write(PACKING))
    worse = (((0,), 1), ((1,), 3), ((2,), 1))
    lie = gl.Result.of(problem, [worse], -5.0, gl.Stop.PROVED)
    solve = gl.solve
    monkeypatch.setattr(
        benchmark.gl, "solve", lambda p, method, **how: lie if method == "scip" else solve(p, method, **how)
    )
    console = Console(out=io.StringIO())
    arguments = Namespace(data=[str(write(PACKING))], time=None, every=1)
    assert benchmark.run(arguments, console) == exit_codes.FAILED
    assert "the values DIFFER: instance" in console.out.getvalue()
