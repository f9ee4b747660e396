"""The readable search against enumeration, with and without compiled kernels."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given
from listed import Listed, blocks_of_any_width, draw_groups, draw_tables

from gapless.search.reference_search import GAP, PROVED, STEPS, TARGET, ReferenceSearch

ORDERS = ("best-first", "depth-first", "breadth-first")


def drawn(rng, *, ties=False):
    count, first, members = draw_groups(rng)
    maximiser = Listed(count, first, members)
    base, blocks, factors = rng.normal(size=count), blocks_of_any_width(rng, count), draw_tables(rng, count)
    if ties:
        base, blocks = np.round(base), [(scopes, np.round(scores)) for scopes, scores in blocks]
    total = np.array([base[row].sum() for row in maximiser.rows])
    for scopes, scores in blocks:
        total += maximiser.rows[:, scopes].all(axis=2) @ scores
    for scope, factor in factors:
        total = total + np.array([factor.value(row[scope]) for row in maximiser.rows])
    given = {"group_first": first, "groups": members, "factors": factors}
    return maximiser, base, blocks, given, total


@pytest.mark.parametrize("ties", [False, True])
@examples(60)
@given(rng=generators())
def test_optimum_and_bounds(rng, ties):
    maximiser, base, blocks, given_, total = drawn(rng, ties=ties)
    how = {"order": ORDERS[int(rng.integers(3))], "choices": int(rng.choice([0, 8, 1 << 14]))}
    search = ReferenceSearch(maximiser, base, blocks, **given_, **how)
    best = total.max()
    while search.advance(steps=1) == STEPS:
        assert search.bound >= best - 1e-7
        assert search.step_bound >= best - 1e-7 or search.nodes > 1
    assert search.status == PROVED
    assert search.value == pytest.approx(best, abs=1e-7) or search.value == best
    if best > -np.inf:
        row = np.isin(np.arange(len(base)), search.on)
        assert total[(maximiser.rows == row).all(axis=1)][0] == pytest.approx(best, abs=1e-7)


def test_limits_between_nodes_and_events():
    reached = set()
    for seed in range(40):
        maximiser, base, blocks, given_, total = drawn(np.random.default_rng(seed))
        search = ReferenceSearch(maximiser, base, blocks, events="nodes", choices=0, **given_)
        reached.add(search.advance(target=total.max() - 1e-9))
        search.advance(gap=0.5)
        assert search.value <= total.max() + 1e-9
        reached.add(search.advance(gap=0.5))
        assert search.advance() == PROVED
        assert len(search.events()) == search.nodes
    assert {TARGET, GAP} <= reached
