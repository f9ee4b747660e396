"""Scores of pairs of a few decisions as one factor."""

from __future__ import annotations

import math
import operator
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless_kernels
from gapless.core.decisions import FREE, OFF, ON, Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor
from gapless.core.score_array import score_array
from gapless.core.serial import serialisable
from gapless.core.sparse import BoolArray, FloatArray, IntArray, int_array
from gapless.core.tolerance import EPSILON
from gapless.core.work import spend_work

MOST_PAIRED = 64


def _scores(given: Any) -> FloatArray:
    return score_array(given, "pair-scores: scores")


@serialisable("gapless.factors.PairScores")
@attrs.frozen(eq=False)
class PairScores(ConfigurationFactor):
    """``scores[i, j]`` when decisions i and j are both on, summed over all pairs.

    The same scores as conjunctions of two decisions are bounded pair by pair, and three pairs of three decisions
    may each claim what only two of them can have. Together they are maximised exactly, by branch and bound: worth
    its time for a few dozen decisions whose scores contradict each other.

    Parameters
    ----------
    decisions : sequence of int
        2 to 64, ascending.
    scores : float64 (decisions, decisions)
        Symmetric and finite, 0 on the diagonal.

    Raises
    ------
    InvalidProblem
        Names the field.
    """

    name: ClassVar[str] = "pair-scores"
    decisions: IntArray = attrs.field(converter=int_array)
    scores: FloatArray = attrs.field(converter=_scores)

    def __attrs_post_init__(self) -> None:
        count = self.decisions.size
        if not 2 <= count <= MOST_PAIRED or (np.diff(self.decisions) <= 0).any() or self.decisions[0] < 0:
            raise InvalidProblem(f"pair-scores: decisions must be 2 to {MOST_PAIRED} in ascending order")
        fits = self.scores.shape == (count, count) and bool(np.isfinite(self.scores).all())
        if not fits or (self.scores != self.scores.T).any() or np.diagonal(self.scores).any():
            raise InvalidProblem(
                f"pair-scores: scores must be a symmetric matrix ({count}, {count}) of finite numbers, "
                "0 on the diagonal"
            )

    def scope(self, decisions: Decisions) -> IntArray:
        """The decisions."""
        return self.decisions

    def value(self, on: BoolArray) -> float:
        """The scores of the pairs that are on."""
        chosen = np.flatnonzero(on)
        return float(np.triu(self.scores[np.ix_(chosen, chosen)]).sum())

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """By branch and bound, in Python."""
        return self.most(weights, np.where(weights > -np.inf, FREE, OFF).astype(np.int8))

    def most(self, weights: FloatArray, state: Any) -> tuple[float, BoolArray]:
        """`best` under a state, int8 (count,): -1 free, 0 off, 1 on."""
        on = state == ON
        free = np.flatnonzero(state == FREE)
        gain = weights[free] + self.scores[np.ix_(free, np.flatnonzero(on))].sum(axis=1)
        pairs = self.scores[np.ix_(free, free)]
        half = 0.5 * np.maximum(pairs, 0.0)
        base = self.value(on) + float(weights[on].sum())
        found, chosen = _best(base, gain, gain + half.sum(axis=1), pairs, half)
        on[free[chosen]] = True
        return found, on

    def bound(self, weights: FloatArray, state: Any) -> float:
        """`most`, raised by what float64 may round away."""
        size = float(np.abs(weights[state != OFF]).sum()) + float(np.abs(self.scores).sum())
        lost = EPSILON * (4.0 * weights.size**2 + 8.0) * size
        return math.nextafter(self.most(weights, state)[0] + lost, math.inf)

    def possible_values(self) -> FloatArray:
        """The scores, of which values are sums."""
        return self.scores

    def compiled(self, decisions: Decisions) -> Any:
        """`gapless_kernels.search._pairs.Pairs`."""
        if not gapless_kernels.COMPILED:
            return None
        from gapless_kernels.search._pairs import Pairs  # noqa: PLC0415  loaded when it is used

        return Pairs(self.decisions, self.scores)


def _best(
    value: float, gain: FloatArray, worth: FloatArray, pairs: FloatArray, half: FloatArray
) -> tuple[float, list[int]]:
    """The highest sum, and where: each pair's positive score is shared by its two, which bounds what is left."""
    best = -math.inf
    best_on: tuple[int, ...] = ()
    waiting: list[tuple[float, FloatArray, FloatArray, BoolArray, tuple[int, ...]]] = [
        (value, gain, worth, np.ones(gain.size, bool), ())
    ]
    while waiting:
        value, gain, worth, open_, chosen = waiting.pop()
        spend_work(10.0 * gain.size, 10)
        if value > best:
            best, best_on = value, chosen
        left = np.where(open_, worth, -np.inf)
        if not left.size:
            continue
        top = int(np.argmax(left))
        if not (left[top] > 0.0 and value + float(left[left > 0.0].sum()) > best):
            continue
        rest = open_.copy()
        rest[top] = False
        less = worth - half[top]
        waiting.append((value, gain, less, rest, chosen))
        waiting.append(
            (value + float(gain[top]), gain + pairs[top], less + pairs[top], rest, (*chosen, operator.index(top)))
        )
    return best, list(best_on)
