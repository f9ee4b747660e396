"""Parse, price and cut as printed (algorithm 1): the variant "paper" of ``price-and-cut``."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import INTEGRAL
from gapless_pricecut.dual_completion import Prices
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.program import PAPER
from gapless_pricecut.proof import Proof
from gapless_pricecut.relaxation_loop import Relaxing


class Paper(Relaxing):
    """Columns by their own reduced cost, all rows of section 3.2 with them, over a flow.

    A pair of a group is priced by OneGP and NoGP alone (equation 8). The rows that would come with it cost nothing
    as long as it is absent, so that nothing is missing once no reduced cost is positive and no ArcGP is violated.

    Scopes outside of groups have no rows that other columns share, and so no price: positive ones are there from
    the start, negative ones enter when their arcs are on together.

    Parameters
    ----------
    parts, proof
        As in `Relaxing`.
    """

    def __init__(self, parts: Parts, proof: Proof) -> None:
        super().__init__(parts, proof, PAPER, flow=True)
        left = self.left
        estimate = parts.estimate[left.rows]
        # Equations 11 and 12: bounds for all lower arcs of an upper one, and for all upper arcs of a group.
        self._of_group = np.full(parts.group_lower.size, -np.inf)
        self._of_group[left.groups] = left.best(estimate)
        self._of_upper = np.full(parts.arcs.count, -np.inf)
        np.maximum.at(self._of_upper, left.upper, estimate)

    def enter_first(self, tree: IntArray, through: FloatArray) -> None:
        """All arcs, and one row of each group, that of the root for grandparents; so OneGP can be satisfied."""
        self.program.add_arcs(np.flatnonzero(self.proof.alive))
        self.program.add_rows(self.left.rows[self.left.starts])
        self.program.add_scopes(self.left.scopes[self.parts.scopes.scores[self.left.scopes] > 0])

    def price(self, prices: Prices) -> int:
        """Section 4.3: tighten the duals, find candidates by their bounds, score these, and add what gains."""
        parts, left = self.parts, self.left
        raised = self._tightened()
        one = self.program.group_prices() + raised
        none = np.maximum(self.program.none_prices(), 0.0)
        group, upper = parts.group[left.rows], left.upper
        bound = np.minimum(self._of_upper[upper], self._of_group[group]) - one[group] - none[upper]
        candidates = left.rows[(bound > parts.tolerance) & (self.program.row_column[left.rows] < 0)]
        parts.score(candidates)
        group, upper = parts.group[candidates], parts.upper[candidates]
        gain = parts.estimate[candidates] - one[group] - none[upper]
        self.bound_by(attrs.evolve(prices, level=prices.level + raised))
        return self.program.add_rows(candidates[gain > parts.tolerance]) + self.program.add_rows(self._implied())

    def _tightened(self) -> FloatArray:
        """Raise of the OneGP duals of arcs that are off, as far as their reduced costs allow (4.3.3)."""
        parts = self.parts
        room = np.maximum(-self.program.arc_gains(), 0.0)
        room[self.point > INTEGRAL] = 0.0
        lower = parts.group_lower
        raised: FloatArray = room[lower] / np.maximum(parts.groups_of[lower], 1)
        return raised

    def _implied(self) -> IntArray:
        """Absent rows whose arcs are on together: they violate ArcGP (section 4.4)."""
        left = self.left
        both = self.point[left.upper] + self.point[left.lower][left.group] > 1.0 + INTEGRAL
        return left.rows[both & (self.program.row_column[left.rows] < 0)]
