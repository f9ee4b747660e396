"""Ctrl-C in `solve_many`: what is finished is kept, and nothing more is begun."""

import numpy as np
import pytest

import gapless as gl
from gapless_chains import ChainProblem, DomainMessages


@pytest.fixture
def problems():
    rng = np.random.default_rng(0)
    return [ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3))) for _ in range(6)]


def interrupt_at(monkeypatch, cls, name, call):
    honest, calls = getattr(cls, name), []

    def method(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return honest(self, *args, **kwargs)

    monkeypatch.setattr(cls, name, method)


@pytest.mark.parametrize(("name", "call"), [("__init__", 2), ("solve", 3)])
def test_control_c_ends_the_whole_batch(monkeypatch, problems, name, call):
    """In a solve, which turns it into a result, as well as outside; both fall into the second problem."""
    interrupt_at(monkeypatch, DomainMessages, name, call)
    batch = gl.solve_many(problems, "column-generation", limits=gl.Limits(time=1000.0))  # by the role objects
    assert len(batch) == 6
    assert batch.statuses[0] is gl.Status.OPTIMAL
    assert batch.statuses[1] in (None, gl.Status.FEASIBLE, gl.Status.NO_SOLUTION)
    assert list(batch.statuses[2:]) == [None] * 4


def test_processes_give_the_same(problems):
    pytest.importorskip("joblib")
    alone, together = (gl.solve_many(problems, "column-generation", jobs=jobs) for jobs in (1, 2))
    assert alone.values.tolist() == together.values.tolist()
    assert together.proved == 1.0
