"""Lists of the k best by ``exact`` when something ends them early; test_exactness has them against enumeration."""

import math

import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.roles import OracleError
from gapless_linking import LinkingProblem
from gapless_linking.enumeration import all_structures

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the NumPy twin writes no evidence")


@pytest.fixture(scope="module")
def problem():
    """Four sets of six; sets overlap, and many costs are equal."""
    rng = np.random.default_rng(4)
    distances = np.triu(rng.integers(1, 4, (16, 16)), 1)
    return LinkingProblem.from_distances(distances + distances.T, [rng.permutation(16)[:6] for _ in range(4)])


def held(result, problem):
    """Different choices at their costs, none better than the bound, and evidence for that."""
    assert len({tuple(one.structure) for one in result.solutions}) == len(result.solutions)
    assert all(one.value == problem.value(one.structure) for one in result.solutions)
    assert result.bound <= all_structures(problem)[1].min()
    assert result.verify(problem)


def test_all_there_are(problem):
    costs = np.sort(all_structures(problem)[1])
    result = gapless.solve(problem, k=costs.size + 5)
    assert [one.value for one in result.solutions] == costs.tolist()
    assert result.status is Status.OPTIMAL
    held(result, problem)


@pytest.mark.parametrize("calls", [0, 1, 5])
def test_a_list_that_is_stopped_is_not_called_optimal(problem, calls):
    seen = []

    def interrupt(event):
        seen.append(event)
        if event.kind == "bound" and len(seen) > calls:
            raise KeyboardInterrupt

    result = gapless.solve(problem, k=30, observers=[interrupt])
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.INTERRUPTED)
    assert result.value == result.bound == all_structures(problem)[1].min()
    assert len(result.solutions) > 1
    last = result.solutions[-1].value
    assert result.gap == (math.inf if len(result.solutions) < 30 else last - result.bound) > 0
    held(result, problem)


def test_an_observer_that_fails_costs_no_answers(problem):
    def fail(event):
        if event.kind == "bound":
            raise RuntimeError("no more room")

    with pytest.raises(OracleError, match="no more room") as raised:
        gapless.solve(problem, k=30, observers=[fail])
    result = raised.value.result
    assert result.stop is Stop.ERROR
    assert len(result.solutions) > 1
    held(result, problem)


@pytest.mark.parametrize("limits", [Limits(time=0.0), Limits(nodes=0), Limits(iterations=3)], ids=repr)
def test_limits_leave_what_was_found(problem, limits):
    result = gapless.solve(problem, k=30, limits=limits)
    assert result.status is Status.FEASIBLE
    assert 1 < len(result.solutions) <= 30
    held(result, problem)


def test_events_bound_the_whole_list(problem):
    result = gapless.solve(problem, k=10, trace=True)
    assert result.trace
    assert all(event.bound == event.value == result.value for event in result.trace)


def test_a_start_may_be_among_the_best(problem):
    structures, costs = all_structures(problem)
    worst = structures[np.argmax(costs)]
    result = gapless.solve(problem, k=costs.size, start=worst, limits=Limits(time=0.0))
    assert any(np.array_equal(one.structure, worst) for one in result.solutions)
    held(result, problem)


@pytest.mark.parametrize("method", ["exact", "local-search"])
def test_an_observer_that_fails_at_the_very_end_leaves_the_answer(method):
    problem = LinkingProblem.from_distances([[0, 1, 2], [1, 0, 3], [2, 3, 0]], [[0, 1], [2]])

    def fails(event):
        if event.kind == "stop":
            raise ZeroDivisionError

    with pytest.raises(OracleError) as caught:
        gapless.solve(problem, method, observers=[fails])
    assert caught.value.result.value == 4.0


def test_local_search_certifies_what_cannot_be():
    problem = LinkingProblem.from_distances([[0, 1], [1, 0]], [[0], [1]], prior=[[-np.inf], [0.0]])
    result = gapless.solve(problem, "local-search")
    assert result.status is Status.INFEASIBLE
    assert result.verify(problem)
