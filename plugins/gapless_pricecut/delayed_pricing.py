"""Delayed columns and rows, priced jointly: the default variant of ``price-and-cut``."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_pricecut.bound_state import BoundState, CompletedBound
from gapless_pricecut.dual_completion import DualCompletion, OpenParts, Prices, complete
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.program import ROW_SETS
from gapless_pricecut.relaxation_loop import RelaxationLoop

FIRST_HEADS = 3
"""Number of arcs into each word at the start, in addition to that of the first tree."""


class DelayedPricing(RelaxationLoop):
    """Arcs, rows of groups and scopes enter when their upper bounds exceed the allowances of their arcs.

    `complete` bounds all absent parts; nothing has to enter once no arc is overspent. Rows enter
    with their columns, cut-sets when they are violated.

    Parameters
    ----------
    parts, proof
        As in `RelaxationLoop`.
    fix : bool
        Whether to drop arcs that no tree better than the best one has.
    """

    def __init__(self, parts: PricingTables, proof: BoundState, *, fix: bool = True) -> None:
        super().__init__(parts, proof, ROW_SETS["lean"], early=fix)
        self.fix = fix

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """Add the most promising heads of every word, with all pairs among them."""
        arcs, parts, open_parts = self.parts.arcs, self.parts, self.left
        order = np.lexsort((-through, arcs.modifiers))
        rank = np.arange(order.size) - arcs.first[arcs.modifiers[order]]
        selected = np.zeros(arcs.count, bool)
        selected[order[rank < FIRST_HEADS]] = True
        # An arc in no tree would only make the first program larger.
        selected &= self.proof.alive & (through > -np.inf)
        selected[tree] = True
        rows = open_parts.rows[selected[open_parts.upper] & selected[open_parts.lower][open_parts.group]]
        parts.score(rows)
        self.program.add_arcs(np.flatnonzero(selected))
        self.program.add_rows(rows[parts.estimate[rows] > -np.inf])

    def price(self, prices: Prices) -> int:
        """Bound, fix, and enter what overspends; how much, and how many arcs were dropped: they ask for a round."""
        while True:
            completion = complete(self.parts, self.left, prices)
            rows = self._asked_rows(completion)
            if self.parts.known[rows].all():
                break
            self.parts.score(rows)
        bounded = self.proof.bounded(completion)
        self.proof.keep(bounded, completion, self.left)
        scopes = self._asked_scopes(completion)
        dropped = 0
        if self.fix and self.proof.tree is not None and not self.proof.closed:
            dropped = self._fix(bounded, completion)
        # Fixing may just have dropped arcs of these rows.
        alive = self.proof.alive
        rows = rows[alive[self.parts.upper[rows]] & alive[self.parts.group_lower[self.parts.group[rows]]]]
        scopes = scopes[np.isin(scopes, self.left.scopes)]
        parts = self.program.add_rows(rows) + self.program.add_scopes(scopes)
        return parts + self.program.add_arcs(np.flatnonzero((completion.short > 0) & alive)) + dropped

    def _asked_rows(self, completion: DualCompletion) -> IntArray:
        """Find absent rows that charge an arc beyond its allowance."""
        open_parts = self.left
        # An excess that its upper arc can pay leaves the reduced cost of the arc at most 0.
        rows = open_parts.rows[(completion.excess > 0) & (completion.short > 0)[open_parts.upper]]
        return rows[self.program.row_column[rows] < 0]

    def _asked_scopes(self, completion: DualCompletion) -> IntArray:
        """Find absent positive scopes with a share on an arc that is overspent."""
        scopes = self.parts.scopes
        entries = self.left.entries
        charged = (completion.short[scopes.arcs.indices[entries]] > 0) & (completion.shares[entries] > 0)
        missing = np.unique(scopes.entry_scope[entries[charged]])
        return missing[self.program.scope_column[missing] < 0]

    def _fix(self, bounded: CompletedBound, completion: DualCompletion) -> int:
        dropped = self.proof.fix(bounded, completion, self.left)
        if dropped.size:
            self.program.drop_arcs(dropped)
            self.left = OpenParts.of(self.parts, self.proof.alive)
        return dropped.size
