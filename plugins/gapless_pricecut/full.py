"""The brute-force relaxation: all columns and rows at once (section 3; BF in table 1)."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_pricecut.dual_completion import Prices
from gapless_pricecut.relaxation_loop import Relaxing


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
