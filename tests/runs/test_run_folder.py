"""Folders of runs: one run, one process, the same settings and the same data."""

import json
import os
import subprocess
import sys

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless.runs import (
    MANIFEST,
    SUMMARY,
    TABLES,
    Fingerprint,
    LoggedAnswer,
    Manifest,
    OtherVersion,
    RunFolder,
    State,
)
from gapless_chains import ChainProblem

SETTINGS = {"epochs": 3, "seed": 0}


def answer(name):
    problem = ChainProblem(unary=np.ones((2, 2)), transition=np.zeros((2, 2)))
    return gl.Record(problem, gl.solve(problem), name)


def test_a_run_goes_on(tmp_path):
    data = Fingerprint.of("corpus", [("a", "b"), np.arange(3)])
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.about("the corpus", data)
        run.log("a.jsonl").append(answer("one"))
        run.log("tables/b.jsonl", records=False).append(LoggedAnswer("one", answer("one").result))
        run.interrupted = True
    kept = json.loads((tmp_path / "manifest.json").read_text())
    assert (kept["state"], kept["starts"], kept["settings"]) == ("interrupted", 1, SETTINGS)
    assert (kept["records"], kept["measured"]) == (["a.jsonl"], ["tables/b.jsonl"])
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.about("the corpus", Fingerprint("moved", data.size, data.digest))
        assert list(run.log("a.jsonl")) == ["one"]
        run.log("a.jsonl").append(answer("two"))
    manifest = Manifest.load(tmp_path)
    assert (manifest.state, manifest.starts, manifest.began) == (State.FINISHED, 2, kept["began"])
    assert not (tmp_path / ".lock").exists()
    assert main(["verify", str(tmp_path)]) == exit_codes.PROVED


def test_a_speed_is_measured_once(tmp_path):
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        assert run.timed("parses", lambda: 7.0) == 7.0
        run.log("a.jsonl").append(answer("one"))
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        assert run.timed("parses", lambda: 8.0) == 7.0
    with RunFolder(tmp_path, "job", SETTINGS, overwrite=True) as run:
        run.log("a.jsonl")
        assert run.timed("parses", lambda: None) is None


def test_another_run_is_refused_and_told_why(tmp_path):
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.about("the corpus", Fingerprint.of("small", ["a"]))
        run.log("a.jsonl").append(answer("one"))
    with pytest.raises(gl.InvalidProblem, match=r"epochs 3, not 4; .*another folder, or use --overwrite"):
        RunFolder(tmp_path, "job", {**SETTINGS, "epochs": 4})
    with pytest.raises(gl.InvalidProblem, match="a run of job, not of task"):
        RunFolder(tmp_path, "task", SETTINGS)
    with (
        RunFolder(tmp_path, "job", SETTINGS) as run,
        pytest.raises(gl.InvalidProblem, match=r"the corpus small \(1, .*, not large \(2, "),
    ):
        run.about("the corpus", Fingerprint.of("large", ["a", "b"]))
    assert (tmp_path / "a.jsonl").exists()
    for name in (SUMMARY, TABLES):
        (tmp_path / name).write_text("{}")  # would stand beside other answers, were the new run killed
    with RunFolder(tmp_path, "task", SETTINGS, overwrite=True) as run:
        assert run.manifest.starts == 1
        assert len(run.log("a.jsonl")) == 0
        assert not any((tmp_path / name).exists() for name in ("a.jsonl", SUMMARY, TABLES))


def test_files_of_others_are_not_taken_for_answers(tmp_path):
    (tmp_path / "a.jsonl").write_text("somebody's\n")
    for anew in (False, True):
        with (
            RunFolder(tmp_path, "job", SETTINGS, overwrite=anew) as run,
            pytest.raises(gl.InvalidProblem, match="does not belong to a run in"),
        ):
            run.log("a.jsonl")
        assert (tmp_path / "a.jsonl").read_text() == "somebody's\n"


def test_a_new_run_replaces_the_logs_of_an_unreadable_manifest(tmp_path):
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.log("a.jsonl")
    (tmp_path / "a.jsonl").write_text("cut")
    (tmp_path / MANIFEST).write_text("{")
    with RunFolder(tmp_path, "job", SETTINGS, overwrite=True) as run:
        assert len(run.log("a.jsonl")) == 0


def test_two_processes_at_once_are_refused(tmp_path):
    held = RunFolder(tmp_path, "job", SETTINGS)
    with pytest.raises(gl.InvalidProblem, match=rf"process {os.getpid()} on .* is writing to this folder"):
        RunFolder(tmp_path, "job", SETTINGS)
    held.close(State.FINISHED)
    RunFolder(tmp_path, "job", SETTINGS).close(State.FINISHED)


HOLD = """
import signal, sys
from pathlib import Path
from gapless.runs import RunFolder
run = RunFolder(Path(sys.argv[1]), "job", {})
print("held", flush=True)
signal.pause()
"""


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(gl.InvalidProblem, match=f"process {holder.pid} on"):
            RunFolder(tmp_path, "job", {})
        holder.kill()
        holder.wait()
    assert (tmp_path / ".lock").exists()
    with RunFolder(tmp_path, "job", {}) as run:
        assert run.manifest.starts == 2


def test_exceptions_leave_an_interrupted_run(tmp_path):
    with pytest.raises(ZeroDivisionError), RunFolder(tmp_path, "job", {}):
        1 / 0  # noqa: B018
    assert Manifest.load(tmp_path).state is State.INTERRUPTED


def everything(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


REFUSED = gl.InvalidProblem("--explain nowhere: no such sentence")


def ends(error, *run, work=lambda run: None, **how):
    with pytest.raises(type(error)):
        _end(error, *run, work=work, **how)


def _end(error, *run, work, **how):
    with RunFolder(*run, **how) as folder:
        work(folder)
        raise error


@pytest.mark.parametrize("opened", [False, True])
def test_a_refused_run_leaves_nothing(tmp_path, opened):
    def work(run):
        run.about("the corpus", Fingerprint.of("small", ["a"]))
        if opened:
            run.log("tables/a.jsonl")

    ends(REFUSED, tmp_path, "job", SETTINGS, work=work)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_refused_start_leaves_the_run_as_it_was(tmp_path, opened, interrupted):
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.log("a.jsonl").append(answer("one"))
        run.interrupted = interrupted
    before = everything(tmp_path)

    def work(run):
        if opened:
            assert len(run.log("a.jsonl")) == 1
            run.log("b.jsonl")

    ends(REFUSED, tmp_path, "job", SETTINGS, work=work)
    assert everything(tmp_path) == before
    for error in (REFUSED, KeyboardInterrupt()):
        ends(error, tmp_path, "new", {}, overwrite=True)
        assert everything(tmp_path) == before


def test_what_fails_later_is_an_interrupted_run(tmp_path):
    ends(REFUSED, tmp_path, "job", SETTINGS, work=lambda run: run.log("a.jsonl").append(answer("one")))
    assert Manifest.load(tmp_path).state is State.INTERRUPTED
    failure = gl.SolveError("the oracle failed")
    ends(failure, tmp_path, "other", {}, overwrite=True, work=lambda run: run.log("a.jsonl"))
    assert Manifest.load(tmp_path).state is State.INTERRUPTED


def test_another_version_is_told(tmp_path):
    with RunFolder(tmp_path, "job", SETTINGS) as run:
        run.log("a.jsonl").append(answer("one"))
    older = attrs.evolve(Manifest.load(tmp_path), version="0.0.9")
    older.save(tmp_path)
    with (
        pytest.warns(OtherVersion, match=r"was last worked on by gapless 0\.0\.9, now by .*use --overwrite"),
        RunFolder(tmp_path, "job", SETTINGS) as run,
    ):
        assert list(run.log("a.jsonl")) == ["one"]
    with RunFolder(tmp_path, "job", SETTINGS):
        pass  # told once
    older.save(tmp_path)
    RunFolder(tmp_path, "job", {}, overwrite=True).close(State.FINISHED)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not a readable manifest"),
        ('{"format": 2}', "has format 2; this version of gapless reads format 1"),
        (
            '{"format": 1, "task": "job", "settings": {}, "data": {}, "records": ["../x.jsonl"]}',
            "lies outside the folder",
        ),
    ],
)
def test_manifests_that_cannot_be_read_say_so(tmp_path, content, said):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(gl.InvalidProblem, match=said):
        RunFolder(tmp_path, "job", {})
    RunFolder(tmp_path, "job", {}, overwrite=True).close(State.FINISHED)


def test_a_folder_that_cannot_be_written_to_says_so(tmp_path):
    place = tmp_path / "run"
    place.mkdir(mode=0o500)
    if os.access(place, os.W_OK):  # root may write anywhere but into the kernel's own files
        with pytest.raises(OSError, match="/proc/self"):
            RunFolder(place.__class__("/proc/self"), "job", {})
    else:
        with pytest.raises(PermissionError, match="run"):
            RunFolder(place, "job", {})


def test_fingerprints_tell_data_apart():
    parts = ["a", b"a", 1, 1.0, ("a",), ["a", "b"], np.arange(2), np.arange(2.0), np.arange(4).reshape(2, 2)]
    digests = {Fingerprint.of("x", [part]).digest for part in parts}
    assert len(digests) == len(parts)
    assert Fingerprint.of("x", ["a", "b"]) == Fingerprint.of("y", iter(["a", "b"]))
    assert Fingerprint.of("x", [np.array([0.0])]) == Fingerprint.of("x", [np.array([-0.0])])
    assert Fingerprint.of("x", ["a", "b"]) != Fingerprint.of("x", ["ab"])


def test_no_fingerprint_is_made_of_what_its_repr_does_not_tell_apart():
    with pytest.raises(TypeError, match="there is no fingerprint for a dict"):
        Fingerprint.of("x", ["a", [{"b": np.arange(5000)}]])
