"""Violated cut-sets against all sets of words, and rows of projective trees against the definition."""

import itertools

import numpy as np
from drawn import examples, generators, seeing
from hypothesis import given

from gapless.arrays.tolerance import INTEGRAL
from gapless_dependency import ParsingProblem
from gapless_dependency.enumeration import all_trees
from gapless_pricecut.tree_rows import crossed_rows, violated_sets


def entering(arcs, point, inside):
    return point[inside[arcs.modifiers] & ~inside[arcs.heads]].sum()


def least(arcs, point):
    """The least weight that enters a set of words."""
    n = arcs.length
    sets = (np.array([False, *bits]) for bits in itertools.product([False, True], repeat=n) if any(bits))
    return min(entering(arcs, point, inside) for inside in sets)


def mixture(rng, n):
    """Of head choices, few of them, so that there are whole arcs, cycles and halves."""
    arcs = ParsingProblem(np.zeros((n + 1, n + 1))).decisions
    mixed = np.zeros(arcs.count)
    choices = int(rng.integers(1, 4))
    base = [int(rng.choice([h for h in range(n + 1) if h != m])) for m in range(1, n + 1)]
    for weight in rng.dirichlet(np.ones(choices)):
        for m in range(1, n + 1):
            other = rng.random() < 0.4
            head = int(rng.choice([h for h in range(n + 1) if h != m])) if other else base[m - 1]
            mixed[arcs.index[head, m]] += weight
    return arcs, mixed


@seeing("violated", "not violated")
@examples(120)
@given(rng=generators())
def test_cut_sets_are_found_exactly_when_there_are_some(seen, rng):
    arcs, point = mixture(rng, int(rng.integers(1, 8)))
    sets = violated_sets(arcs, point)
    worst = least(arcs, point)
    assert len(sets) > 0 if worst < 1.0 - 2 * INTEGRAL else worst < 1.0 or not len(sets)
    for inside in sets:
        assert not inside[0]
        assert inside.any()
        assert entering(arcs, point, inside) < 1.0 - INTEGRAL
    assert len({inside.tobytes() for inside in sets}) == len(sets)
    seen["violated" if len(sets) else "not violated"] += 1


@examples(20)
@given(rng=generators())
def test_trees_and_mixtures_of_trees_violate_nothing(rng):
    arcs = ParsingProblem(np.zeros((6, 6))).decisions
    trees = all_trees(5, True, False)
    point = np.zeros(arcs.count)
    for weight in rng.dirichlet(np.ones(3)):
        point[arcs.index[trees[rng.integers(len(trees))], np.arange(1, 6)]] += weight
    assert not len(violated_sets(arcs, point))
    assert not len(crossed_rows(arcs, point))


def test_every_tree_with_crossing_arcs_violates_a_row():
    arcs = ParsingProblem(np.zeros((5, 5))).decisions
    projective = {heads.tobytes() for heads in all_trees(4, True, False)}
    for heads in all_trees(4, False, False):
        point = np.zeros(arcs.count)
        point[arcs.index[heads, np.arange(1, 5)]] = 1.0
        assert (len(crossed_rows(arcs, point)) == 0) == (heads.tobytes() in projective)
