"""``gapless solve FILE.jsonl``: records as they are finished, exit codes, what is wrong by file and line."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless.results.record import read_values
from gapless_chains import ChainProblem
from gapless_dependency import Grandchild, ParsingProblem


@pytest.fixture
def problems():
    rng = np.random.default_rng(0)
    return [ChainProblem(rng.normal(size=(3, 4)), rng.normal(size=(4, 4))) for _ in range(12)]


@pytest.fixture
def file(tmp_path, problems):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(gl.dumps(problem) + "\n" for problem in problems))
    return path


def test_a_line_for_each_problem(file, problems, capsys):
    assert main(["solve", str(file)]) == exit_codes.PROVED
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(problems) + 1
    best = gl.solve(problems[4])
    labels = " ".join(map(str, best.best.tolist()))
    assert lines[4] == f"{file}, line 5: optimal, value {best.value:.12g}: {labels}"
    assert lines[-1].startswith("12 solved, 12 proved in ")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_records_are_written_and_verify(file, problems, tmp_path, capsys, jobs):
    if jobs == "2":
        pytest.importorskip("joblib", reason="--jobs 2 needs joblib")
    records = tmp_path / "records.jsonl"
    asked = ["solve", str(file), "--jobs", jobs, "--out", str(records), "--json", "--method", "viterbi"]
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert (found["solved"], found["proved"], found["failures"]) == (12, 12, [])
    assert found["statuses"] == {"optimal": 12}
    written = list(read_values(records))
    assert [record.name for record in written] == [f"{file.name}, line {number}" for number in range(1, 13)]
    assert [record.result.value for record in written] == [gl.solve(p, "viterbi").value for p in problems]
    assert main(["verify", str(records)]) == exit_codes.PROVED
    assert not list(tmp_path.glob("*.part"))


def test_records_keep_their_names_and_words(tmp_path, problems, capsys):
    given = gl.Record(problems[0], gl.solve(problems[0], "beam", width=1), "sentence 7", ["so", "it", "is"])
    with gzip.open(tmp_path / "given.jsonl.gz", "wt") as stream:
        stream.write(gl.dumps(given) + "\n")
    out = tmp_path / "out.jsonl"
    assert main(["solve", str(tmp_path / "given.jsonl.gz"), "--out", str(out)]) == exit_codes.PROVED
    record = next(read_values(out))
    assert (record.name, record.words, record.result.proved) == ("sentence 7", ("so", "it", "is"), True)


def test_a_wrong_line_is_named_and_what_was_finished_is_kept(file, tmp_path, capsys):
    with file.open("a") as stream:
        stream.write('{"a": 1}\n')
    out = tmp_path / "out.jsonl"
    assert main(["solve", str(file), "--out", str(out)]) == exit_codes.USAGE
    complaint = capsys.readouterr().err
    assert f"{file}, line 13: expected a problem or a record, found a dict" in complaint
    assert f"the records that were finished are in {out}.part" in complaint
    assert not out.exists()
    assert (tmp_path / "out.jsonl.part").read_text().count("\n") == 12
    assert main(["solve", str(file), "--out", str(out)]) == exit_codes.USAGE
    assert "holds the records of a run that did not end" in capsys.readouterr().err
    assert (tmp_path / "out.jsonl.part").read_text().count("\n") == 12


def test_a_failure_is_reported_and_the_others_are_solved(tmp_path, capsys):
    plain = ParsingProblem(np.zeros((3, 3)))
    factored = ParsingProblem(np.zeros((3, 3)), factors=[Grandchild(np.zeros((3, 3, 3)))])
    file = tmp_path / "parses.jsonl"
    file.write_text("".join(gl.dumps(problem) + "\n" for problem in (plain, factored, plain)))
    assert main(["solve", str(file), "--method", "first-order", "--json"]) == exit_codes.USAGE
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["solved"] == 2
    assert [failure["location"] for failure in found["failures"]] == [f"{file}, line 2"]
    assert f"{file}, line 2: method 'first-order' does not count factors" in captured.err


@pytest.mark.parametrize(
    ("extra", "code"),
    [(["--method", "beam", "--option", "width=1"], exit_codes.STOPPED_EARLY), ([], exit_codes.INFEASIBLE)],
)
def test_exit_codes_are_those_of_one_problem(tmp_path, problems, extra, code, capsys):
    if code == exit_codes.INFEASIBLE:
        problems = [*problems, ChainProblem(np.full((2, 2), -np.inf), np.zeros((2, 2)))]
    file = tmp_path / "some.jsonl"
    file.write_text("".join(gl.dumps(problem) + "\n" for problem in problems))
    assert main(["solve", str(file), *extra]) == code


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--start", "x.json"], "--start is for one problem"),
        (["--out", "x.json"], "go to a .jsonl file, or into a folder"),
        (["--jobs", "0"], "jobs is 0"),
        (["--cluster", "tcp://localhost:1"], "--cluster ADDRESS is for --backend dask or ray"),
        (["--backend", "dask"], "--backend dask needs --cluster ADDRESS"),
    ],
)
def test_what_does_not_go_together(file, extra, words, capsys):
    assert main(["solve", str(file), *extra]) == exit_codes.USAGE
    assert words in capsys.readouterr().err


def test_several_of_each(file, problems, tmp_path, capsys):
    assert main(["solve", str(file), "-k", "2"]) == exit_codes.PROVED
    lines = capsys.readouterr().out.splitlines()
    seconds = [gl.solve(problem, k=2).solutions[1].value for problem in problems]
    assert [line.split(":")[0] for line in lines[1:-1:2]] == [f"    2. value {value:.12g}" for value in seconds]
    out = tmp_path / "run"
    assert main(["solve", str(file), "-k", "2", "--out", str(out)]) == exit_codes.PROVED
    assert all(len(record.result.solutions) == 2 for record in read_values(out / "answers.jsonl"))
    assert main(["solve", str(file), "--out", str(out)]) == exit_codes.USAGE
    assert "a run with k 2, not 1" in capsys.readouterr().err


def test_jobs_are_for_many(tmp_path, problems, capsys):
    (tmp_path / "one.json").write_text(gl.dumps(problems[0]))
    assert main(["solve", str(tmp_path / "one.json"), "--jobs", "2"]) == exit_codes.USAGE
    assert "--jobs is for a .jsonl file of many problems" in capsys.readouterr().err


def test_backends_without_their_library_say_what_to_install(file, monkeypatch, capsys):
    for backend, module, extra in (("dask", "distributed", "'gapless[distributed]'"), ("ray", "ray", "ray")):
        monkeypatch.setitem(sys.modules, module, None)
        assert main(["solve", str(file), "--backend", backend, "--cluster", "tcp://x:1"]) == exit_codes.USAGE
        assert f"pip install {extra}" in capsys.readouterr().err


def test_threads_by_name(file, capsys):
    pytest.importorskip("joblib", reason="backends are joblib's")
    assert main(["solve", str(file), "--backend", "threading", "--jobs", "2"]) == exit_codes.PROVED
    assert capsys.readouterr().err == ""
    assert main(["solve", str(file), "--backend", "threading", "--jobs", "1"]) == exit_codes.PROVED
    assert "--backend threading does nothing" in capsys.readouterr().err


def test_control_c_keeps_what_is_finished(tmp_path, problems):
    """The problems come through a pipe that never ends."""
    pipe, out = tmp_path / "endless.jsonl", tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    command = [str(Path(sys.executable).with_name("gapless")), "solve", str(pipe), "--out", str(out)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process, pipe.open("w") as stream:
        for problem in problems:
            stream.write(gl.dumps(problem) + "\n")
        stream.flush()
        aside = tmp_path / "out.jsonl.part"
        while not (aside.exists() and aside.read_text().count("\n")):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate()
    assert process.returncode == exit_codes.INTERRUPTED
    assert "stopped by Ctrl-C" in said
    assert complaint == f"gapless: the records that were finished are in {aside}\n"
    assert all(record.verify() for record in read_values(aside))


def test_a_folder_goes_on_where_it_was(file, problems, tmp_path, capsys):
    whole, folder = tmp_path / "whole", tmp_path / "folder"
    assert main(["solve", str(file), "--out", str(whole)]) == exit_codes.PROVED
    lines = (whole / "answers.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == len(problems)
    folder.mkdir()
    (folder / "manifest.json").write_bytes((whole / "manifest.json").read_bytes())
    (folder / "answers.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:40])  # as a kill leaves it
    capsys.readouterr()
    assert main(["solve", str(file), "--out", str(folder), "--json"]) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert (found["solved"], found["proved"], found["finished_before"]) == (12, 12, 5)
    kept = [record.result.value for record in read_values(folder / "answers.jsonl")]
    assert kept == [record.result.value for record in read_values(whole / "answers.jsonl")]
    assert main(["verify", str(folder)]) == exit_codes.PROVED
    assert main(["solve", str(file), "--out", str(folder), "--method", "viterbi"]) == exit_codes.USAGE
    assert "method null, not" in capsys.readouterr().err
    with file.open("a") as stream:
        stream.write(gl.dumps(problems[0]) + "\n")
    assert main(["solve", str(file), "--out", str(folder)]) == exit_codes.USAGE
    assert "the problems of corpus.jsonl" in capsys.readouterr().err
    assert main(["solve", str(file), "--out", str(folder), "--overwrite"]) == exit_codes.PROVED
    assert len(list(read_values(folder / "answers.jsonl"))) == len(problems) + 1


def test_records_of_one_name_are_all_kept(tmp_path, problems):
    file = tmp_path / "twins.jsonl"
    records = [gl.Record(problem, gl.solve(problem), "twin") for problem in problems[:3]]
    file.write_text("".join(gl.dumps(record) + "\n" for record in records))
    assert main(["solve", str(file), "--out", str(tmp_path / "out")]) == exit_codes.PROVED
    names = [record.name for record in read_values(tmp_path / "out" / "answers.jsonl")]
    assert names == ["twin", "twins.jsonl, line 2", "twins.jsonl, line 3"]


def test_a_corpus_that_was_changed_in_its_middle_is_not_taken_for_the_same(
    file, problems, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr("gapless.cli.solving_many.LOOKED_AT", 50)
    folder = tmp_path / "folder"
    assert main(["solve", str(file), "--out", str(folder)]) == exit_codes.PROVED
    lines = file.read_text().splitlines(keepends=True)
    at = next(at for at in range(200, len(lines[5])) if lines[5][at] in "12345678")
    lines[5] = lines[5][:at] + "9" + lines[5][at + 1 :]
    file.write_text("".join(lines))
    capsys.readouterr()
    assert main(["solve", str(file), "--out", str(folder)]) == exit_codes.USAGE
    assert f"{file}, line 6: {folder} holds an answer for 'corpus.jsonl, line 6' to another problem" in (
        capsys.readouterr().err
    )


def test_half_a_character_in_a_name_is_printed_as_its_number(tmp_path, problems, capsys):
    record = gl.Record(problems[0], gl.solve(problems[0]), "a\ud800b")
    (tmp_path / "odd.jsonl").write_text(gl.dumps(record) + "\n")
    assert main(["solve", str(tmp_path / "odd.jsonl")]) == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("a\\ud800b: optimal")
