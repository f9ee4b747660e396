"""The method ``beam``, alone and on many problems."""

import math

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Status, Stop, UnknownOption
from gapless.roles import load_plugins
from gapless_ordering import OrderingProblem
from gapless_ordering.enumeration import best_paths
from gapless_ordering.random_problems import random_problem, title_like


@seeing("met")
@examples(60)
@given(rng=generators())
def test_small_instances(seen, rng):
    """Paths are allowed, no better than the best and within the true gap; a beam that keeps everything finds it."""
    problem = random_problem(rng, int(rng.integers(1, 8)))
    best = [solution.value for solution in best_paths(problem)]
    for width in (1, 3, 100_000):
        result = gapless.solve(problem, "beam", width=width)
        if not best:
            assert result.status is Status.INFEASIBLE
            continue
        assert result.bound == pytest.approx(best[0], rel=1e-9, abs=1e-9)
        assert result.verify(problem)
        if result.solutions:
            assert problem.violations(result.best) == []
            assert result.value <= best[0] + 1e-9 * max(1.0, abs(best[0]))
        if width == 100_000:
            assert result.value == pytest.approx(best[0], rel=1e-9, abs=1e-9)
            assert result.status is Status.OPTIMAL
            seen["met"] += 1


@examples(4)
@given(rng=generators())
def test_many_are_the_same_as_one(rng):
    problems = [random_problem(rng) for _ in range(rng.integers(1, 21))]
    for options in ({"width": 2}, {"width": 2, "bound": False}):
        batch = gapless.solve_many(problems, "beam", **options)
        for i, problem in enumerate(problems):
            alone = gapless.solve(problem, "beam", **options)
            assert (batch[i].status, batch[i].stop, batch[i].bound) == (alone.status, alone.stop, alone.bound)
            assert batch.statuses[i] is alone.status
            assert batch[i].explanation == alone.explanation
            if alone.solutions:
                np.testing.assert_array_equal(batch.structure(i), alone.best)
                assert batch[i].value == alone.value
            else:
                assert math.isnan(batch.values[i])
                with pytest.raises(gapless.NoSolution):
                    batch.structure(i)


def test_ctrl_c_keeps_what_is_finished(monkeypatch):
    problems = [title_like(20, 3, seed) for seed in range(4)]
    search = load_plugins().registry.find_method(OrderingProblem, "beam").run.__globals__
    kernel, calls = search["path_beam_search"], []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return kernel(*arguments)

    monkeypatch.setitem(search, "path_beam_search", interrupted)
    batch = gapless.solve_many(problems, "beam")
    assert [status is None for status in batch.statuses] == [False, False, True, True]
    assert batch[3].stop is Stop.INTERRUPTED


def test_without_a_bound_nothing_is_proved():
    result = gapless.solve(title_like(20, 3, 0), "beam", width=1345, bound=False)
    assert (result.status, result.stop, result.bound) == (Status.FEASIBLE, Stop.NODES, math.inf)


def test_beam_that_runs_dry_says_so():
    """The better first vertex leads nowhere."""
    ordering = np.array([[-np.inf, 0.0], [-np.inf, -np.inf]])
    problem = OrderingProblem([0.0, 1.0], ordering, [0.0, 0.0], 2)
    result = gapless.solve(problem, "beam", width=1)
    assert result.status is Status.NO_SOLUTION
    assert "a width of 1 keeps no prefix that can go on" in result.explanation[0]
    assert gapless.solve(problem, "beam", width=2).value == 0.0


def test_infeasible_instances_say_why():
    result = gapless.solve(OrderingProblem([0.0, 0.0], np.zeros((2, 2)), [0.0, 0.0], 3), "beam")
    assert result.status is Status.INFEASIBLE
    assert "fewer than the length 3" in result.explanation[0]


@pytest.mark.parametrize("width", [0, -1, 2.5, True])
def test_widths_that_are_none(width):
    with pytest.raises(UnknownOption, match="width"):
        gapless.solve(title_like(5, 2, 0), "beam", width=width)
