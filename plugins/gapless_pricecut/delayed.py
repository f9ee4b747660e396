"""Delayed columns and rows, priced jointly: the default variant of ``price-and-cut``."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_pricecut.dual_completion import Completion, Open, Prices, complete
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.program import ROW_SETS
from gapless_pricecut.proof import Bounded, Proof
from gapless_pricecut.relaxation_loop import Relaxing

FIRST_HEADS = 3
"""Arcs into each word to begin with, besides that of the first tree."""


class Delayed(Relaxing):
    """Arcs, rows of groups and scopes enter when the allowances of arcs do not pay for what they might be worth.

    What is absent is bounded by `complete`; nothing has to enter once no arc is overspent. Rows come with their
    columns, cut-sets when they are violated.

    Parameters
    ----------
    parts, proof
        As in `Relaxing`.
    fix : bool
        Whether to drop arcs that no tree better than the best one has.
    """

    def __init__(self, parts: Parts, proof: Proof, *, fix: bool = True) -> None:
        super().__init__(parts, proof, ROW_SETS["lean"], early=fix)
        self.fix = fix

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """The most promising heads of every word, with all pairs among them."""
        arcs, parts, left = self.parts.arcs, self.parts, self.left
        order = np.lexsort((-through, arcs.modifiers))
        rank = np.arange(order.size) - arcs.first[arcs.modifiers[order]]
        chosen = np.zeros(arcs.count, bool)
        chosen[order[rank < FIRST_HEADS]] = True
        chosen &= self.proof.alive & (through > -np.inf)
        chosen[tree] = True
        rows = left.rows[chosen[left.upper] & chosen[left.lower][left.group]]
        parts.score(rows)
        self.program.add_arcs(np.flatnonzero(chosen))
        self.program.add_rows(rows[parts.estimate[rows] > -np.inf])

    def price(self, prices: Prices) -> int:
        """Bound, fix, and enter what overspends; how much, and how many arcs were dropped: they ask for a round."""
        while True:
            completion = complete(self.parts, self.left, prices)
            rows = self._asked_rows(completion)
            if self.parts.known[rows].all():
                break
            self.parts.score(rows)
        found = self.proof.bounded(completion)
        self.proof.keep(found, completion, self.left)
        scopes = self._asked_scopes(completion)
        dropped = 0
        if self.fix and self.proof.tree is not None and not self.proof.closed:
            dropped = self._fix(found, completion)
        alive = self.proof.alive
        rows = rows[alive[self.parts.upper[rows]] & alive[self.parts.group_lower[self.parts.group[rows]]]]
        scopes = scopes[np.isin(scopes, self.left.scopes)]
        parts = self.program.add_rows(rows) + self.program.add_scopes(scopes)
        return parts + self.program.add_arcs(np.flatnonzero((completion.short > 0) & alive)) + dropped

    def _asked_rows(self, completion: Completion) -> IntArray:
        """Absent rows that charge arcs more than these can be charged."""
        left = self.left
        wanted = (completion.excess > 0) & (completion.short > 0)[left.upper]
        rows = left.rows[wanted]
        return rows[self.program.row_column[rows] < 0]

    def _asked_scopes(self, completion: Completion) -> IntArray:
        """Absent positive scopes with a share on an arc that is overspent."""
        scopes = self.parts.scopes
        entries = self.left.entries
        charged = (completion.short[scopes.arcs.indices[entries]] > 0) & (completion.shares[entries] > 0)
        asked = np.unique(scopes.entry_scope[entries[charged]])
        return asked[self.program.scope_column[asked] < 0]

    def _fix(self, found: Bounded, completion: Completion) -> int:
        dropped = self.proof.fix(found, completion, self.left)
        if dropped.size:
            self.program.drop_arcs(dropped)
            self.left = Open.of(self.parts, self.proof.alive)
        return dropped.size
