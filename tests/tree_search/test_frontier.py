"""The order in which nodes leave the frontier, and its bound."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

from gapless.roles import Fixings, NoCertificate
from gapless.tree_search.frontier import Frontier, OpenNode


def node(number, bound, depth):
    return OpenNode(number, Fixings.none(1), bound, NoCertificate(), depth)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("best-first", [2, 3, 1, 0]), ("depth-first", [3, 1, 2, 0]), ("breadth-first", [0, 1, 2, 3])],
)
def test_order(order, expected):
    frontier = Frontier(order)
    frontier.push([node(0, 1.0, 0), node(1, 2.0, 1), node(2, 5.0, 1), node(3, 2.0, 2)])
    assert [frontier.pop().number for _ in range(4)] == expected
    assert len(frontier) == 0
    assert frontier.bound() == -np.inf


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
@examples(10)
@given(rng=generators())
def test_bound_is_the_largest_open_one_whatever_comes_and_goes(rng, order):
    frontier, number = Frontier(order), 0
    for _ in range(rng.integers(1, 101)):
        if len(frontier) == 0 or rng.random() < 0.5:
            frontier.push([node(number + i, float(rng.integers(5)), int(rng.integers(4))) for i in range(2)])
            number += 2
        else:
            taken = frontier.pop()
            if rng.random() < 0.3:
                taken.bound -= 1.0
                frontier.push([taken])
        assert frontier.bound() == max((n.bound for n in frontier), default=-np.inf)
