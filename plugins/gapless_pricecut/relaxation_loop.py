"""The loop that all linear relaxations share (algorithm 1), and its variants: at once, delayed, as printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import attrs
import numpy as np

from gapless import SolveError
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL
from gapless.roles import SolveBudget
from gapless_pricecut.bound_state import BoundState, CompletedBound
from gapless_pricecut.dual_completion import DualCompletion, OpenParts, Prices, complete
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.program import PAPER, ROW_SETS, PartsProgram, RowSet

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


class PaperPricing(RelaxationLoop):
    """Columns by their own reduced cost, all rows of section 3.2 with them, over a flow.

    A pair of a group is priced by OneGP and NoGP alone (equation 8). The rows that would come with it cost nothing
    as long as it is absent, so that nothing is missing once no reduced cost is positive and no ArcGP is violated.

    Scopes outside of groups have no rows that other columns share, and so no price: positive ones are there from
    the start, negative ones enter when their arcs are on together.

    Parameters
    ----------
    parts, proof
        As in `RelaxationLoop`.
    """

    def __init__(self, parts: PricingTables, proof: BoundState) -> None:
        super().__init__(parts, proof, PAPER, flow=True)
        open_parts = self.left
        # Per-template bounds (equation 13) are the scorer's own; these maxima are what they are summed to.
        estimate = parts.estimate[open_parts.rows]
        # Equations 11 and 12: bounds for all lower arcs of an upper one, and for all upper arcs of a group.
        self._of_group = np.full(parts.group_lower.size, -np.inf)
        self._of_group[open_parts.groups] = open_parts.best(estimate)
        self._of_upper = np.full(parts.arcs.count, -np.inf)
        np.maximum.at(self._of_upper, open_parts.upper, estimate)

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """Add all arcs, and one row of each group (the root's for grandparents), so that OneGP can be satisfied."""
        self.program.add_arcs(np.flatnonzero(self.proof.alive))
        self.program.add_rows(self.left.rows[self.left.starts])
        self.program.add_scopes(self.left.scopes[self.parts.scopes.scores[self.left.scopes] > 0])

    def price(self, prices: Prices) -> int:
        """Tighten the duals, score the candidates that bounds leave, and add those that improve (section 4.3)."""
        parts, open_parts = self.parts, self.left
        raised = self._tightened()
        one_price = self.program.group_prices() + raised
        # NoGP is an inequality, so a negative price is noise; equation 11 relies on its sign.
        none_price = np.maximum(self.program.none_prices(), 0.0)
        group, upper = parts.group[open_parts.rows], open_parts.upper
        # Equation 11: the bound on a score is the smaller of the two of section 4.3.2.
        bound = np.minimum(self._of_upper[upper], self._of_group[group]) - one_price[group] - none_price[upper]
        candidates = open_parts.rows[(bound > parts.tolerance) & (self.program.row_column[open_parts.rows] < 0)]
        parts.score(candidates)
        group, upper = parts.group[candidates], parts.upper[candidates]
        gain = parts.estimate[candidates] - one_price[group] - none_price[upper]
        # The raised duals stay dual feasible for the columns present, so they give a tighter bound.
        self.bound_by(attrs.evolve(prices, level=prices.level + raised))
        return self.program.add_rows(candidates[gain > parts.tolerance]) + self.program.add_rows(self._implied())

    def _tightened(self) -> FloatArray:
        """Return by how much OneGP duals of arcs that are off may rise until their reduced costs are 0 (4.3.3)."""
        parts = self.parts
        allowance = np.maximum(-self.program.arc_reduced_costs(), 0.0)
        # Complementary slackness: an arc that is on must keep its reduced cost of 0.
        allowance[self.point > INTEGRAL] = 0.0
        lower = parts.group_lower
        # The paper has one OneGP row for each arc (p, c); with several groups they share what it can pay.
        raised: FloatArray = allowance[lower] / np.maximum(parts.groups_of[lower], 1)
        return raised

    def _implied(self) -> IntArray:
        """Find absent rows whose arcs are on together: they violate ArcGP (section 4.4)."""
        open_parts = self.left
        both = self.point[open_parts.upper] + self.point[open_parts.lower][open_parts.group] > 1.0 + INTEGRAL
        return open_parts.rows[both & (self.program.row_column[open_parts.rows] < 0)]
