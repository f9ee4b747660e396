"""The loop that all linear relaxations share (algorithm 1): solve, round, cut and price until nothing enters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from gapless import SolveError
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL
from gapless.roles import SolveBudget
from gapless_pricecut.bound_state import BoundState, CompletedBound
from gapless_pricecut.dual_completion import DualCompletion, OpenParts, Prices, complete
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.program import PartsProgram, RowSet

DEAREST = 1e6
"""Limit on the loss that stands for -inf, in multiples of the first one."""


class RelaxationLoop(ABC):
    """A linear relaxation of a parsing problem, solved in rounds.

    Parameters
    ----------
    proof : Proof
        Gets a bound and a tree in every round.
    flow : bool
        Whether a flow makes arcs a tree, in place of cut-sets.
    early : bool
        If True, stop as soon as the bound meets a tree. The linear program alone may be too weak to reach that.

    Attributes
    ----------
    open_parts : Open
        The rows and scopes whose arcs are all alive.
    point : float64 (arcs,)
    complete : bool
        Whether nothing has to enter any more: then `objective` is that of the relaxation.
    """

    def __init__(
        self, parts: PricingTables, proof: BoundState, rows: RowSet, *, flow: bool = False, early: bool = False
    ) -> None:
        self.parts, self.proof, self.flow, self.early = parts, proof, flow, early
        self.left = OpenParts.of(parts, proof.alive)
        # Also True for groups without a pair of alive arcs.
        offers_none = np.ones(parts.group_lower.size, bool)
        offers_none[self.left.groups] = self.left.offers_none
        self.program = PartsProgram(parts, rows, offers_none)
        self.objective, self.point = np.nan, np.zeros(parts.arcs.count)
        self.rounds, self.complete = 0, False

    @abstractmethod
    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """Add the first columns, except for those of a tree; `through` bounds the trees with each arc."""

    @abstractmethod
    def price(self, prices: Prices) -> int:
        """Bound by `bound_by` and add missing columns and rows; return their number."""

    def begin(self) -> bool:
        """Bound the trees without a program, then fill the first program; return False if there is no tree."""
        bounded, _ = self.bound_by(Prices.unknown(self.parts))
        if not bounded.tree.size:
            return False
        self.proof.improve(bounded.tree)
        tree = self.proof.on_ids if self.proof.on_ids.size else bounded.tree
        self.enter_first(tree, bounded.through)
        self.enter_tree(tree)
        if self.flow:
            self.program.tree.add_flow()
        return True

    def enter_tree(self, tree: IntArray) -> None:
        """Add the arcs, rows and scopes of a tree, so that the program has a solution."""
        parts, open_parts = self.parts, self.left
        on = np.zeros(parts.arcs.count, bool)
        on[tree] = True
        self.program.add_arcs(tree)
        self.program.add_rows(open_parts.rows[on[open_parts.upper] & on[open_parts.lower][open_parts.group]])
        on_count = np.bincount(parts.scopes.entry_scope, on[parts.scopes.arcs.indices], len(parts.scopes))
        self.program.add_scopes(np.flatnonzero(on_count == parts.scopes.width))

    def run(self, budget: SolveBudget, enough: Callable[[], bool]) -> None:
        """Run rounds until nothing has to enter, the budget is spent, or `enough` returns True after one.

        Raises `SolveError`: the LP solver gave up.
        """
        while budget.stop_reason() is None:
            if not self.program.solve(budget):
                if budget.stop_reason() is None:
                    raise SolveError(f"the LP solver found no optimum ({self.program.program.rows} rows)")
                return
            self.rounds += 1
            budget.iterations += 1
            self.objective, self.point = self.program.objective, self.program.point
            prices = self.program.prices()
            # Rounding: the tree with the largest sum of fractional values.
            better = self.proof.improve(self.proof.best_tree(self.point))
            missing = self._cut() + self.price(prices)
            self.complete = not missing and not self._dearer()
            if enough() or self.complete:
                return
            # The next optimum is then at least as good as the incumbent.
            if better:
                self.enter_tree(self.proof.on_ids)

    def _cut(self) -> int:
        """Add rows that the point violates; return their number."""
        count = self.program.tree.separate(self.point)
        return count + self.program.add_scopes(self.program.violated_scopes(INTEGRAL))

    def _dearer(self) -> bool:
        """Raise the loss that stands for -inf if the point pays it; return whether it was raised."""
        # A bound of -inf has shown that no tree is allowed: no loss could make the point avoid it.
        if not self.program.forced(INTEGRAL) or self.proof.bound == -np.inf:
            return False
        return self.program.raise_loss(DEAREST)

    def bound_by(self, prices: Prices) -> tuple[CompletedBound, DualCompletion]:
        """Bound the alive trees by prices, completed to all absent parts."""
        completion = complete(self.parts, self.left, prices)
        bounded = self.proof.bounded(completion)
        self.proof.keep(bounded, completion, self.left)
        return bounded, completion

    @property
    def integral(self) -> bool:
        """Whether the last point is one tree."""
        return bool(np.all(np.abs(self.point - np.rint(self.point)) <= INTEGRAL))


class FullProgram(RelaxationLoop):
    """The whole program at once, all parts scored; cut-sets and rows of projective trees enter when violated."""

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """Add all arcs, rows of groups and scopes."""
        self.program.add_arcs(np.flatnonzero(self.proof.alive))
        self.program.add_rows(self.left.rows)
        self.program.add_scopes(self.left.scopes)

    def price(self, prices: Prices) -> int:
        """Bound the trees; no column can be missing."""
        self.bound_by(prices)
        return 0
