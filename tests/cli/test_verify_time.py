"""``gapless verify --time``: what is undecided does not hold, and the records after it are still checked."""

import json
import time

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.cli import main
from gapless_chains import ChainProblem


@gl.serialisable("tests.EndlessCertificate")
@attrs.frozen
class Endless(gl.BoundCertificate):
    """As long as one likes."""

    def upper_bound(self, problem, fixings):
        while True:
            time.sleep(0.01)


@pytest.fixture
def records(tmp_path):
    problem = ChainProblem(np.eye(2), np.zeros((2, 2)))
    result = gl.solve(problem)
    lines = [gl.Record(problem, attrs.evolve(result, certificate=Endless()), "endless"), gl.Record(problem, result)]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(gl.dumps(line) + "\n" for line in lines))
    return path


def test_an_undecided_record_fails_and_the_next_is_checked(records, capsys):
    assert main(["verify", str(records), "--time", "0.2", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["checked"], told["verified"]) == (2, 1)
    (failure,) = told["failures"]
    assert failure["record"] == "endless"
    assert "undecided" in failure["reason"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_cannot_be_is_refused(records, capsys, seconds):
    assert main(["verify", str(records), f"--time={seconds}"]) == 2
    assert "--time is" in capsys.readouterr().err
