"""Lagrangian relaxation over a maximiser: Polyak steps toward the incumbent, and fixing by max-marginals."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.certificates.tree_certificate import Tightening
from gapless.decisions.decisions import FREE, Fixings
from gapless.errors import InconsistentBound
from gapless.limits.limits import SolveBudget
from gapless.oracles.maximiser import Maximiser
from gapless.search.dual_descent import DualDescent, LagrangianDual, StepRule
from gapless.tree_search.relaxation import Relaxation, RelaxationResult
from gapless.tree_search.role_calls import call_role

__all__ = ["LagrangianDual", "LagrangianRelaxation", "StepRule"]

S = TypeVar("S")


class LagrangianRelaxation(Relaxation[S]):
    """The bound of a node by descending a Lagrangian dual, for `tree_search`.

    Parameters
    ----------
    dualized : LagrangianDual
    maximiser : Maximiser
    rule : StepRule, optional
    fix : bool
        Whether to fix decisions by max-marginals against the incumbent (off for k best).
    """

    def __init__(
        self,
        dualized: LagrangianDual[S],
        maximiser: Maximiser[S],
        *,
        rule: StepRule | None = None,
        fix: bool = True,
    ) -> None:
        self.dualized, self.maximiser = dualized, maximiser
        self.rule, self.fix = rule or StepRule(), fix

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Bound a node by descending the dual.

        Parameters
        ----------
        fixings, budget, incumbent
            As in `Relaxation.solve`.
        state : float64, optional
            Multipliers of the parent; by default those of `LagrangianDual.start`.

        Raises
        ------
        InconsistentBound
            NaN, or a bound below the score of a structure under these fixings.
        OracleError
            A role raised.
        """
        dualized, rule = self.dualized, self.rule
        multipliers = dualized.start() if state is None else state
        ascent = DualDescent(dualized, self.maximiser, fixings, rule, multipliers)
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
                # The point must belong to the multipliers that are returned, which are the best ones.
                if ascent.best_multipliers is ascent.multipliers:
                    best_point = found.on_ids
                if ascent.best == -math.inf:
                    break
                repaired = call_role(dualized, dualized.repair, found, ascent.fixings)
                if repaired is not None:
                    candidate, score = repaired
                    if math.isnan(score) or score > bound + score_tolerance(bound):
                        raise InconsistentBound(
                            f"{type(dualized).__name__}: the bound is {budget.as_value(bound)}, but a structure "
                            f"under the same fixings is worth {budget.as_value(score)}"
                        )
                    if score > known:
                        structure, known = candidate, score
                free = int((ascent.fixings.state == FREE).sum())
                call_role(budget, budget.emit, "step", ascent.best, known, free=free)
                if meets(ascent.best, known) or ascent.best <= incumbent or budget.stop_reason() is not None:
                    break
                if self.fix and math.isfinite(known) and ascent.fixing_due(known):
                    fixed = _fix_by_max_marginals(ascent, known)
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
        return RelaxationResult(
            max(ascent.best, excluded),
            None if best_point is None else _indicator(best_point, fixings.state.size),
            structure,
            state=ascent.best_multipliers,
            tightenings=tuple(tightenings),
            certificate=call_role(dualized, dualized.certificate, ascent.best_multipliers),
            excluded_bound=excluded,
        )


def _indicator(on_ids: IntArray, count: int) -> FloatArray:
    point = np.zeros(count)
    point[on_ids] = 1.0
    return point


def _fix_by_max_marginals(ascent: DualDescent[S], known: float) -> tuple[Tightening, float] | None:
    """Fix decisions whose flip cannot exceed `known`; return also the best bound among those flips."""
    free, bounds_on, bounds_off = ascent.flips()
    floor = known + score_tolerance(known)
    off, on = np.flatnonzero(free & (bounds_on <= floor)), np.flatnonzero(free & (bounds_off <= floor))
    if not (off.size or on.size):
        return None
    certificate = call_role(ascent.dualized, ascent.dualized.certificate, ascent.multipliers)
    return Tightening(tuple(on), tuple(off), certificate), float(max([*bounds_on[off], *bounds_off[on]]))
