"""The input of a split bound, and the structure of its pairs: which share a group, and which charges are lifted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.factor_set import FactorSet
from gapless.limits.work import charge_work

LOWER_IS_SECOND, LOWER_IS_FIRST = 1, 2


@attrs.frozen(eq=False)
class SplitInput:
    """Data of a problem that the formula reads.

    Parameters
    ----------
    problem : Problem
    decisions : Decisions
    factors : FactorSet
    weights : float64 (decisions,)
        Of the backbone; -inf where a decision cannot be on.
    constant : float
    opposite : int64 (decisions,), optional
        For each decision one that is never on with it, -1 for none, in addition to the choice groups.
    excludes : callable, optional
        Whether no structure contains both decisions, pair by pair, on which lifted charges rely; None if unknown.
    length : int
        Number of additions that a weight undergoes in addition to those of the formula.
    unseen : float
        Limit on the magnitude of internal scores and values of configuration factors together; infinity if unknown.
    counted : sequence of Factor
        Conjunctions whose scores the backbone includes, so that the formula leaves them out.
    lifted : bool
        If True, the charge of a pair also covers the decisions that exclude one of the two; see `lifted_decisions`.
    """

    problem: Any
    decisions: Decisions
    factors: FactorSet
    weights: FloatArray
    constant: float = 0.0
    opposite: IntArray | None = None
    excludes: Callable[[IntArray, IntArray], BoolArray] | None = None
    length: int = 0
    unseen: float = math.inf
    counted: Sequence[Any] = ()
    lifted: bool = False

    @property
    def group_index(self) -> IntArray:
        """Number of each decision's choice group, -1 for none."""
        return self.decisions.group_index()

    def compatible(self, scopes: IntArray) -> BoolArray:
        """Return which scopes no known exclusion forbids, bool (m,)."""
        possible = self.factors.possible(scopes)
        if self.opposite is not None:
            opposite = self.opposite[scopes]
            for a in range(scopes.shape[1]):
                for b in range(a + 1, scopes.shape[1]):
                    possible &= opposite[:, a] != scopes[:, b]
        return possible


def lifted_decisions(split: SplitInput, scopes: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the decisions that the charges of these pairs (e, f) cover: the row and the decision of each.

    Lifting (decision 008): the charge of (e, f) also applies to the members of e's choice group that f excludes,
    and to the members of f's group that exclude e and all of those. A structure then contains two of these
    decisions only if they are e and f. Pairs with an ungrouped decision are not lifted.

    Raises
    ------
    InvalidProblem
        `split.excludes` is None.
    """
    group_index = split.group_index
    rows = rows[(group_index[scopes[rows]] >= 0).all(axis=1)] if rows.size else rows
    if not rows.size:
        return rows, rows
    if split.excludes is None:
        raise InvalidProblem("charges are lifted, but which decisions exclude each other is not known here")
    groups = split.decisions.choice_groups()
    width = max(group.size for group in groups)
    table = np.full((len(groups), width), -1, np.int64)
    for number, group in enumerate(groups):
        table[number, : group.size] = group
    charge_work(30 * rows.size * width * width, 100 * width)
    e, f = scopes[rows, 0, None], scopes[rows, 1, None]
    e_group, f_group = table[group_index[e[:, 0]]], table[group_index[f[:, 0]]]
    of_e = (e_group >= 0) & (e_group != e) & split.excludes(e_group, f)
    of_f = (f_group >= 0) & (f_group != f) & split.excludes(f_group, e)
    for column in range(width):
        of_f &= ~of_e[:, column, None] | split.excludes(f_group, e_group[:, column, None])
    return (
        np.concatenate([rows[np.nonzero(mask)[0]] for mask in (of_e, of_f)]),
        np.concatenate([e_group[of_e], f_group[of_f]]),
    )


def grouped_pairs(split: SplitInput, scopes: IntArray, way: int) -> BoolArray:
    """Return which possible pairs share the lower decision and the upper one's group with another pair."""
    if way not in (LOWER_IS_SECOND, LOWER_IS_FIRST):
        return np.zeros(len(scopes), bool)
    if scopes.shape[1] != 2:
        raise InvalidProblem("only pairs of decisions can be grouped")
    lower = 1 if way == LOWER_IS_SECOND else 0
    upper_group = split.group_index[scopes[:, 1 - lower]]
    groups = int(upper_group.max(initial=-1)) + 1
    possible = split.compatible(scopes) & (upper_group >= 0)
    group = np.where(possible, scopes[:, lower] * groups + upper_group, 0)
    size = np.bincount(group[possible], minlength=1)
    shared: BoolArray = possible.copy()
    # A group of one pair gains nothing from a maximum: splitting its score is at least as tight.
    shared[possible] = size[group[possible]] > 1
    return shared
