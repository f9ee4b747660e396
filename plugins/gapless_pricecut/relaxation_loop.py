"""The loop that all linear relaxations share: solve, round, cut, price, until nothing is missing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from gapless import SolveError
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import INTEGRAL
from gapless.roles import Budget
from gapless_pricecut.dual_completion import Completion, Open, Prices, complete
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.program import PartsProgram, RowSet
from gapless_pricecut.proof import Bounded, Proof

DEAREST = 1e6
"""Limit on the cost of a score of -inf, in multiples of its first loss; beyond, none is shown to be needed."""


class Relaxing(ABC):
    """A linear relaxation of a parsing problem in the making.

    Parameters
    ----------
    proof : Proof
        Gets a bound and a tree in every round.
    flow : bool
        Whether a flow makes arcs a tree, in place of cut-sets.
    early : bool
        Whether to stop as soon as the bound meets a tree, which the program alone may be too loose to show.

    Attributes
    ----------
    left : Open
        The rows and scopes that the alive arcs leave.
    point : float64 (arcs,)
    complete : bool
        Whether nothing is missing any more: then `objective` is that of the relaxation.
    """

    def __init__(
        self, parts: Parts, proof: Proof, rows: RowSet, *, flow: bool = False, early: bool = False
    ) -> None:
        self.parts, self.proof, self.flow, self.early = parts, proof, flow, early
        self.left = Open.of(parts, proof.alive)
        offers_none = np.ones(parts.group_lower.size, bool)  # also where no pair of the group is left
        offers_none[self.left.groups] = self.left.offers_none
        self.program = PartsProgram(parts, rows, offers_none)
        self.objective, self.point = np.nan, np.zeros(parts.arcs.count)
        self.rounds, self.complete = 0, False

    @abstractmethod
    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """Add the first columns besides those of a tree; `through` bounds the trees with each arc."""

    @abstractmethod
    def price(self, prices: Prices) -> int:
        """Bound by `bound_by`, and add what is missing; how much."""

    def begin(self) -> bool:
        """Bound the trees without a program, and make the first one; False when there is no tree."""
        found, _ = self.bound_by(Prices.unknown(self.parts))
        if not found.tree.size:
            return False
        self.proof.improve(found.tree)
        tree = self.proof.on_ids if self.proof.on_ids.size else found.tree
        self.enter_first(tree, found.through)
        self.enter_tree(tree)
        if self.flow:
            self.program.tree.add_flow()
        return True

    def enter_tree(self, tree: IntArray) -> None:
        """Add all that a tree turns on, so that the program has a solution."""
        parts, left = self.parts, self.left
        on = np.zeros(parts.arcs.count, bool)
        on[tree] = True
        self.program.add_arcs(tree)
        self.program.add_rows(left.rows[on[left.upper] & on[left.lower][left.group]])
        held = np.bincount(parts.scopes.entry_scope, on[parts.scopes.arcs.indices], len(parts.scopes))
        self.program.add_scopes(np.flatnonzero(held == parts.scopes.width))

    def run(self, budget: Budget, enough: Callable[[], bool]) -> None:
        """Rounds until nothing is missing, the budget is spent, or `enough` says so after one.

        Raises `SolveError`: the LP solver gave up.
        """
        while budget.spent() is None:
            if not self.program.solve(budget):
                if budget.spent() is None:
                    raise SolveError(f"the LP solver found no optimum ({self.program.program.rows} rows)")
                return
            self.rounds += 1
            budget.iterations += 1
            self.objective, self.point = self.program.objective, self.program.point
            prices = self.program.prices()
            better = self.proof.improve(self.proof.best_tree(self.point))
            missing = self._cut() + self.price(prices)
            self.complete = not missing and not self._dearer()
            if enough() or self.complete:
                return
            if better:
                self.enter_tree(self.proof.on_ids)

    def _cut(self) -> int:
        """Add rows that the point violates; how many."""
        found = self.program.tree.separate(self.point)
        return found + self.program.add_scopes(self.program.violated_scopes(INTEGRAL))

    def _dearer(self) -> bool:
        """Raise what a score of -inf counts as, if the point pays it; whether it was raised."""
        if not self.program.forced(INTEGRAL) or self.proof.bound == -np.inf:
            return False
        return self.program.raise_loss(DEAREST)

    def bound_by(self, prices: Prices) -> tuple[Bounded, Completion]:
        """Bound the alive trees by prices, completed to what is absent."""
        completion = complete(self.parts, self.left, prices)
        found = self.proof.bounded(completion)
        self.proof.keep(found, completion, self.left)
        return found, completion

    @property
    def integral(self) -> bool:
        """Whether the last point is one tree."""
        return bool(np.all(np.abs(self.point - np.rint(self.point)) <= INTEGRAL))


class Full(Relaxing):
    """Everything is scored and enters at once; cut-sets and rows of projective trees enter when violated."""

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """All arcs, rows of groups and scopes."""
        self.program.add_arcs(np.flatnonzero(self.proof.alive))
        self.program.add_rows(self.left.rows)
        self.program.add_scopes(self.left.scopes)

    def price(self, prices: Prices) -> int:
        """Bound; nothing can be missing."""
        self.bound_by(prices)
        return 0
