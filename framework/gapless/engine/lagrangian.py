"""Lagrangian relaxation: a maximiser, multipliers, Polyak steps toward the incumbent, fixing by slacks."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import FREE, Fixings
from gapless.core.errors import InconsistentBound
from gapless.core.limits import Budget
from gapless.core.oracle import Maximised, Maximiser
from gapless.core.relaxation import Relaxation, Relaxed
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin, meets
from gapless.core.tree_certificate import Tightening
from gapless.engine.guard import checked_bound, guarded

S = TypeVar("S")


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

    def project(self, multipliers: FloatArray) -> FloatArray:
        """The nearest allowed multipliers; by default nothing is forbidden."""
        return multipliers

    def repair(self, found: Maximised[S], fixings: Fixings) -> tuple[S, float] | None:
        """A feasible structure near `found` that agrees with `fixings`, and its score; or None."""
        return None

    def certificate(self, multipliers: FloatArray) -> Certificate:
        """Evidence for the bound that these multipliers give under any fixings."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")


@attrs.frozen
class StepRule:
    """Polyak's step with a shrinking factor.

    Parameters
    ----------
    scale : float
        First factor of ``(bound - target) / |g|^2``.
    shrink : float
        Factor after `patience` steps without a better bound.
    fix_below : float
        Fix by slacks only when the gap has fallen to this share of the gap at the last fixing.
    """

    scale: float = 1.0
    shrink: float = 0.6
    patience: int = 5
    iterations: int = 100
    fix_below: float = 0.5


def lagrangian(
    dualized: Dualized[S],
    maximiser: Maximiser[S],
    fixings: Fixings,
    budget: Budget,
    *,
    incumbent: float = -math.inf,
    state: FloatArray | None = None,
    rule: StepRule | None = None,
    fix: bool = True,
) -> Relaxed[S]:
    """Bound a node by descending the dual.

    Parameters
    ----------
    dualized : Dualized
    maximiser : Maximiser
    fixings, budget, incumbent
        As in `Relaxation.solve`.
    state : float64, optional
        Multipliers of the parent.
    rule : StepRule
    fix : bool
        Whether to fix decisions by slacks against the incumbent (off for k best).

    Raises
    ------
    InconsistentBound
        NaN, or a bound below a score that is known under these fixings.
    OracleError
        A role raised.
    """
    rule = rule or StepRule()
    multipliers = dualized.start() if state is None else state
    best, best_multipliers, best_point = math.inf, multipliers, None
    structure: S | None = None
    known = incumbent
    tightenings: list[Tightening] = []
    excluded = -math.inf
    scale, stalled, gap_at_fixing = rule.scale, 0, math.inf
    try:
        for _ in range(rule.iterations):
            weights, constant = guarded(dualized, dualized.weights, multipliers, fixings)
            found = guarded(maximiser, maximiser.solve, weights, fixings)
            bound = checked_bound(maximiser, constant + found.value)
            chosen = weights[found.on_ids]
            reached = chosen.sum() + found.own
            size = float(np.abs(chosen).sum()) + abs(found.own)
            if found.value > -math.inf and reached > found.value + margin(size):
                raise InconsistentBound(
                    f"{type(maximiser).__name__} states {found.value:.12g} as its maximum, but the weights of its "
                    f"own structure sum to {reached:.12g}"
                )
            budget.iterations += 1
            stalled += 1
            if bound < best:
                best, best_multipliers, best_point, stalled = bound, multipliers, found.on_ids, 0
            if best == -math.inf:
                break
            repaired = guarded(dualized, dualized.repair, found, fixings)
            if repaired is not None:
                candidate, score = repaired
                if math.isnan(score) or score > bound + margin(bound):
                    raise InconsistentBound(
                        f"{type(dualized).__name__}: the bound is {budget.as_value(bound)}, but a structure under "
                        f"the same fixings is worth {budget.as_value(score)}"
                    )
                if score > known:
                    structure, known = candidate, score
            guarded(budget, budget.emit, "step", best, known, free=int((fixings.state == FREE).sum()))
            if meets(best, known) or best <= incumbent or budget.spent() is not None:
                break
            if fix and math.isfinite(known) and best - known <= rule.fix_below * gap_at_fixing:
                gap_at_fixing = best - known
                fixed = _fix_by_slacks(dualized, maximiser, multipliers, fixings, weights, bound, known)
                if fixed is not None:
                    tightening, bound_of_excluded = fixed
                    tightenings.append(tightening)
                    excluded = max(excluded, bound_of_excluded)
                    tighter = fixings.fix(tightening.on, tightening.off)
                    if tighter is None:
                        best = -math.inf
                        break
                    fixings = tighter
            gradient = guarded(dualized, dualized.subgradient, multipliers, found)
            length = float(gradient @ gradient)
            if length == 0.0:
                break
            if stalled >= rule.patience:
                scale, stalled = scale * rule.shrink, 0
            target = known if math.isfinite(known) else best - max(1.0, 0.05 * abs(best))
            step = scale * max(bound - target, margin(bound)) / length
            multipliers = guarded(dualized, dualized.project, multipliers - step * gradient)
    except KeyboardInterrupt:
        budget.interrupt()
    return Relaxed(
        max(best, excluded),
        None if best_point is None else _indicator(best_point, fixings.state.size),
        structure,
        state=best_multipliers,
        tightenings=tuple(tightenings),
        certificate=guarded(dualized, dualized.certificate, best_multipliers),
        excluded=excluded,
    )


def _indicator(on_ids: IntArray, count: int) -> FloatArray:
    point = np.zeros(count)
    point[on_ids] = 1.0
    return point


def _fix_by_slacks(
    dualized: Dualized[S],
    maximiser: Maximiser[S],
    multipliers: FloatArray,
    fixings: Fixings,
    weights: FloatArray,
    bound: float,
    known: float,
) -> tuple[Tightening, float] | None:
    """Decisions whose flip cannot beat `known`, and the best bound among the structures that flip one."""
    slacks = guarded(maximiser, maximiser.slacks, weights, fixings)
    free = fixings.state == FREE
    floor = known + margin(known)
    off = np.flatnonzero(free & (bound - slacks.on <= floor))
    on = np.zeros(0, np.int64)
    if slacks.off is not None:
        on = np.flatnonzero(free & (bound - slacks.off <= floor))
    if not (off.size or on.size):
        return None
    certificate = guarded(dualized, dualized.certificate, multipliers)
    excluded = max([*(bound - slacks.on[off]), *(bound - slacks.off[on] if slacks.off is not None else ())])
    return Tightening(tuple(on), tuple(off), certificate), float(excluded)


class LagrangianRelaxation(Relaxation[S]):
    """`lagrangian` as a relaxation, for `tree_search`."""

    def __init__(
        self,
        dualized: Dualized[S],
        maximiser: Maximiser[S],
        *,
        rule: StepRule | None = None,
        fix: bool = True,
    ) -> None:
        self.dualized = dualized
        self.maximiser = maximiser
        self.rule = rule
        self.fix = fix

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Bound a node by descending the dual."""
        return lagrangian(
            self.dualized,
            self.maximiser,
            fixings,
            budget,
            incumbent=incumbent,
            state=state,
            rule=self.rule,
            fix=self.fix,
        )
