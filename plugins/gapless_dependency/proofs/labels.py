"""Bounds on labelled trees for verifiers: the best label of each arc, then the verifier's bounds on trees."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.sparse import FloatArray
from gapless.roles import Fixings, spend_work
from gapless_dependency.labelled_arcs import LabelledArcs

Bounds = Callable[..., tuple[float, FloatArray]]
"""From weights [head, modifier] to a bound on all trees, and on those with each arc."""

_ROUNDING = 2.0**-50


def labelled_bounds(arcs: LabelledArcs, bounds: Bounds, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
    """Bounds with each labelled arc on and off.

    A word has one head with one label: with a labelled arc off, the best of the word's others counts.

    Parameters
    ----------
    arcs : LabelledArcs
    bounds : callable
        Of the trees without labels.
    weights : float64 (decisions,)
        Finite.
    fixings : Fixings
        With what they imply.
    """
    spend_work(20.0 * weights.size, 40)
    open_ones = fixings.state != 0
    top = np.full(arcs.arcs.count, -np.inf)
    np.maximum.at(top, arcs.arc[open_ones], weights[open_ones])
    matrix = np.full((arcs.length + 1, arcs.length + 1), -np.inf)
    matrix[arcs.arcs.heads, arcs.arcs.modifiers] = top
    best, through = bounds(matrix)
    if best == -math.inf:
        nothing = np.full(weights.size, -np.inf)
        return CheckedBounds(-math.inf, nothing, nothing)
    on = np.full(weights.size, -np.inf)
    open_ids = np.flatnonzero(open_ones)
    best_label, with_arc = top[arcs.arc[open_ids]], through[arcs.heads[open_ids], arcs.modifiers[open_ids]]
    own = weights[open_ids]
    lost = _ROUNDING * (np.where(np.isfinite(with_arc), np.abs(with_arc), 0.0) + np.abs(best_label) + np.abs(own))
    # The best label is the arc's own bound, without a difference.
    on[open_ids] = np.where(own == best_label, with_arc, with_arc - best_label + own + lost)
    off = np.full(weights.size, -np.inf)
    for start, stop in zip(arcs.first[1:-1].tolist(), arcs.first[2:].tolist(), strict=True):
        if stop - start > 1:
            first = start + int(on[start:stop].argmax())
            off[start:stop] = on[first]
            off[first] = np.delete(on[start:stop], first - start).max()
    return CheckedBounds(best, on, off)
