"""The reduction of MaxCRS: optima of one are optima of the other (Blanco et al. 2013, lemma 1)."""

import itertools

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

from gapless import InvalidProblem
from gapless_linking.max_crs import from_max_crs


@pytest.mark.parametrize("largest", [0, 1, 5])
@examples(15)
@given(rng=generators())
def test_costs_and_capacities_add_up(rng, largest):
    """For every choice, so for the best; capacities that are all 0 do not make edges of length 0."""
    k = int(rng.integers(1, 5))
    sets = np.split(rng.permutation(12), np.sort(rng.choice(np.arange(1, 12), k, replace=False)))[:k]
    half = np.triu(rng.integers(0, largest + 1, (12, 12)) / 2, 1)
    capacity = half + half.T
    reduced = from_max_crs(sets, capacity)
    values, capacities = [], []
    for choice in itertools.product(*(members.tolist() for members in sets)):
        total = sum(capacity[x, y] for x, y in itertools.permutations(choice, 2))
        structure = np.array(choice)
        assert reduced.capacity_of(structure) == pytest.approx(total)
        values.append(reduced.problem.value(structure))
        capacities.append(total)
    assert k * (k - 1) * reduced.alpha - min(values) == pytest.approx(max(capacities))
    assert capacities[int(np.argmin(values))] == max(capacities)
    assert reduced.alpha > 0


def test_edges_are_shortest_paths():
    """No detour is shorter, however the capacities lie."""
    rng = np.random.default_rng(0)
    half = np.triu(rng.integers(0, 9, (8, 8)).astype(float), 1)
    capacity = half + half.T
    reduced = from_max_crs([[0, 1, 2], [3, 4, 5], [6, 7]], capacity)
    far = reduced.problem.lengths()
    owner = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    between = owner[:, None] != owner[None, :]
    np.testing.assert_array_equal(far[between], (reduced.alpha - capacity)[between])


@pytest.mark.parametrize(
    ("sets", "capacity", "said"),
    [
        ([[0], [0]], np.zeros((2, 2)), "disjoint"),
        ([[0], [2]], np.zeros((2, 2)), "not among the 2 rows"),
        ([[0], [1]], [[0, 1], [2, 0]], "the same both ways"),
        ([[0], [1]], [[0, -1], [-1, 0]], "at least 0"),
        ([[0], [1]], [[0, np.nan], [np.nan, 0]], "finite"),
        ([[0], [1]], np.zeros((2, 3)), "as many rows"),
    ],
)
def test_what_is_no_instance_is_refused(sets, capacity, said):
    with pytest.raises(InvalidProblem, match=said):
        from_max_crs(sets, capacity)
