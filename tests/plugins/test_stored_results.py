"""A stored result is read in a process that has loaded nothing yet."""

import sys

import numpy as np
import patience
import pytest

import gapless
from gapless_dependency import Grandchild, ParsingProblem


def test_a_result_verifies_in_another_process(tmp_path):
    rng = np.random.default_rng(0)
    problem = ParsingProblem(rng.normal(size=(6, 6)), factors=[Grandchild(rng.normal(size=(6, 6, 6)))])
    (tmp_path / "problem.json").write_text(gapless.dumps(problem))
    (tmp_path / "result.json").write_text(gapless.solve(problem).to_json())
    code = (
        "import gapless, sys; from pathlib import Path;"
        "problem = gapless.loads(Path(sys.argv[1], 'problem.json').read_text());"
        "result = gapless.Result.from_json(Path(sys.argv[1], 'result.json').read_text());"
        "assert result.verify(problem)"
    )
    done = patience.run([sys.executable, "-c", code, str(tmp_path)])
    assert done.returncode == 0, done.stderr


def test_an_unknown_class_is_still_named():
    with pytest.raises(gapless.InvalidProblem, match=r"nobody\.Knows"):
        gapless.loads('{"type": "nobody.Knows"}')
