"""Costs of single candidates, from anchors and prior, and costs of pairs as a factor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Decisions, Factor


def unary_costs(anchor_lengths: Iterable[tuple[float, FloatArray]], prior: FloatArray) -> FloatArray:
    """Sum the weighted distances from the anchors and subtract the prior, float64 (N,); inf forbids.

    Parameters
    ----------
    anchor_lengths : pairs of a weight and float64 (N,)
        For each anchor its weight, which is not 0, and its distance from each candidate.
    prior : float64 (N,)
        In units of the cost.
    """
    costs = np.zeros(prior.size)
    for weight, lengths in anchor_lengths:
        # A negative weight must not turn an unreachable anchor into a reward without bound.
        costs += np.where(np.isinf(lengths), np.inf, weight * lengths)
    return costs - prior


def centred(costs: FloatArray, first: IntArray) -> tuple[FloatArray, float]:
    """Split costs into the minimum of each set and the excess over it; return the excesses and the sum of minima.

    The minimum of a set counts as 0 if the whole set is forbidden.
    """
    minima = np.minimum.reduceat(costs, first[:-1])
    # inf - inf would turn forbidden candidates into NaN.
    minima[np.isinf(minima)] = 0.0
    excess = costs - np.repeat(minima, np.diff(first))
    excess.flags.writeable = False
    return excess, math.fsum(minima.tolist())


def granularity(costs: FloatArray) -> float | None:
    """Return the step between integral totals: 2 if all `costs` are even, 1 if integers, else None.

    Each distance counts twice, once for either order of its pair.
    """
    finite = costs[np.isfinite(costs)]
    if np.any(finite != np.floor(finite)):
        return None
    return 1.0 if np.any(finite % 2) else 2.0


MAX_PAIRS = 1_000_000
"""Problems with more pairs of candidates are refused; `linking-search` needs no table of pairs."""


class PairCosts(Factor):
    """Minus twice the distance of each two candidates of different sets; -inf if no path connects them.

    Parameters
    ----------
    first : int64 (k + 1,)
        Set i holds the candidates ``first[i]:first[i + 1]``.
    lengths : callable
        ``lengths(a, b)`` returns the distances of the candidates a[i] and b[i], float64. It is not called before
        the scopes are needed: all distances of a graph can be expensive.

    Raises
    ------
    InvalidProblem
        There are more than a million pairs.
    """

    name: ClassVar[str] = "distance"

    def __init__(self, first: IntArray, lengths: Callable[[IntArray, IntArray], FloatArray]) -> None:
        sizes = np.diff(first)
        pairs = (int(sizes.sum()) ** 2 - int((sizes**2).sum())) // 2
        if pairs > MAX_PAIRS:
            raise InvalidProblem(
                f"the candidates make {pairs} pairs, and factors take up to {MAX_PAIRS}: leave out candidates, or "
                "solve it without factors by the problem's own methods"
            )
        self._first, self._lengths = first, lengths

    def scopes(self, decisions: Decisions) -> IntArray:
        """Return the pairs at a distance other than 0, int64 (pairs, 2)."""
        blocks = [
            np.stack(np.meshgrid(np.arange(*left), np.arange(*right), indexing="ij"), axis=-1).reshape(-1, 2)
            for left, right in itertools.combinations(itertools.pairwise(self._first.tolist()), 2)
        ]
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *blocks])
        scored: IntArray = pairs[self.score(pairs, decisions) != 0.0]
        return scored

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return minus twice each distance: the cost sums over ordered pairs."""
        return -2.0 * self._lengths(scopes[:, 0], scopes[:, 1])
