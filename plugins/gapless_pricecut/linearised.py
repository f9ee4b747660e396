"""Arc scores in which a given tree is worth what it scores: pi(p, z) with p best for z (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_dependency import ParsingProblem


class ScoredScopes(Protocol):
    """Scopes with scores, or with estimates of them."""

    @property
    def arcs(self) -> IntArray:
        """The arcs of each scope, (m, width)."""

    @property
    def scores(self) -> FloatArray:
        """(m,)."""

    @property
    def possible(self) -> BoolArray:
        """False where no tree holds all arcs of a scope, (m,)."""


class Scored(Protocol):
    """A problem and its scopes; `gapless_splitbound.SplitMultipliers` is one."""

    @property
    def problem(self) -> ParsingProblem:
        """Its arcs have scores of their own."""

    @property
    def blocks(self) -> Sequence[ScoredScopes]:
        """The scopes of each factor."""

    @property
    def loss(self) -> float:
        """Finite loss for a score of -inf."""


def linearised(split: Scored, on_ids: IntArray) -> FloatArray:
    """Arc weights around a tree, float64 (arcs,).

    A scope that fires gives each of its arcs an even share of its score; one that lacks a single arc offers it the
    whole. Scopes that lack more say nothing, nor do factors that are no conjunctions.
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
