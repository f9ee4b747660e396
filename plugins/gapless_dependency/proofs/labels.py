"""Bounds on labelled trees for verifiers: the best label of each arc, then the verifier's bounds on trees."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.roles import Fixings, charge_work
from gapless_dependency.arcs import LabelledArcs

Bounds = Callable[..., tuple[float, FloatArray]]
"""From weights [head, modifier] to a bound on all trees, and on those with each arc."""

# Eight times the unit roundoff 2^-53: more than the three operations below can lose.
_ROUNDING = 2.0**-50


def labelled_bounds(arcs: LabelledArcs, bounds: Bounds, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
    """Bound the trees with each labelled arc on, and off.

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
    charge_work(20.0 * weights.size, 40)
    open_mask = fixings.state != 0
    top = np.full(arcs.arcs.count, -np.inf)
    np.maximum.at(top, arcs.arc[open_mask], weights[open_mask])
    matrix = np.full((arcs.length + 1, arcs.length + 1), -np.inf)
    matrix[arcs.arcs.heads, arcs.arcs.modifiers] = top
    best, through = bounds(matrix)
    if best == -math.inf:
        infeasible = np.full(weights.size, -np.inf)
        return CheckedBounds(-math.inf, infeasible, infeasible)
    on = np.full(weights.size, -np.inf)
    open_ids = np.flatnonzero(open_mask)
    best_label, with_arc = top[arcs.arc[open_ids]], through[arcs.heads[open_ids], arcs.modifiers[open_ids]]
    own = weights[open_ids]
    lost = _ROUNDING * (np.where(np.isfinite(with_arc), np.abs(with_arc), 0.0) + np.abs(best_label) + np.abs(own))
    # With its best label a tree has the bound of the arc: no difference, so no rounding.
    on[open_ids] = np.where(own == best_label, with_arc, with_arc - best_label + own + lost)
    off = np.full(weights.size, -np.inf)
    for start, stop in zip(arcs.first[1:-1].tolist(), arcs.first[2:].tolist(), strict=True):
        if stop - start > 1:
            first = start + int(on[start:stop].argmax())
            # A word has exactly one labelled arc: without this one, it has the best of its others.
            off[start:stop] = on[first]
            off[first] = np.delete(on[start:stop], first - start).max()
    return CheckedBounds(best, on, off)
