"""Lawler's partition over a search that enumerates, against sorting: with ties and forbidden structures."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapless import Stop
from gapless.tree_search import KBestPool, SubspaceOptimum, lawler, partition
from gapless.tree_search.lawler import flips


class Choices:
    """One of each group, worth a number that is drawn for each combination; minus infinity forbids."""

    def __init__(self, sizes, values):
        self.group_index = np.repeat(np.arange(len(sizes)), sizes)
        first = np.cumsum([0, *sizes[:-1]])
        combinations = itertools.product(*(range(f, f + size) for f, size in zip(first, sizes, strict=True)))
        self.values = {on: values[number % len(values)] for number, on in enumerate(combinations)}
        self.searched = []

    def best_of(self, kept):
        self.searched.append(kept)
        left = [on for on in self.values if kept[list(on)].all()]
        return max(left, key=self.values.get)

    def k_best(self, k, order=lambda on: on):
        best = KBestPool(k)

        def search(kept):
            on = self.best_of(kept)
            score = self.values[on]
            if not score > best.threshold:
                return None, Stop.PROVED
            best.enter(np.array(on).tobytes(), score, on)
            return SubspaceOptimum(kept, on, score), Stop.PROVED

        first, _ = search(np.ones(self.group_index.size, bool))
        if first is None:
            return []
        stop = lawler(
            best,
            first,
            lambda part: (kept for _, kept in partition(part.allowed, order(part.structure), self.group_index)),
            search,
        )
        assert stop is Stop.PROVED
        return best.ranked


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=40),
    st.integers(1, 12),
    st.booleans(),
)
def test_the_k_best_are_those_of_sorting(sizes, values, k, backwards):
    choices = Choices(sizes, values)
    ranked = choices.k_best(k, (lambda on: on[::-1]) if backwards else (lambda on: on))
    expected = sorted((v for v in choices.values.values() if v > -np.inf), reverse=True)[:k]
    assert [choices.values[on] for on in ranked] == expected
    assert len(set(ranked)) == len(ranked)


def test_a_partition_holds_every_other_structure_once():
    choices = Choices([2, 3, 2], [1.0])
    kept = np.ones(7, bool)
    chosen = (0, 3, 6)
    parts = list(partition(kept, chosen, choices.group_index))
    for on in choices.values:
        holding = [decision for decision, part in parts if part[list(on)].all()]
        assert len(holding) == (on != chosen)


def test_a_part_that_has_nothing_to_choose_is_left_out():
    assert [
        decision for decision, _ in partition(np.array([True, False, True, True]), (0, 2), np.array([0, 0, 1, 1]))
    ] == [2]


@pytest.mark.parametrize("ended", [Stop.TIME, Stop.INTERRUPTED])
def test_a_search_that_ends_early_ends_all(ended):
    best = KBestPool(3)
    best.enter(b"0", 1.0, 0)
    calls = []

    def search(kept):
        calls.append(kept)
        return None, ended

    kept = np.ones(4, bool)
    assert lawler(best, SubspaceOptimum(kept, 0, 1.0), lambda part: [kept, kept], search) is ended
    assert len(calls) == 1


def test_rounding_in_one_part_is_reported_at_the_end():
    best = KBestPool(3)
    best.enter(b"0", 1.0, 0)
    ends = iter([Stop.RELAXED, Stop.PROVED])
    kept = np.ones(4, bool)
    assert (
        lawler(best, SubspaceOptimum(kept, 0, 1.0), lambda part: [kept, kept], lambda _: (None, next(ends)))
        is Stop.RELAXED
    )


def test_a_bound_that_closes_is_not_searched():
    best = KBestPool(2)
    best.enter(b"0", 1.0, 0)
    kept = np.ones(2, bool)
    assert (
        lawler(
            best, SubspaceOptimum(kept, 0, 1.0), lambda part: [kept], lambda _: 1 / 0, lambda bound: bound <= 1.0
        )
        is Stop.PROVED
    )


def test_flips_hold_every_other_point_once():
    literals = [(3, True), (5, False), (6, True)]
    *parts, itself = flips(literals)
    assert itself == ([3, 6], [5])
    for values in itertools.product([True, False], repeat=3):
        point = dict(zip((3, 5, 6), values, strict=True))
        fitting = [on for on, off in parts if all(point[d] for d in on) and not any(point[d] for d in off)]
        assert len(fitting) == (point != dict(literals))
