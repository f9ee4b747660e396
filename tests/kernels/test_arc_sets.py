"""Arcs, sets of arcs and their scores: compiled code and its twin agree bit by bit, and refuse the same."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given
from kernel_versions import needs_compiled, versions

pytestmark = needs_compiled
twin, compiled = versions("parsing._arc_sets")
FIRING = versions("search._firing")


def drawn_arcs(rng):
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
def test_arc_sets_twins_agree(rng, chained):
    heads, modifiers, index, first = drawn_arcs(rng)
    width = int(rng.integers(1, 4))
    name, arguments = (
        ("arc_chains", (heads, modifiers, first)) if chained else ("arcs_of_one_head", (heads, modifiers))
    )
    sets, expected = (getattr(version, name)(*arguments, width) for version in (compiled, twin))
    assert np.array_equal(sets, expected)
    positions = compiled.part_positions(sets, heads, modifiers, chained)
    assert np.array_equal(positions, twin.part_positions(sets, heads, modifiers, chained))
    table = np.array(rng.normal(size=(len(index),) * (width + 1)))
    table[rng.random(table.shape) < 0.1] = rng.choice([-np.inf, np.nan, np.inf, 5.0])
    ours, theirs = (
        version.part_scores(table, sets, heads, modifiers, chained, 4.0) for version in (compiled, twin)
    )
    assert np.array_equal(ours[0], theirs[0], equal_nan=True)
    assert ours[1] == theirs[1]
    on = np.array(rng.random(heads.size)) < 0.6
    ascending = bool(np.all(np.diff(sets[:, -1]) >= 0))
    for sorted_by_last in {False, ascending}:
        assert np.array_equal(FIRING[1].firing(sets, on, sorted_by_last), FIRING[0].firing(sets, on))


def test_arc_sets_refuse_numbers_out_of_bounds():
    heads, modifiers, first = np.array([0, 0]), np.array([1, 2]), np.array([0, 0, 1, 2])
    for version in (compiled, twin):
        with pytest.raises(ValueError, match=r"arc_sets must name arcs in 0\.\.1"):
            version.part_positions(np.array([[0, 2]]), heads, modifiers, True)
        with pytest.raises(ValueError, match=r"heads must be in 0\.\.2"):
            version.arc_chains(np.array([0, 7]), modifiers, first, 2)
        with pytest.raises(ValueError, match="at least 1"):
            version.arcs_of_one_head(heads, modifiers, 0)
        with pytest.raises(ValueError, match="shape"):
            version.part_scores(np.zeros((3, 3)), np.array([[0, 1]]), heads, modifiers, False, 1.0)
    for version in FIRING:
        with pytest.raises(ValueError, match="names"):
            version.firing(np.array([[0, 9]]), np.ones(2, bool))
