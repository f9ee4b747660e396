"""The descent of a Lagrangian dual, one step at a time: the multipliers of one node, and the rule of its steps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import FREE, Fixings
from gapless.core.errors import InconsistentBound
from gapless.core.oracle import Maximised, Maximiser
from gapless.core.sparse import BoolArray, FloatArray
from gapless.core.tolerance import margin, rounding
from gapless.engine.guard import checked_bound, guarded

S = TypeVar("S")


NOISE = 1e-12
"""Relative size of differences that rounding alone may make."""


class Dualized(ABC, Generic[S]):
    """The priced part of a Lagrangian relaxation: constraints, or score split over decisions.

    For every multiplier vector, ``constant + max_x weights @ x`` must bound every structure under the fixings.
    """

    @abstractmethod
    def start(self) -> FloatArray:
        """First multipliers."""

    @abstractmethod
    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Decision weights and the constant."""

    @abstractmethod
    def subgradient(self, multipliers: FloatArray, found: Maximised[S]) -> FloatArray:
        """A subgradient of the bound at `multipliers`, where `found` is the maximiser's answer."""

    def settled(self, multipliers: FloatArray, fixings: Fixings) -> FloatArray:
        """Multipliers to go on with under new fixings; by default the same."""
        return multipliers

    def moved(self, multipliers: FloatArray, gradient: FloatArray, step: float) -> FloatArray:
        """The multipliers after a step against the gradient; by default the nearest allowed ones."""
        return self.project(multipliers - step * gradient)

    def project(self, multipliers: FloatArray) -> FloatArray:
        """The nearest allowed multipliers; by default nothing is forbidden."""
        return multipliers

    def assumed_gap(self, best: float) -> float:
        """Stands for the gap in a step's length while no structure is known."""
        return max(1.0, 0.05 * abs(best))

    def repair(self, found: Maximised[S], fixings: Fixings) -> tuple[S, float] | None:
        """A feasible structure near `found` that agrees with `fixings`, and its score; or None."""
        return None

    def certificate(self, multipliers: FloatArray) -> Certificate:
        """Evidence for the bound that these multipliers give under any fixings."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")


@attrs.frozen
class StepRule:
    """Polyak's step with a shrinking factor, and the end of a descent.

    Parameters
    ----------
    scale : float
        First factor of ``(bound - target) / |g|^2``.
    shrink : float
        Factor after `patience` steps without a better bound.
    iterations : int
        Steps at most.
    fix_below : float
        Fix by slacks only when the gap has fallen to this share of the gap at the last fixing.
    fix_first : bool
        Whether the first bound may fix; else its gap counts as that of a fixing.
    trend : int, optional
        The descent ends when the gap has hardly fallen in so many steps: not to `trend_share` of what it was.
    trend_share : float
    """

    scale: float = 1.0
    shrink: float = 0.6
    patience: int = 5
    iterations: int = 100
    fix_below: float = 0.5
    fix_first: bool = True
    trend: int | None = None
    trend_share: float = 0.85

    def length(self, ascent: Ascent[S], known: float) -> float:
        """Factor of the next step's gradient; `known` is the best score so far, maybe -inf."""
        if ascent.stalled >= self.patience:
            ascent.scale, ascent.stalled = ascent.scale * self.shrink, 0
        gap = ascent.bound - known if math.isfinite(known) else ascent.dualized.assumed_gap(ascent.best)
        return ascent.scale * max(gap, margin(ascent.bound)) / ascent.slope

    def spent(self, ascent: Ascent[S], known: float) -> bool:
        """Whether the multipliers have had their time."""
        if ascent.iteration >= self.iterations:
            return True
        if self.trend is None or ascent.iteration % self.trend:
            return False
        gap, before = ascent.bound - known, ascent.gap_at_trend
        ascent.gap_at_trend = gap
        return gap > self.trend_share * before


@attrs.frozen
class HalvingRule(StepRule):
    """The step rule of Rush et al. (2010), as in Qian and Liu (2013): halved whenever the bound rises.

    The descent ends when a step improves the bound by no more than `precision`.
    """

    iterations: int = 2000
    precision: float = 1e-8

    def length(self, ascent: Ascent[S], known: float) -> float:
        """As `StepRule.length`."""
        return math.ldexp(self.scale, -min(ascent.rises, 1000))

    def spent(self, ascent: Ascent[S], known: float) -> bool:
        """As `StepRule.spent`."""
        stands = ascent.iteration > 1 and 0.0 <= ascent.last - ascent.bound <= self.precision
        return stands or ascent.iteration >= self.iterations


class Ascent(Generic[S]):
    """The multipliers of one node.

    `begin` comes first. Each step is `evaluate`, then either `begin` with tighter fixings, or `aim` and `move`.

    Parameters
    ----------
    dualized : Dualized
    maximiser : Maximiser
    fixings : Fixings
    rule : StepRule
    multipliers : float64
        To begin with.

    Attributes
    ----------
    bound, last, best : float
        Of the last evaluation, the one before, and the least of all.
    found : Maximised
        A structure that attains `bound`.
    best_multipliers : float64
    iteration, stalled, rises : int
        Evaluations; those since the last better bound; and those that were worse than the one before.
    """

    found: Maximised[S]
    weights: FloatArray
    gradient: FloatArray

    def __init__(
        self,
        dualized: Dualized[S],
        maximiser: Maximiser[S],
        fixings: Fixings,
        rule: StepRule,
        multipliers: FloatArray,
    ) -> None:
        self.dualized, self.maximiser, self.rule = dualized, maximiser, rule
        self.multipliers = self.best_multipliers = multipliers
        self.bound = self.last = self.best = math.inf
        self.iteration = self.stalled = self.rises = 0
        self.scale, self.slope = rule.scale, 0.0
        self.gap_at_fixing = self.gap_at_trend = self._first_gap = math.inf
        self.fixings = fixings

    def begin(self, fixings: Fixings) -> None:
        """Go on under these fixings, which are tighter than those before."""
        self.fixings, self.gap_at_trend = fixings, math.inf
        self.multipliers = guarded(self.dualized, self.dualized.settled, self.multipliers, fixings)

    def evaluate(self) -> float:
        """The bound of the multipliers, counted; -inf when the fixings leave nothing."""
        return self.count(self.look())

    def look(self) -> float:
        """The bound of the multipliers, not counted."""
        self.weights, constant = guarded(self.dualized, self.dualized.weights, self.multipliers, self.fixings)
        self.found = found = guarded(self.maximiser, self.maximiser.solve, self.weights, self.fixings)
        bound = checked_bound(self.maximiser, constant + found.value)
        chosen = self.weights[found.on_ids]
        reached = chosen.sum() + found.own
        size = float(np.abs(chosen).sum()) + abs(found.own)
        over = reached - found.value - margin(size) if found.value > -math.inf else 0.0
        if over > 0.0 and over > rounding(chosen.size, size, self.maximiser.own_size()):
            raise InconsistentBound(
                f"{type(self.maximiser).__name__} states {found.value:.12g} as its maximum, but the weights of its "
                f"own structure sum to {reached:.12g}"
            )
        return bound

    def count(self, bound: float) -> float:
        """Count what `look` has found."""
        noise = NOISE * max(1.0, abs(bound)) if math.isfinite(bound) else 0.0
        self.last, self.bound = self.bound, bound
        self.iteration, self.stalled = self.iteration + 1, self.stalled + 1
        self.rises += bound > self.last + noise
        if bound < self.best - noise:
            self.stalled = 0
        if bound < self.best:
            self.best, self.best_multipliers = bound, self.multipliers
        return bound

    def fixing_due(self, known: float) -> bool:
        """Whether the gap has fallen far enough since the last fixing."""
        gap = self.bound - known
        if self._first_gap == math.inf:
            self._first_gap = gap
            if not self.rule.fix_first:
                self.gap_at_fixing = gap
        if not gap <= self.rule.fix_below * self.gap_at_fixing:
            return False
        self.gap_at_fixing = gap
        return True

    def flips(self) -> tuple[BoolArray, FloatArray, FloatArray]:
        """The free decisions, and the bounds of the structures with each of them on, and with each off."""
        slacks = guarded(self.maximiser, self.maximiser.slacks, self.weights, self.fixings)
        free = self.fixings.state == FREE
        off = np.full(free.size, math.inf) if slacks.off is None else self.bound - slacks.off
        return free, self.bound - slacks.on, off

    def aim(self) -> float:
        """The squared length of the subgradient at `found`; 0 where nothing can move."""
        self.gradient = guarded(self.dualized, self.dualized.subgradient, self.multipliers, self.found)
        self.slope = float(self.gradient @ self.gradient)
        return self.slope

    def spent(self, known: float) -> bool:
        """Whether the rule ends the descent."""
        return self.rule.spent(self, known)

    def move(self, known: float) -> None:
        """One step of the multipliers."""
        step = self.rule.length(self, known)
        self.multipliers = guarded(self.dualized, self.dualized.moved, self.multipliers, self.gradient, step)
