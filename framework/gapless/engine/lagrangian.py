"""Lagrangian relaxation: a maximiser, multipliers, Polyak steps toward the incumbent, fixing by slacks."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from gapless.core.decisions import FREE, Fixings
from gapless.core.errors import InconsistentBound
from gapless.core.limits import Budget
from gapless.core.oracle import Maximiser
from gapless.core.relaxation import Relaxation, Relaxed
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin, meets
from gapless.core.tree_certificate import Tightening
from gapless.engine.ascent import Ascent, Dualized, StepRule
from gapless.engine.guard import guarded

__all__ = ["Dualized", "LagrangianRelaxation", "StepRule", "lagrangian"]

S = TypeVar("S")


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
    ascent = Ascent(dualized, maximiser, fixings, rule, dualized.start() if state is None else state)
    best_point: IntArray | None = None
    structure: S | None = None
    known = incumbent
    tightenings: list[Tightening] = []
    excluded = -math.inf
    try:
        ascent.begin(fixings)
        for _ in range(rule.iterations):
            bound = ascent.evaluate()
            found = ascent.found
            budget.iterations += 1
            if ascent.best_multipliers is ascent.multipliers:
                best_point = found.on_ids
            if ascent.best == -math.inf:
                break
            repaired = guarded(dualized, dualized.repair, found, ascent.fixings)
            if repaired is not None:
                candidate, score = repaired
                if math.isnan(score) or score > bound + margin(bound):
                    raise InconsistentBound(
                        f"{type(dualized).__name__}: the bound is {budget.as_value(bound)}, but a structure under "
                        f"the same fixings is worth {budget.as_value(score)}"
                    )
                if score > known:
                    structure, known = candidate, score
            free = int((ascent.fixings.state == FREE).sum())
            guarded(budget, budget.emit, "step", ascent.best, known, free=free)
            if meets(ascent.best, known) or ascent.best <= incumbent or budget.spent() is not None:
                break
            if fix and math.isfinite(known) and ascent.fixing_due(known):
                fixed = _fix_by_slacks(ascent, known)
                if fixed is not None:
                    tightening, bound_of_excluded = fixed
                    tightenings.append(tightening)
                    excluded = max(excluded, bound_of_excluded)
                    tighter = ascent.fixings.fix(tightening.on, tightening.off)
                    if tighter is None:
                        ascent.best = -math.inf
                        break
                    ascent.begin(tighter)
                    continue
            if ascent.aim() == 0.0 or ascent.spent(known):
                break
            ascent.move(known)
    except KeyboardInterrupt:
        budget.interrupt()
    return Relaxed(
        max(ascent.best, excluded),
        None if best_point is None else _indicator(best_point, fixings.state.size),
        structure,
        state=ascent.best_multipliers,
        tightenings=tuple(tightenings),
        certificate=guarded(dualized, dualized.certificate, ascent.best_multipliers),
        excluded=excluded,
    )


def _indicator(on_ids: IntArray, count: int) -> FloatArray:
    point = np.zeros(count)
    point[on_ids] = 1.0
    return point


def _fix_by_slacks(ascent: Ascent[S], known: float) -> tuple[Tightening, float] | None:
    """Decisions whose flip cannot beat `known`, and the best bound among the structures that flip one."""
    without, off_bounds, on_bounds = ascent.flips()
    floor = known + margin(known)
    off, on = np.flatnonzero(without & (off_bounds <= floor)), np.flatnonzero(without & (on_bounds <= floor))
    if not (off.size or on.size):
        return None
    certificate = guarded(ascent.dualized, ascent.dualized.certificate, ascent.multipliers)
    return Tightening(tuple(on), tuple(off), certificate), float(max([*off_bounds[off], *on_bounds[on]]))


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
