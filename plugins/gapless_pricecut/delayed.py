"""Delayed columns and rows, priced jointly: the default variant of ``price-and-cut``."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from gapless import Budget
from gapless.core.sparse import FloatArray, IntArray
from gapless_pricecut.completion import Completion, Open, Prices, complete
from gapless_pricecut.parts import Parts
from gapless_pricecut.program import ROW_SETS, PartsProgram
from gapless_pricecut.proof import Bounded, Proof

FIRST_HEADS = 3
"""Arcs of each word to begin with, besides those of the first tree."""

SAME = 1e-9
"""Relative size of what does not count as overspent."""

INTEGRAL = 1e-6

SHRINK = 0.8
"""Rows are gathered anew when fixing leaves less than this share of the arcs."""


@attrs.define(eq=False)
class Delayed:
    """The relaxation under some alive arcs, its columns and rows entering as they are missed.

    Parameters
    ----------
    parts : Parts
    proof : Proof
    fix : bool
        Whether to drop arcs that no better tree has, and to stop once the bound meets the best tree.

    Attributes
    ----------
    objective : float
        Of the last program.
    point : float64 (arcs,)
    rounds : int
    """

    parts: Parts
    proof: Proof
    fix: bool = True
    objective: float = -np.inf
    point: FloatArray = attrs.field(factory=lambda: np.zeros(0))
    rounds: int = 0
    columns: int = 0
    program: PartsProgram = attrs.field(init=False)
    left: Open = attrs.field(init=False)

    def begin(self) -> bool:
        """Bound the trees without a program, and choose first columns; False when there is no tree."""
        parts, proof = self.parts, self.proof
        self.left = left = Open.of(parts, proof.alive)
        offers_none = np.zeros(parts.group_lower.size, bool)
        offers_none[left.groups] = left.offers_none
        self.program = PartsProgram(parts, ROW_SETS["lean"], offers_none)
        count = parts.arcs.count
        nothing = Prices(
            np.full(count, np.inf),
            np.full(parts.group_lower.size, np.nan),
            np.zeros(parts.scopes.entry_scope.size),
            np.zeros(len(parts.scopes)),
            np.zeros(len(parts.scopes), bool),
        )
        completion = complete(parts, left, nothing, self._tolerance)
        found = proof.bounded(completion)
        proof.keep(found, completion, left)
        if not found.tree.size:
            return False
        proof.improve(found.tree)
        start = proof.on_ids if proof.on_ids.size else found.tree
        self._enter_first(start, found.through)
        return True

    @property
    def _tolerance(self) -> float:
        return SAME * max(1.0, self.parts.loss / (4.0 * (self.parts.arcs.length + 1)))

    def _enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """A tree, and the most promising heads of every word, with all their pairs."""
        arcs, parts = self.parts.arcs, self.parts
        order = np.lexsort((-through, arcs.modifiers))
        rank = np.arange(order.size) - arcs.first[arcs.modifiers[order]]
        chosen = np.zeros(arcs.count, bool)
        chosen[order[rank < FIRST_HEADS]] = True
        chosen &= self.proof.alive & (through > -np.inf)
        chosen[tree] = True
        self.program.add_arcs(np.flatnonzero(chosen))
        self._enter_pairs_of(chosen, tree)
        self._enter_tree(tree)

    def _enter_pairs_of(self, chosen: np.ndarray, tree: IntArray) -> None:
        left, parts = self.left, self.parts
        both = chosen[left.upper] & chosen[left.lower][left.group]
        rows = left.rows[both]
        parts.score(rows)
        self.program.add_rows(rows[parts.estimate[rows] > -np.inf])

    def _enter_tree(self, tree: IntArray) -> None:
        """All that a tree turns on, so that the program has a solution."""
        parts, left = self.parts, self.left
        on = np.zeros(parts.arcs.count, bool)
        on[tree] = True
        self.program.add_arcs(tree)
        self.program.add_rows(left.rows[on[left.upper] & on[left.lower][left.group]])
        scopes = parts.scopes
        held = np.bincount(scopes.entry_scope, on[scopes.arcs.indices], len(scopes))
        self.program.add_scopes(np.flatnonzero(held == scopes.width))

    def run(self, budget: Budget, emit: Callable[[], None]) -> bool:
        """Rounds until nothing is missing; whether that was reached. `emit` is called after each."""
        while budget.spent() is None:
            if not self.program.solve(budget.time_left):
                return False
            self.rounds += 1
            budget.iterations += 1
            self.objective, self.point = self.program.objective, self.program.point
            more = self._cut()
            missing = self._price()
            emit()
            if self.fix and self.proof.settled:
                return True
            if not (more or missing):
                if not self.program.forced(INTEGRAL) or self.proof.bound == -np.inf or self.parts.loss > 1e12:
                    return True
                self.program.raise_loss()
        return False

    def _cut(self) -> int:
        """Violated rows, and trees near the point."""
        proof = self.proof
        before = proof.on_ids
        proof.improve(proof.best_tree(self.point))
        if proof.on_ids is not before:
            self._enter_tree(proof.on_ids)
        more = self.program.tree.separate(self.point)
        return more + self.program.add_scopes(self.program.violated_scopes(INTEGRAL))

    def _price(self) -> int:
        """Bound, fix, and enter what overspends; how many columns."""
        prices = self.program.prices()
        while True:
            completion = complete(self.parts, self.left, prices, self._tolerance)
            short = np.flatnonzero(completion.short)
            asked = self._asked(completion)
            if not asked.size or self.parts.known[asked].all():
                break
            self.parts.score(asked)
        found = self.proof.bounded(completion)
        self.proof.keep(found, completion, self.left)
        if self.fix:
            self._fix(found, completion)
            if self.proof.settled:
                return 0
        if not short.size:
            return 0
        alive = self.proof.alive
        rows = asked[alive[self.parts.upper[asked]] & alive[self.parts.group_lower[self.parts.group[asked]]]]
        return self.program.add_rows(rows) + self.program.add_scopes(self._asked_scopes(completion, prices))

    def _asked(self, completion: Completion) -> IntArray:
        """Absent rows that charge arcs more than they can be charged."""
        left = self.left
        wanted = (completion.excess > 0) & (completion.short > 0)[left.upper]
        rows = left.rows[wanted]
        return rows[self.program.row_column[rows] < 0]

    def _asked_scopes(self, completion: Completion, prices: Prices) -> IntArray:
        """Absent positive scopes with a share on an arc that is overspent."""
        scopes = self.parts.scopes
        alive = self.proof.alive
        entries = self.left.entries
        charged = (completion.short[scopes.arcs.indices[entries]] > 0) & (completion.shares[entries] > 0)
        whole = np.bincount(scopes.entry_scope, ~alive[scopes.arcs.indices], len(scopes)) == 0
        asked = np.unique(scopes.entry_scope[entries[charged]])
        return asked[(self.program.scope_column[asked] < 0) & whole[asked] & (scopes.scores[asked] > 0)]

    def _fix(self, found: Bounded, completion: Completion) -> None:
        proof = self.proof
        if not np.isfinite(proof.value) or proof.settled:
            return
        dropped = proof.fix(found, completion, self.left)
        self.program.drop_arcs(dropped)
        if proof.alive.sum() < SHRINK * self.left.arcs.sum():
            self.left = Open.of(self.parts, proof.alive)
