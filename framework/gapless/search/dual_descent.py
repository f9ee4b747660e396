"""Descent of a Lagrangian dual step by step: the multipliers of one node, and the step rules."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.decisions.decisions import FREE, Fixings
from gapless.errors import InconsistentBound
from gapless.oracles.maximiser import Maximiser, Optimum
from gapless.tree_search.role_calls import call_role, checked_bound

S = TypeVar("S")


NOISE = 1e-12
"""Relative size up to which a difference of two bounds may be rounding."""


class LagrangianDual(ABC, Generic[S]):
    """The dualised part of a Lagrangian relaxation: constraints, or scores split over decisions.

    For every multiplier vector, ``constant + max_x weights @ x`` must bound every structure under the fixings.
    """

    @abstractmethod
    def start(self) -> FloatArray:
        """Return the first multipliers."""

    @abstractmethod
    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Return decision weights and the constant."""

    @abstractmethod
    def subgradient(self, multipliers: FloatArray, found: Optimum[S]) -> FloatArray:
        """Return a subgradient of the bound at `multipliers`, whose weights gave the optimum `found`."""

    def settled(self, multipliers: FloatArray, fixings: Fixings) -> FloatArray:
        """Adapt multipliers to new fixings; by default they stay the same."""
        return multipliers

    def moved(self, multipliers: FloatArray, gradient: FloatArray, step: float) -> FloatArray:
        """Take a step against the gradient and return the nearest allowed multipliers."""
        return self.project(multipliers - step * gradient)

    def project(self, multipliers: FloatArray) -> FloatArray:
        """Return the nearest allowed multipliers; by default all are allowed."""
        return multipliers

    def assumed_gap(self, best: float) -> float:
        """Estimate the gap for the step length while there is no incumbent."""
        return max(1.0, 0.05 * abs(best))

    def repair(self, found: Optimum[S], fixings: Fixings) -> tuple[S, float] | None:
        """Return a feasible structure near `found` that agrees with `fixings`, and its score; or None."""
        return None

    def certificate(self, multipliers: FloatArray) -> Certificate:
        """Return a certificate of the bounds that these multipliers give under any fixings."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")


@attrs.frozen
class StepRule:
    """Polyak's step with a shrinking factor, and the end of a descent.

    Parameters
    ----------
    scale : float
        Initial factor of Polyak's step length ``(bound - target) / |g|^2``.
    shrink : float
        Multiplies the factor after `patience` steps without a better bound.
    iterations : int
        Largest number of steps.
    fix_below : float
        Fix by max-marginals only once the gap has fallen to this share of the gap at the last fixing.
    fix_first : bool
        Whether the first bound may fix; if not, its gap counts as that of a fixing.
    trend : int, optional
        The descent ends once the gap has not fallen to its `trend_share` within this many steps.
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

    def length(self, ascent: DualDescent[S], known: float) -> float:
        """Return the length of the next step; `known` is the incumbent's score, or -inf."""
        if ascent.stalled >= self.patience:
            ascent.scale, ascent.stalled = ascent.scale * self.shrink, 0
        gap = ascent.bound - known if math.isfinite(known) else ascent.dualized.assumed_gap(ascent.best)
        # Rounding may put the bound below the incumbent: the step must not change its sign.
        return ascent.scale * max(gap, score_tolerance(ascent.bound)) / ascent.slope

    def spent(self, ascent: DualDescent[S], known: float) -> bool:
        """Return whether the descent should end."""
        if ascent.iteration >= self.iterations:
            return True
        if self.trend is None or ascent.iteration % self.trend:
            return False
        gap, previous_gap = ascent.bound - known, ascent.gap_at_trend
        ascent.gap_at_trend = gap
        return gap > self.trend_share * previous_gap


@attrs.frozen
class HalvingRule(StepRule):
    """The step rule of Rush et al. (2010), as in Qian and Liu (2013): halved whenever the bound rises.

    The descent ends when a step improves the bound by no more than `precision`.
    """

    iterations: int = 2000
    precision: float = 1e-8

    def length(self, ascent: DualDescent[S], known: float) -> float:
        """Return the length of the next step: halved with each rise of the bound."""
        # Capped so that the factor does not underflow to 0.
        return math.ldexp(self.scale, -min(ascent.rises, 1000))

    def spent(self, ascent: DualDescent[S], known: float) -> bool:
        """Return whether the descent should end."""
        stands = ascent.iteration > 1 and 0.0 <= ascent.last - ascent.bound <= self.precision
        return stands or ascent.iteration >= self.iterations


class DualDescent(Generic[S]):
    """The multipliers of one node.

    `begin` comes first. Each step is `evaluate`, then either `begin` with tighter fixings, or `aim` and `move`.

    Parameters
    ----------
    dualized : LagrangianDual
    maximiser : Maximiser
    fixings : Fixings
    rule : StepRule
    multipliers : float64
        Initial multipliers.

    Attributes
    ----------
    bound, last, best : float
        Bounds of the last evaluation, of the previous one, and the least of all.
    found : Optimum
        The maximiser's optimum at `bound`.
    best_multipliers : float64
    iteration, stalled, rises : int
        Number of evaluations, of those since the last better bound, and of those worse than the previous one.
    """

    found: Optimum[S]
    weights: FloatArray
    gradient: FloatArray

    def __init__(
        self,
        dualized: LagrangianDual[S],
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
        """Continue under these fixings, which are tighter than the previous ones."""
        # The trend starts anew, as gaps under other fixings are not comparable.
        self.fixings, self.gap_at_trend = fixings, math.inf
        self.multipliers = call_role(self.dualized, self.dualized.settled, self.multipliers, fixings)

    def evaluate(self) -> float:
        """Evaluate the bound and count it as a step; -inf if the fixings leave no structure."""
        return self.count(self.look())

    def look(self) -> float:
        """Evaluate the bound without counting it as a step."""
        self.weights, constant = call_role(self.dualized, self.dualized.weights, self.multipliers, self.fixings)
        self.found = found = call_role(self.maximiser, self.maximiser.solve, self.weights, self.fixings)
        bound = checked_bound(self.maximiser, constant + found.value)
        terms = self.weights[found.on_ids]
        attained = terms.sum() + found.internal_score
        size = float(np.abs(terms).sum()) + abs(found.internal_score)
        # A maximum below the score of its own structure would be no bound; only rounding explains a small excess.
        over = attained - found.value - score_tolerance(size) if found.value > -math.inf else 0.0
        if over > 0.0 and over > rounding(terms.size, size, self.maximiser.internal_score_limit()):
            raise InconsistentBound(
                f"{type(self.maximiser).__name__} states {found.value:.12g} as its maximum, but the weights of its "
                f"own structure sum to {attained:.12g}"
            )
        return bound

    def count(self, bound: float) -> float:
        """Count a bound of `look` as a step."""
        noise = NOISE * max(1.0, abs(bound)) if math.isfinite(bound) else 0.0
        self.last, self.bound = self.bound, bound
        self.iteration, self.stalled = self.iteration + 1, self.stalled + 1
        # Differences within rounding count neither as rises nor as progress: they must not change the step length.
        self.rises += bound > self.last + noise
        if bound < self.best - noise:
            self.stalled = 0
        if bound < self.best:
            self.best, self.best_multipliers = bound, self.multipliers
        return bound

    def fixing_due(self, known: float) -> bool:
        """Return whether the gap has fallen far enough since the last fixing."""
        gap = self.bound - known
        if self._first_gap == math.inf:
            self._first_gap = gap
            if not self.rule.fix_first:
                self.gap_at_fixing = gap
        if not gap <= self.rule.fix_below * self.gap_at_fixing:
            return False
        # Fixing takes another pass of the maximiser, so the next one waits for a smaller gap.
        self.gap_at_fixing = gap
        return True

    def flips(self) -> tuple[BoolArray, FloatArray, FloatArray]:
        """Return the free decisions, and the bounds with each decision on, and with each off."""
        max_marginals = call_role(self.maximiser, self.maximiser.max_marginals, self.weights, self.fixings)
        free = self.fixings.state == FREE
        off = np.full(free.size, math.inf) if max_marginals.off is None else self.bound - max_marginals.off
        return free, self.bound - max_marginals.on, off

    def aim(self) -> float:
        """Compute the subgradient at `found` and return its squared length; 0 if no multiplier can move."""
        self.gradient = call_role(self.dualized, self.dualized.subgradient, self.multipliers, self.found)
        self.slope = float(self.gradient @ self.gradient)
        return self.slope

    def spent(self, known: float) -> bool:
        """Return whether the step rule ends the descent."""
        return self.rule.spent(self, known)

    def move(self, known: float) -> None:
        """Take a step along the subgradient of `aim`."""
        step = self.rule.length(self, known)
        self.multipliers = call_role(self.dualized, self.dualized.moved, self.multipliers, self.gradient, step)
