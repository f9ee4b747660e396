"""Arcs, sets of arcs and their scores: compiled code and its twin agree bit by bit, and refuse the same."""

from typing import Any

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

import gapless_kernels
from gapless_kernels.parsing import _arc_sets_twin as twin
from gapless_kernels.search import _firing_twin

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
if gapless_kernels.COMPILED:
    from gapless_kernels.parsing import _arc_sets as compiled
    from gapless_kernels.search import _firing


def drawn_arcs(rng: Any) -> tuple[np.ndarray, ...]:
    size = int(rng.integers(2, 7))
    candidates = np.array(rng.random((size, size))) < 0.7
    np.fill_diagonal(candidates, False)
    candidates[:, 0] = False
    ours, theirs = compiled.candidate_arcs(candidates), twin.candidate_arcs(candidates)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
        assert b.flags.c_contiguous  # as the others take them
    return ours


@pytest.mark.parametrize("chained", [True, False])
@given(rng=generators())
def test_sets_positions_and_scores_are_the_twins(rng: Any, chained: bool) -> None:
    heads, modifiers, index, first = drawn_arcs(rng)
    width = int(rng.integers(1, 4))
    if chained:
        sets = compiled.arc_chains(heads, modifiers, first, width)
        assert np.array_equal(sets, twin.arc_chains(heads, modifiers, first, width))
    else:
        sets = compiled.arcs_of_one_head(heads, modifiers, width)
        assert np.array_equal(sets, twin.arcs_of_one_head(heads, modifiers, width))
    positions = compiled.part_positions(sets, heads, modifiers, chained)
    assert np.array_equal(positions, twin.part_positions(sets, heads, modifiers, chained))
    table = np.array(rng.normal(size=(len(index),) * (width + 1)))
    table[rng.random(table.shape) < 0.1] = rng.choice([-np.inf, np.nan, np.inf, 5.0])
    ours, theirs = (one.part_scores(table, sets, heads, modifiers, chained, 4.0) for one in (compiled, twin))
    assert np.array_equal(ours[0], theirs[0], equal_nan=True)
    assert ours[1] == theirs[1]
    on = np.array(rng.random(heads.size)) < 0.6
    ascending = bool(np.all(np.diff(sets[:, -1]) >= 0))
    for sorted_by_last in {False, ascending}:
        assert np.array_equal(_firing.firing(sets, on, sorted_by_last), _firing_twin.firing(sets, on))


def test_what_is_out_of_bounds_is_refused() -> None:
    heads, modifiers, first = np.array([0, 0]), np.array([1, 2]), np.array([0, 0, 1, 2])
    for one in (compiled, twin):
        with pytest.raises(ValueError, match=r"arc_sets must name arcs in 0\.\.1"):
            one.part_positions(np.array([[0, 2]]), heads, modifiers, True)
        with pytest.raises(ValueError, match=r"heads must be in 0\.\.2"):
            one.arc_chains(np.array([0, 7]), modifiers, first, 2)
        with pytest.raises(ValueError, match="at least 1"):
            one.arcs_of_one_head(heads, modifiers, 0)
        with pytest.raises(ValueError, match="shape"):
            one.part_scores(np.zeros((3, 3)), np.array([[0, 1]]), heads, modifiers, False, 1.0)
    for firing in (_firing.firing, _firing_twin.firing):
        with pytest.raises(ValueError, match="names"):
            firing(np.array([[0, 9]]), np.ones(2, bool))
