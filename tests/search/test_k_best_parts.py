"""The k best of problems with decisions that are barred: no part that turns one on is ever searched."""

import math

import numpy as np
import pytest

import gapless as gl
from gapless.roles import Backbone, Conjunctions, Decisions, Maximiser, MaxMarginals, Optimum
from gapless.testing import enumerate_best
from gapless.tree_search import partition
from gapless_ordering import OrderingProblem

FREE, OFF, ON = -1, 0, 1


class AnySet(Maximiser):
    """All decisions that are worth it."""

    def solve(self, weights, fixings):
        state = fixings.state
        if (weights[state == ON] == -math.inf).any():
            return Optimum(-math.inf, np.zeros(0, np.int64))
        on_ids = np.flatnonzero((state == ON) | ((state == FREE) & (weights > 0)))
        return Optimum(float(weights[on_ids].sum()), on_ids)

    def max_marginals(self, weights, fixings):
        free = fixings.state == FREE
        on = np.where(free, np.maximum(-weights, 0), np.where(fixings.state == ON, 0, math.inf))
        off = np.where(free, np.maximum(weights, 0), np.where(fixings.state == ON, math.inf, 0))
        return MaxMarginals(on, off)


class Sets(gl.Problem):
    """Subsets of weighted decisions without any choice group."""

    decisions = None

    def __init__(self, weights, factors=()):
        self.weights, self.factors = np.array(weights, float), factors
        self.decisions = Decisions(self.weights.size)

    def value(self, structure):
        return float(self.weights[list(structure)].sum()) + self.factor_value(structure)

    def violations(self, structure):
        barred = [f"{d} is barred" for d in structure if self.weights[d] == -math.inf]
        return barred or self.factor_violations(structure)

    def encode(self, structure):
        return np.array(structure, np.int64)

    def decode(self, on_ids):
        return tuple(np.sort(on_ids).tolist())

    def backbone(self):
        return Backbone(AnySet(), self.weights)


def listed(problem, k):
    result = gl.solve(problem, "split-bound", k=k)
    assert result.proved
    assert result.verify(problem)
    return [solution.value for solution in result.solutions]


@pytest.mark.parametrize("factors", [(), (Conjunctions([[1, 2]], [-1.0]),)])
@pytest.mark.parametrize("k", [1, 3, 4, 9])
def test_a_barred_decision_without_a_group(factors, k):
    problem = Sets([-math.inf, 1.0, 2.0], factors)
    assert listed(problem, k) == [solution.value for solution in enumerate_best(problem, k)]


@pytest.mark.parametrize("k", [1, 3, 10])
def test_a_forbidden_transition_of_an_ordering(k):
    ordering = np.zeros((3, 3))
    ordering[0, 1] = -math.inf
    problem = OrderingProblem([1.0, 2, 3], ordering, [0.0] * 3, 2, factors=[Conjunctions([[0, 1]], [0.5])])
    assert listed(problem, k) == [solution.value for solution in enumerate_best(problem, k)]


def test_parts_never_turn_on_what_is_off():
    state = np.array([OFF, FREE, FREE], np.int8)
    parts = [part.tolist() for _, part in partition(state, [1, 2], np.full(3, -1))]
    assert parts == [[OFF, OFF, FREE], [OFF, ON, OFF]]
