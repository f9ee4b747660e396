"""Logs of answers: what was written stays, what was not finished goes, what is damaged is told."""

import gzip
import resource
import subprocess
import sys

import numpy as np
import pytest

import gapless as gl
from gapless.roles import NoCertificate
from gapless.runs import AnswerLog, LoggedAnswer, read_log, without_evidence
from gapless.runs.lines import whole_lines
from gapless_chains import ChainProblem

SUFFIXES = ("jsonl", "jsonl.gz")
NAMES = [f"sentence {i}" for i in range(4)]


def problem(i):
    return ChainProblem(unary=np.random.default_rng(i).normal(size=(3 + i, 4)), transition=np.zeros((4, 4)))


def written(path, names=NAMES):
    with AnswerLog(path) as log:
        for i, name in enumerate(names):
            log.keep(name, problem(i), gl.solve(problem(i)), ["word"] * (3 + i), {"seconds": 0.5})
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_answers_are_read_back_by_name(tmp_path, suffix):
    path = written(tmp_path / f"a.{suffix}")
    log = AnswerLog(path)
    assert list(log) == NAMES
    assert log.cut == 0
    record = log["sentence 2"]
    assert record.verify()
    assert record.words == ("word",) * 5
    assert record.measurements == {"seconds": 0.5}
    assert len(list(read_log(path))) == 4
    with pytest.raises(gl.InvalidProblem, match="an answer for 'sentence 1' already"):
        log.append(record.__class__(record.problem, record.result, "sentence 1"))


def test_compressed_logs_are_ordinary_gzip_files(tmp_path):
    path = written(tmp_path / "a.jsonl.gz")
    with gzip.open(path, "rt") as lines:
        assert len(list(lines)) == 4


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("left", ["cut", "zeros", "a byte"])
def test_a_torn_end_is_cut_off_and_the_log_goes_on(tmp_path, suffix, left):
    path = written(tmp_path / f"a.{suffix}")
    whole = path.read_bytes()
    before = list(whole_lines(path))[3].offset
    torn = {"cut": whole[:-7], "zeros": whole[:before] + bytes(5000), "a byte": whole[: before + 1]}[left]
    path.write_bytes(torn)
    assert len(list(read_log(path))) == 3
    log = AnswerLog(path)
    assert list(log) == NAMES[:3]
    assert log.cut == len(torn) - before
    assert path.read_bytes() == whole[:before]
    log.keep(NAMES[3], problem(3), gl.solve(problem(3)))
    log.close()
    assert list(AnswerLog(path)) == NAMES


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("at", [0.3, 0.4, 0.6])
def test_damage_before_the_end_is_an_error_that_names_the_line(tmp_path, suffix, at):
    path = written(tmp_path / f"a.{suffix}")
    content = bytearray(path.read_bytes())
    place = int(at * len(content))
    content[place : place + 20] = b"\xff" * 20
    path.write_bytes(content)
    with pytest.raises(gl.InvalidProblem, match=rf"a.{suffix}, line [23]: damaged"):
        AnswerLog(path)
    assert path.read_bytes() == content


def test_a_lost_end_of_a_member_in_the_middle_is_no_torn_end(tmp_path):
    path = written(tmp_path / "a.jsonl.gz")
    end = list(whole_lines(path))[2].offset
    content = path.read_bytes()
    path.write_bytes(content[: end - 30] + content[end:])
    with pytest.raises(gl.InvalidProblem, match=r"line 2: damaged"):
        AnswerLog(path)


@pytest.mark.parametrize("line", ["[]", '{"name": 3}', '{"nom": "x"}', '{"name": "sentence 0"}'])
def test_lines_that_are_no_answers_are_named(tmp_path, line):
    path = written(tmp_path / "a.jsonl")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(gl.InvalidProblem, match=r"a.jsonl, line 5: damaged"):
        AnswerLog(path)


def test_an_answer_that_is_none_is_found_when_it_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"name": "x"}\n')
    with pytest.raises(gl.InvalidProblem, match=r"a.jsonl, line 1: damaged \(it holds a dict"):
        AnswerLog(path)["x"]


def test_numbers_are_kept_without_problem_and_evidence(tmp_path):
    found = gl.solve(problem(0))
    with AnswerLog(tmp_path / "a.jsonl", records=False) as log:
        log.keep("x", problem(0), without_evidence(found))
    answer = AnswerLog(tmp_path / "a.jsonl")["x"]
    assert isinstance(answer, LoggedAnswer)
    assert answer.result.proved
    assert answer.result.value == found.value
    assert isinstance(answer.result.certificate, NoCertificate)


FULL = """
import resource, sys
from pathlib import Path
from gapless.runs import AnswerLog
from gapless.results.record import read_values
log, (record,) = AnswerLog(Path(sys.argv[1])), read_values(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    log.append(record)
except OSError as error:
    sys.exit(str(error))
"""


def test_a_full_disk_keeps_what_was_there(tmp_path):
    path = written(tmp_path / "a.jsonl")
    before = path.read_bytes()
    other = written(tmp_path / "b.jsonl", ["another"])
    asked = [sys.executable, "-c", FULL, path, other, str(len(before) + 100)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert "File too large; the 4 earlier answers are kept; repeat the command to continue" in done.stderr
    assert "a.jsonl" in done.stderr
    assert path.read_bytes() == before
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_control_c_leaves_a_log_that_goes_on(tmp_path, monkeypatch):
    """Before an answer is noted it is taken back; afterwards it is there."""
    path = tmp_path / "a.jsonl"
    with AnswerLog(path) as log:
        log.keep("x", problem(0), gl.solve(problem(0)))
        for noted in (False, True):
            enter = AnswerLog._enter

            def interrupted(self, name, line, noted=noted, enter=enter):
                if noted:
                    enter(self, name, line)
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(AnswerLog, "_enter", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    log.keep("y", problem(1), gl.solve(problem(1)))
            assert ("y" in log) is noted
            assert len(list(read_log(path))) == len(log) == 1 + noted
        log.keep("z", problem(2), gl.solve(problem(2)))
        assert log["z"].verify()
    assert list(AnswerLog(path)) == ["x", "y", "z"]
