"""The backbone of independent choices: one decision of each choice group, and any of the others."""

from __future__ import annotations

import math
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.decisions import OFF, ON, Decisions, Fixings
from gapless.core.oracle import Maximised, Maximiser, Slacks
from gapless.core.sparse import FloatArray, IntArray
from gapless_kernels import COMPILED

S = TypeVar("S")


class GroupMaximiser(Maximiser[S], Generic[S]):
    """The best decision of each choice group, and every other decision of positive weight.

    Parameters
    ----------
    decisions : Decisions
        Its ``exactly_one`` are the groups, disjoint.

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
        self.loose: IntArray = np.setdiff1d(np.arange(decisions.count), grouped)

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[S]:
        """Group by group."""
        nothing: Maximised[S] = Maximised(-math.inf, np.zeros(0, np.int64))
        on: list[int] = []
        for group in self.groups:
            allowed = self._allowed(group, fixings)
            if not allowed.size or weights[allowed].max() == -math.inf:
                return nothing
            on.append(int(allowed[np.argmax(weights[allowed])]))
        state = fixings.state[self.loose]
        on.extend(self.loose[(state == ON) | ((state != OFF) & (weights[self.loose] > 0))].tolist())
        on_ids = np.array(sorted(on), np.int64)
        value = float(weights[on_ids].sum())
        return Maximised(value, on_ids, self.structure(on_ids)) if value > -math.inf else nothing

    def structure(self, on_ids: IntArray) -> S | None:
        """The structure of these decisions, where a subclass makes one."""
        return None

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Difference to the best, or to the second best, of the group."""
        on, off = np.full(weights.size, np.inf), np.full(weights.size, np.inf)
        for group in self.groups:
            allowed = self._allowed(group, fixings)
            order = allowed[np.argsort(-weights[allowed], kind="stable")]
            if not order.size or weights[order[0]] == -math.inf:
                continue
            on[order] = weights[order[0]] - weights[order]
            off[group] = 0.0
            off[order[0]] = weights[order[0]] - weights[order[1]] if order.size > 1 else np.inf
        state, w = fixings.state[self.loose], weights[self.loose]
        on[self.loose] = np.where(state == OFF, np.inf, np.maximum(0.0, -w))
        off[self.loose] = np.where(state == ON, np.inf, np.maximum(0.0, w))
        return Slacks(on, off)

    def compiled(self) -> Any:
        """The same in compiled code."""
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
