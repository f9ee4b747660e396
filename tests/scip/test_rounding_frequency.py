"""Frequency of a rounding rule: at every node, at every n-th, at the root only."""

import attrs
import pytest
import tiny

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import MostFractional, SolveBudget
from gapless.scip import branch_price_and_cut
from gapless.testing.examples import OptimisticBound, Selection
from gapless.tree_search import tree_search

TREES = (branch_and_price, branch_price_and_cut)


class Counted:
    """A rounding that finds nothing and remembers at how many nodes it was asked."""

    def __init__(self):
        self.points = []

    def __call__(self, relaxed):
        self.points.append(relaxed.point)


def nodes_and_calls(tree, **how):
    problem = stubborn()
    rounding = Counted()
    form = attrs.evolve(tiny.formulation(problem), rounding=rounding, **how)
    worked = []
    budget = SolveBudget(observers=[lambda event: worked.append(event) if event.kind == "node" else None])
    result = tree(problem, form, budget)
    assert result.status is gl.Status.OPTIMAL
    return result, len(worked), rounding.points


def stubborn():
    """Pairs of equal items over odd capacities: half of everything is the LP's answer, node after node."""
    count = 7
    return tiny.Tiny(
        score=[2] * count,
        upper=[1] * count,
        entries=[[2] * count],
        column_side=[-float("inf")],
        upper_side=[count],
        uses=[[int(i == j) for j in range(count)] for i in range(count)],
        weights=[[0] * count],
        limits=[0],
    )


@pytest.mark.parametrize("tree", TREES)
def test_by_default_every_node_with_a_point_is_rounded(tree):
    _, nodes, points = nodes_and_calls(tree)
    assert nodes >= 5
    assert nodes >= len(points) >= nodes // 2


@pytest.mark.parametrize("tree", TREES)
def test_zero_is_the_root_only(tree):
    result, nodes, points = nodes_and_calls(tree, rounding_frequency=0)
    assert nodes >= 5
    assert len(points) == 1
    assert result.value == nodes_and_calls(tree)[0].value


@pytest.mark.parametrize("tree", TREES)
def test_every_nth_node(tree):
    always, _, most = nodes_and_calls(tree)
    for every in (2, 3, 1000):
        result, nodes, points = nodes_and_calls(tree, rounding_frequency=every)
        assert 1 <= len(points) <= -(-nodes // every)
        assert len(points) < len(most)
        assert result.value == always.value


@pytest.mark.parametrize("value", [-1, 1.5, "2", True, None])
def test_another_frequency_is_refused(value):
    problem = stubborn()
    with pytest.raises(gl.InvalidProblem, match="rounding_frequency is"):
        attrs.evolve(tiny.formulation(problem), rounding_frequency=value)


def test_a_search_over_any_relaxation_takes_it():
    problem = Selection([3.0, 3.0, 3.0, 2.0], [[2.0, 2.0, 2.0, 1.0]], [3.0])
    asked = {}
    for every in (1, 0):
        rounding = Counted()
        result = tree_search(
            problem, OptimisticBound(problem), MostFractional(), rounding=rounding, rounding_frequency=every
        )
        asked[every] = len(rounding.points)
        assert result.value == 5.0
    assert asked[0] == 1 < asked[1]
    with pytest.raises(gl.InvalidProblem, match="rounding_frequency"):
        tree_search(problem, OptimisticBound(problem), MostFractional(), rounding_frequency=-2)
