"""The maximiser of independent choices: one decision of each choice group, and any ungrouped decisions."""

from __future__ import annotations

import math
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import OFF, ON, Decisions, Fixings
from gapless.oracles.maximiser import Maximiser, MaxMarginals, Optimum
from gapless_kernels import COMPILED

S = TypeVar("S")


class GroupMaximiser(Maximiser[S], Generic[S]):
    """Maximiser of independent choices: the best decision of each group, every ungrouped one of positive weight.

    Parameters
    ----------
    decisions : Decisions
        Their ``exactly_one`` are the groups; no two may share a decision.

    Examples
    --------
    >>> from gapless.roles import Decisions, Fixings, GroupMaximiser
    >>> import numpy as np
    >>> best = GroupMaximiser(Decisions(4, exactly_one=[[0, 1], [2, 3]]))
    >>> best.solve(np.array([0.0, 1.0, 3.0, 2.0]), Fixings.none(4)).on_ids
    array([1, 2])
    """

    def __init__(self, decisions: Decisions) -> None:
        self.groups: list[IntArray] = [np.array(group, np.int64) for group in decisions.exactly_one]
        self.count = decisions.count
        grouped = np.concatenate([np.zeros(0, np.int64), *self.groups])
        if np.unique(grouped).size < grouped.size:
            raise ValueError("a decision is in two of the groups: choices in them are not independent")
        self.ungrouped: IntArray = np.setdiff1d(np.arange(decisions.count), grouped)

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[S]:
        """Pick the best allowed decision of each group, and the ungrouped ones that are on or improve the value."""
        infeasible: Optimum[S] = Optimum(-math.inf, np.zeros(0, np.int64))
        on: list[int] = []
        for group in self.groups:
            allowed = self._allowed(group, fixings)
            if not allowed.size or weights[allowed].max() == -math.inf:
                return infeasible
            on.append(int(allowed[np.argmax(weights[allowed])]))
        state = fixings.state[self.ungrouped]
        on.extend(self.ungrouped[(state == ON) | ((state != OFF) & (weights[self.ungrouped] > 0))].tolist())
        on_ids = np.array(sorted(on), np.int64)
        value = float(weights[on_ids].sum())
        # An ungrouped decision that is fixed on may weigh -inf.
        return Optimum(value, on_ids, self.structure(on_ids)) if value > -math.inf else infeasible

    def structure(self, on_ids: IntArray) -> S | None:
        """Make the structure of these decisions, in subclasses that have one; None by default."""
        return None

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Compute losses: against the best of the group, or for the best one against the second best."""
        on, off = np.full(weights.size, np.inf), np.full(weights.size, np.inf)
        for group in self.groups:
            allowed = self._allowed(group, fixings)
            # Stable, as `argmax` in `solve`: of equal weights the first one is the optimum.
            order = allowed[np.argsort(-weights[allowed], kind="stable")]
            if not order.size or weights[order[0]] == -math.inf:
                continue
            on[order] = weights[order[0]] - weights[order]
            off[group] = 0.0
            off[order[0]] = weights[order[0]] - weights[order[1]] if order.size > 1 else np.inf
        state, w = fixings.state[self.ungrouped], weights[self.ungrouped]
        on[self.ungrouped] = np.where(state == OFF, np.inf, np.maximum(0.0, -w))
        off[self.ungrouped] = np.where(state == ON, np.inf, np.maximum(0.0, w))
        return MaxMarginals(on, off)

    def compiled(self) -> Any:
        """Return the compiled maximiser; None without compiled kernels."""
        if not COMPILED:
            return None
        from gapless_kernels.choices._choice_groups import ChoiceGroups  # noqa: PLC0415  not without compiled kernels

        first = np.cumsum([0, *(group.size for group in self.groups)])
        members = np.concatenate([np.zeros(0, np.int64), *self.groups])
        return ChoiceGroups(self.count, first, members)

    @staticmethod
    def _allowed(group: IntArray, fixings: Fixings) -> IntArray:
        state = fixings.state[group]
        if np.count_nonzero(state == ON) > 1:
            return group[:0]
        allowed: IntArray = group[state == ON] if np.any(state == ON) else group[state != OFF]
        return allowed
