"""Weights of the primal heuristic: each decision scored next to a structure (Qian and Liu 2013, section 3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import OFF
from gapless.search.dual_descent import DualDescent
from gapless.search.split_bound import SplitBound


def improvement_weights(
    bound: SplitBound[Any], ascent: DualDescent[Any], on_ids: IntArray, limit: float, *, paper: bool = False
) -> FloatArray:
    """Return weights whose best structure may improve on a given one, float64 (decisions,)."""
    if paper:
        return lower_bound_weights(bound, on_ids)
    on = bound.mask(on_ids)
    if any(factor.value(on[factor.scope]) == -np.inf for factor in bound.factors):
        return factor_marginal_weights(bound, ascent, on_ids, limit)
    return linearised(bound, on_ids, limit)


def linearised(bound: SplitBound[Any], on_ids: IntArray, limit: float) -> FloatArray:
    """Linearise the score around a structure, float64 (decisions,).

    A scope adds its score to each decision whose companions are all on, and nothing if more decisions are missing.
    A configuration factor adds the change of its score if the decision alone is flipped, within `limit`.
    """
    weights, on = bound.layout.base.copy(), bound.mask(on_ids)
    for star in bound.layout.stars:
        # A structure has exactly one decision of the group on.
        row = int(np.flatnonzero(on[star.row_decisions])[0])
        weights[star.column_decisions] += star.scores[row]
        weights[star.row_decisions] += star.scores[:, on[star.column_decisions]].sum(axis=1)
    for shared in bound.layout.shared:
        inside = on[shared.decisions]
        companions = inside.sum(axis=1, keepdims=True) - inside
        changes = np.where(companions == inside.shape[1] - 1, shared.scores[:, None], 0.0)
        np.add.at(weights, shared.decisions, changes)
    for factor in bound.factors:
        y = on[factor.scope]
        difference = factor.flips(y)
        weights[factor.scope] += np.clip(np.where(y, -difference, difference), -limit, limit)
    return weights


def factor_marginal_weights(
    bound: SplitBound[Any], ascent: DualDescent[Any], on_ids: IntArray, limit: float
) -> FloatArray:
    """Return weights toward a structure that no factor forbids, float64 (decisions,).

    These are the weights of the bound, with `limit` for the best configuration of each factor that forbids the
    present structure.
    """
    weights, on = ascent.weights.copy(), bound.mask(on_ids)
    for factor, price in bound.prices(ascent.multipliers):
        if factor.value(on[factor.scope]) == -np.inf:
            y = factor.maximise(price, ascent.fixings.state)[1]
            weights[factor.scope] += np.where(y, limit, -limit)
    return weights


def factor_target_weights(
    bound: SplitBound[Any], ascent: DualDescent[Any], on_ids: IntArray, gains: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return weights toward a structure near the bound's that suits all factors, and the targeted decisions.

    Each factor that differs from the bound's structure `on_ids` targets the configuration that loses least by
    `gains`. The weights are those of the bound, with dominating ones for the targets, float64 (decisions,); the
    decisions targeted to be on are bool (decisions,).
    """
    weights, on = ascent.weights.copy(), bound.mask(on_ids)
    state, dominating, targets = ascent.fixings.state, dominating_weight(ascent), np.zeros(on.size, bool)
    for factor, price in bound.prices(ascent.multipliers):
        if factor.misses(price, on[factor.scope], state) > 0.0:
            value, y = factor.maximise(price - np.maximum(gains[factor.scope], -dominating), state)
            if value > -np.inf:
                weights[factor.scope] += np.where(y, dominating, -dominating)
                targets[factor.scope] |= y
    return weights, targets


def dominating_weight(ascent: DualDescent[Any]) -> float:
    """Return a weight that dominates the weight of every decision that is still possible."""
    weights = ascent.weights[(ascent.fixings.state != OFF) & np.isfinite(ascent.weights)]
    # At least 1, so that it also dominates if all weights are 0.
    return 4.0 * max(0.25, float(np.abs(weights).max(initial=0.0)))


def max_marginal_gaps(bound: SplitBound[Any], ascent: DualDescent[Any]) -> FloatArray:
    """Return the difference of the bounds with each decision on and off, clipped, float64 (decisions,)."""
    limit = dominating_weight(ascent)
    _, with_it, without = ascent.flips()
    off, group = without.copy(), bound.groups.of
    grouped = np.flatnonzero(group >= 0)
    if grouped.size:
        # A grouped decision is off exactly if another of its group is on: its bound is the best of the others.
        first, second = np.full((2, group.max() + 1), -np.inf)
        through = np.where(ascent.fixings.state == OFF, -np.inf, with_it)[grouped]
        np.maximum.at(first, group[grouped], through)
        top = through == first[group[grouped]]
        np.maximum.at(second, group[grouped], np.where(top, -np.inf, through))
        tied = np.bincount(group[grouped][top], minlength=first.size) > 1
        off[grouped] = np.where(top, np.where(tied, first, second)[group[grouped]], first[group[grouped]])
    # The difference is NaN for a decision that is possible neither on nor off.
    with np.errstate(invalid="ignore"):
        gains: FloatArray = with_it - off
    return np.where(np.isnan(gains), 0.0, np.clip(gains, -limit, limit))


def lower_bound_weights(bound: SplitBound[Any], on_ids: IntArray) -> FloatArray:
    """Return the paper's pi(p, z) for the best p at a structure, float64 (decisions,).

    A positive score counts if all decisions of its scope are on; a negative one is charged to a decision that is
    off.
    """
    weights, on = bound.layout.base.copy(), bound.mask(on_ids)
    for shared in bound.layout.shared:
        inside, rows = on[shared.decisions], np.arange(len(shared.scores))
        fires = inside.all(axis=1, keepdims=True) & (shared.scores > 0)[:, None]
        np.add.at(weights, shared.decisions, np.where(fires, shared.scores[:, None], 0.0))
        # Any decision that is off can take the charge; the last one does. If all are on, the first slot does.
        last = np.where(inside.all(axis=1), 0, inside.shape[1] - 1 - np.argmin(inside[:, ::-1], axis=1))
        np.add.at(weights, shared.decisions[rows, last], np.minimum(shared.scores, 0.0))
    return weights
