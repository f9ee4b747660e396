"""Early branching: a node whose bound is good enough as it is needs no more pricing."""

from __future__ import annotations

import math

from gapless.core.oracle import Answer
from gapless.core.pricing import Pricing
from gapless.core.tolerance import round_bound


class EarlyBranching:
    """Follows the rounds of one node.

    Parameters
    ----------
    pricing : Pricing
    granularity : float, optional
        Scores are multiples of it.
    """

    def __init__(self, pricing: Pricing, granularity: float | None) -> None:
        self.pricing, self.granularity = pricing, granularity
        self._gaps: list[float] = []

    def due(self, bound: float, attained: float, answers: list[Answer]) -> bool:
        """Whether to branch after this round.

        Parameters
        ----------
        bound : float
            Best bound of the node.
        attained : float
            Optimum of the restricted master, below which the bound cannot fall by columns.
        answers : list of Answer
            While rows are missing, the optimum may still fall.
        """
        pricing = self.pricing
        if not (pricing.early or pricing.tail) or any(len(a.batch.rows) for a in answers):
            self._gaps.clear()
            return False
        if not (math.isfinite(bound) and math.isfinite(attained)):
            return False
        if pricing.early and round_bound(bound, self.granularity) <= round_bound(attained, self.granularity):
            return True
        self._gaps.append(bound - attained)
        since = len(self._gaps) - 1 - pricing.tail
        return bool(pricing.tail) and since >= 0 and self._gaps[-1] > (1 - pricing.tail_share) * self._gaps[since]
