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
    assert together.proved_share == 1.0


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


@pytest.mark.parametrize("limits", [3, None, {"time": 1.0}])
def test_wrong_limits_are_refused(problems, limits):
    for many in (problems, problems[:0], ChainModel(np.zeros((3, 3))).batch(np.zeros((2, 3)), [2])):
        with pytest.raises(gl.UnknownOption, match=r"expected gapless.Limits"):
            gl.solve_many(many, limits=limits)


@pytest.mark.parametrize("jobs", [0, 1.0, "2", True])
def test_wrong_numbers_of_processes_are_refused(problems, jobs):
    with pytest.raises(gl.UnknownOption, match="jobs is"):
        gl.solve_many(problems, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_empty_batch_refuses_what_others_refuse(jobs):
    empty = ChainModel(np.zeros((3, 3))).batch(np.zeros((0, 3)), [])
    with pytest.raises(gl.UnknownName, match="did you mean 'viterbi'"):
        gl.solve_many(empty, "vitrebi", jobs=jobs)
    with pytest.raises(gl.UnknownOption, match="did you mean 'width'"):
        gl.solve_many(empty, "beam", jobs=jobs, widht=3)
    assert len(gl.solve_many(empty, "beam", jobs=jobs, width=3)) == 0


def test_one_and_many_have_their_own_doors(problems):
    with pytest.raises(gl.InvalidProblem, match="got one ChainProblem: use solve"):
        gl.solve_many(problems[0])
    with pytest.raises(gl.InvalidProblem, match=r"<ChainBatch: 1 sentences.*: use solve_many"):
        gl.solve(ChainModel(np.zeros((3, 3))).batch(np.zeros((2, 3)), [2]))


@pytest.mark.parametrize("number", [1.0, "2", None, True, 0, -1])
def test_counts_are_integers(problems, number):
    with pytest.raises(gl.UnknownOption, match=r"k is .*, it must be"):
        gl.solve(problems[0], "viterbi", k=number)
    for call, given in ((gl.solve, problems[0]), (gl.solve_many, problems)):
        with pytest.raises(gl.UnknownOption, match=r"width is .*, it must be"):
            call(given, "beam", width=number)
    assert len(gl.solve(problems[0], "viterbi", k=np.int64(2)).solutions) == 2
