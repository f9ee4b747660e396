"""Weights around a structure: what each decision is worth beside the others of it (section 3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.core.decisions import OFF
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.ascent import Ascent
from gapless.engine.split_bound import SplitBound


def weights_around(
    bound: SplitBound[Any], ascent: Ascent[Any], on_ids: IntArray, most: float, *, paper: bool = False
) -> FloatArray:
    """Weights under which to look for a better structure than a given one, float64 (decisions,)."""
    if paper:
        return lower_bound_weights(bound, on_ids)
    on = bound.mask(on_ids)
    if any(factor.value(on[factor.scope]) == -np.inf for factor in bound.factors):
        return consulted(bound, ascent, on_ids, most)
    return linearised(bound, on_ids, most)


def linearised(bound: SplitBound[Any], on_ids: IntArray, most: float) -> FloatArray:
    """Weights under which the best structure is likely to be better than the given one, float64 (decisions,).

    Every scope is worth its score to a decision whose companions in it are all on; scopes that lack more say
    nothing. Any other factor adds what turning the decision alone would change, `most` at most.
    """
    weights, on = bound.layout.base.copy(), bound.mask(on_ids)
    for star in bound.layout.stars:
        mine = int(np.flatnonzero(on[star.uppers])[0])
        weights[star.lowers] += star.scores[mine]
        weights[star.uppers] += star.scores[:, on[star.lowers]].sum(axis=1)
    for shared in bound.layout.shared:
        inside = on[shared.decisions]
        others = inside.sum(axis=1, keepdims=True) - inside
        worth = np.where(others == inside.shape[1] - 1, shared.scores[:, None], 0.0)
        np.add.at(weights, shared.decisions, worth)
    for factor in bound.factors:
        y = on[factor.scope]
        difference = factor.flips(y)
        weights[factor.scope] += np.clip(np.where(y, -difference, difference), -most, most)
    return weights


def consulted(bound: SplitBound[Any], ascent: Ascent[Any], on_ids: IntArray, most: float) -> FloatArray:
    """Weights for a structure that no factor forbids: those of the bound, and `most` for what a factor wants.

    That is the configuration of each factor which forbids the structure found, float64 (decisions,).
    """
    weights, on = ascent.weights.copy(), bound.mask(on_ids)
    for factor, price in bound.prices(ascent.multipliers):
        if factor.value(on[factor.scope]) == -np.inf:
            y = factor.maximise(price, ascent.fixings.state)[1]
            weights[factor.scope] += np.where(y, most, -most)
    return weights


def insisted(
    bound: SplitBound[Any], ascent: Ascent[Any], on_ids: IntArray, gains: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Weights for a structure near the bound's that factors agree to, float64 (decisions,), and what they name.

    Each factor that differs from the bound's structure, `on_ids`, names the configuration that is best by `gains`;
    the weights are those of the bound, and more than any for that. What is named to be on: bool (decisions,).
    """
    weights, on = ascent.weights.copy(), bound.mask(on_ids)
    state, most, named = ascent.fixings.state, insistence(ascent), np.zeros(on.size, bool)
    for factor, price in bound.prices(ascent.multipliers):
        if factor.misses(price, on[factor.scope], state) > 0.0:
            value, y = factor.maximise(price - np.maximum(gains[factor.scope], -most), state)
            if value > -np.inf:
                weights[factor.scope] += np.where(y, most, -most)
                named[factor.scope] |= y
    return weights, named


def insistence(ascent: Ascent[Any]) -> float:
    """More than any weight of a decision."""
    weights = ascent.weights[(ascent.fixings.state != OFF) & np.isfinite(ascent.weights)]
    return 4.0 * max(0.25, float(np.abs(weights).max(initial=0.0)))


def preferences(bound: SplitBound[Any], ascent: Ascent[Any]) -> FloatArray:
    """Gain of the bound by each decision over the bound without it, float64 (decisions,); within limits."""
    most = insistence(ascent)
    _, with_it, without = ascent.flips()
    off, group = without.copy(), bound.groups.of
    grouped = np.flatnonzero(group >= 0)
    if grouped.size:
        first, second = np.full((2, group.max() + 1), -np.inf)
        through = np.where(ascent.fixings.state == OFF, -np.inf, with_it)[grouped]
        np.maximum.at(first, group[grouped], through)
        top = through == first[group[grouped]]
        np.maximum.at(second, group[grouped], np.where(top, -np.inf, through))
        tied = np.bincount(group[grouped][top], minlength=first.size) > 1
        off[grouped] = np.where(top, np.where(tied, first, second)[group[grouped]], first[group[grouped]])
    with np.errstate(invalid="ignore"):
        gains: FloatArray = with_it - off
    return np.where(np.isnan(gains), 0.0, np.clip(gains, -most, most))


def lower_bound_weights(bound: SplitBound[Any], on_ids: IntArray) -> FloatArray:
    """The paper's pi(p, z) for the best p at a structure, float64 (decisions,).

    A positive score counts where all decisions of its scope are on; a negative one is charged to one that is off.
    """
    weights, on = bound.layout.base.copy(), bound.mask(on_ids)
    for shared in bound.layout.shared:
        inside, rows = on[shared.decisions], np.arange(len(shared.scores))
        whole = inside.all(axis=1, keepdims=True) & (shared.scores > 0)[:, None]
        np.add.at(weights, shared.decisions, np.where(whole, shared.scores[:, None], 0.0))
        last = np.where(inside.all(axis=1), 0, inside.shape[1] - 1 - np.argmin(inside[:, ::-1], axis=1))
        np.add.at(weights, shared.decisions[rows, last], np.minimum(shared.scores, 0.0))
    return weights
