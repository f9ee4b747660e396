"""`solve_many`: Ctrl-C keeps what is finished and begins nothing more; numbers of answers; what is refused."""

import numpy as np
import pytest

import gapless as gl
from gapless_chains import ChainModel, ChainProblem, DomainMessages


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


@pytest.mark.parametrize("method", ["viterbi", "dominance", "column-generation", "beam"])
@pytest.mark.parametrize("batched", [True, False])
def test_structures_are_numbered_like_results(method, batched):
    chains = ChainModel(np.zeros((3, 3))).batch(np.eye(3), [1, 1, 1])
    found = gl.solve_many(chains if batched else [chains[0], chains[1], chains[2]], method)
    for number in (0, 2, -1, -3, np.int64(-2)):
        assert found.structure(number).tolist() == found[number].best.tolist() == [number % 3]
    for number in (3, -4):
        for take in (found.structure, found.__getitem__):
            with pytest.raises(IndexError, match=f"batch of 3 has no problem {number}"):
                take(number)
    with pytest.raises(TypeError):
        found.structure(1.0)


def test_structures_of_results_are_numbered_like_results(problems):
    results = [gl.solve(problem) for problem in problems]
    found = gl.BatchResult.from_results(results, total=len(results))
    assert found.structure(-1).tolist() == found[-1].best.tolist() == results[-1].best.tolist()
    with pytest.raises(IndexError, match="no problem 6"):
        found.structure(6)
