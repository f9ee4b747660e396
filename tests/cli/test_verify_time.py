"""``gapless verify --time`` and ``--work``: what is undecided does not hold; the records after it are checked."""

import json
import signal

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.cli import main
from gapless.roles import BoundCertificate, ReplayCertificate, serialisable
from gapless_chains import ChainProblem


@serialisable("tests.EndlessCertificate")
@attrs.frozen
class Endless(BoundCertificate):
    """As long as one likes."""

    def upper_bound(self, problem, fixings):
        signal.raise_signal(signal.SIGALRM)  # as if the time were over
        raise AssertionError("the signal was ignored")


@serialisable("tests.SlowCertificate")
@attrs.frozen
class Slow(ReplayCertificate):
    """Says that it takes long."""

    evidence: gl.Certificate
    about_seconds = 7.5

    def upper_bound(self, problem, fixings):
        return self.evidence.upper_bound(problem, fixings)


@pytest.fixture
def records(tmp_path):
    problem = ChainProblem(np.eye(2), np.zeros((2, 2)))
    result = gl.solve(problem)
    lines = [gl.Record(problem, attrs.evolve(result, certificate=Endless()), "endless"), gl.Record(problem, result)]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(gl.dumps(line) + "\n" for line in lines))
    return path


def test_an_undecided_record_fails_and_the_next_is_checked(records, capsys):
    assert main(["verify", str(records), "--time", "1000", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["checked"], report["verified"]) == (2, 1)
    (failure,) = report["failures"]
    assert failure["record"] == "endless"
    assert "undecided" in failure["reason"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_cannot_be_is_refused(records, capsys, seconds):
    assert main(["verify", str(records), f"--time={seconds}"]) == 2
    assert "--time is" in capsys.readouterr().err


def test_a_record_that_takes_too_much_work_fails_and_names_the_option(records, capsys):
    assert main(["verify", str(records), "--time", "1000", "--work", "10", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["checked"], report["verified"]) == (2, 0)
    assert "undecided" in report["failures"][1]["reason"]
    assert "--work" in report["failures"][1]["reason"]


def test_undecided_records_are_reported_in_a_line_each_and_the_advice_once(records, capsys):
    assert main(["verify", str(records), "--time", "1000", "--work", "10"]) == 1
    out = capsys.readouterr().out
    assert sum(line.startswith("UNDECIDED") for line in out.splitlines()) == 2
    assert "FAILED" not in out
    assert out.count("allow more") == 1


@pytest.mark.parametrize("steps", ["0", "-1", "nan"])
def test_work_that_cannot_be_is_refused(records, capsys, steps):
    assert main(["verify", str(records), "--time", "1000", f"--work={steps}"]) == 2
    assert "work limit" in capsys.readouterr().err


def test_what_takes_long_is_announced_beforehand(tmp_path, capsys):
    problem = ChainProblem(np.eye(2), np.zeros((2, 2)))
    result = gl.solve(problem)
    path = tmp_path / "record.json"
    gl.Record(problem, result, "short").save(path)
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().err == ""
    gl.Record(problem, attrs.evolve(result, certificate=Slow(result.certificate)), "a long one").save(path)
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().err == "gapless: a long one takes about 7.5 s to verify\n"
