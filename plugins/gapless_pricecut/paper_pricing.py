"""Parse, price and cut as printed (algorithm 1): the variant "paper" of ``price-and-cut``."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL
from gapless_pricecut.bound_state import BoundState
from gapless_pricecut.dual_completion import Prices
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.program import PAPER
from gapless_pricecut.relaxation_loop import RelaxationLoop


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
