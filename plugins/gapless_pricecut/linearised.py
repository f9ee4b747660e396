"""Arc scores that are exact for a given tree: pi(p, z) with p best for z (Qian and Liu 2013, section 3.3)."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_pricecut.pricing_tables import PricingTables


def linearised(split: PricingTables, on_ids: IntArray) -> FloatArray:
    """Arc weights around a tree, float64 (arcs,).

    A scope that fires gives each of its arcs an even share of its score; a scope that lacks a single arc gives that
    arc the whole score. Scopes that lack more arcs, and configuration factors, contribute nothing.
    """
    weights = split.problem.arc_weights.copy()
    on = np.zeros(weights.size, np.int8)
    on[on_ids] = 1
    for block in split.blocks:
        width = block.arcs.shape[1]
        count = on[block.arcs[:, 0]]
        for column in range(1, width):
            count += on[block.arcs[:, column]]  # much faster than a sum over the short axis
        firing = np.flatnonzero((count == width) & block.possible)
        scores = np.maximum(block.scores[firing], -split.loss)
        np.add.at(weights, block.arcs[firing], scores[:, None] / width)
        near = np.flatnonzero((count == width - 1) & block.possible)
        missing = block.arcs[near, (on[block.arcs[near]] == 0).argmax(axis=1)]
        np.add.at(weights, missing, np.maximum(block.scores[near], -split.loss))
    return weights
