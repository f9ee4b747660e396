"""Lists of a chain with factors whose transitions cancel: what rounding may decide is checked, or said."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

import gapless as gl
from gapless.factors import Table
from gapless.testing import feasible_structures
from gapless_chains import ChainProblem


def test_a_list_is_no_error_where_transitions_cancel():
    transition = [[-0.2, -9999999999.8], [10000000000.1, -0.3]]
    problem = ChainProblem([[-0.1, 0.3], [0.0, -0.3], [0.2, 0.2]], transition, factors=[Table([[0], [2]], [[0.3]])])
    assert gl.solve(problem, "split-bound", k=2).proved


def test_what_rounding_may_have_decided_is_not_proved():
    transition = [[0, -3333333333.333343], [3333333333.333343, 0]]
    problem = ChainProblem(
        [[2e-5, 0], [-3e-5, 0], [3e-5, -2e-5]], transition, factors=[Table([[0], [2]], [[3e-5]])]
    )
    assert gl.solve(problem, "split-bound", k=3).stop is gl.Stop.GAP


def test_large_penalties_alone_leave_no_doubt():
    rng = np.random.default_rng(0)
    transition = rng.normal(size=(4, 4))
    transition[0, 2] = -1e9
    problem = ChainProblem(rng.normal(size=(9, 4)), transition, factors=[Table([[0], [9]], [[0.3]])])
    result = gl.solve(problem, "split-bound", k=5)
    assert result.proved
    assert result.verify(problem)


@given(rng=generators())
def test_lists_are_those_of_enumeration(rng):
    size = 10.0 ** rng.integers(0, 12)
    transition = size * rng.integers(-1, 2, (2, 2)) / 3.0 + rng.normal(size=(2, 2))
    problem = ChainProblem(
        rng.normal(size=(3, 2)), transition, factors=[Table([[0], [5]], [[float(rng.normal())]])]
    )
    result = gl.solve(problem, "split-bound", k=3)
    best = sorted((problem.value(found.structure) for found in feasible_structures(problem)), reverse=True)
    values = [solution.value for solution in result.solutions]
    assert values == pytest.approx(best[:3], rel=1e-8, abs=1e-8 if result.proved else 1e-14 * size)
