"""Early branching: end of pricing at a node whose bound more columns could no longer improve enough."""

from __future__ import annotations

import math

from gapless.arrays.tolerance import round_bound
from gapless.column_generation.pricing_options import PricingOptions
from gapless.oracles.generator import GeneratorResult


class EarlyBranching:
    """Decision after each pricing round of one node whether to branch before pricing is complete.

    Parameters
    ----------
    pricing : PricingOptions
    granularity : float, optional
        Scores are multiples of it.
    """

    def __init__(self, pricing: PricingOptions, granularity: float | None) -> None:
        self.pricing, self.granularity = pricing, granularity
        self._gaps: list[float] = []

    def due(self, bound: float, primal_value: float, answers: list[GeneratorResult]) -> bool:
        """Return whether to branch after this round.

        Parameters
        ----------
        bound : float
            Best bound of the node.
        primal_value : float
            Optimum of the restricted master, below which more columns cannot bring the bound.
        answers : list of GeneratorResult
            If one separates rows, the answer is no: the optimum may still fall.
        """
        pricing = self.pricing
        if not (pricing.early_branching or pricing.tail_off_rounds) or any(len(a.batch.rows) for a in answers):
            # New rows start another phase of column generation, whose gaps do not compare with the old ones.
            self._gaps.clear()
            return False
        if not (math.isfinite(bound) and math.isfinite(primal_value)):
            return False
        # Columns only raise the restricted optimum, so the bound stays between the two: if both round to the same
        # multiple of the granularity, the node's rounded bound is final.
        if pricing.early_branching and round_bound(bound, self.granularity) <= round_bound(
            primal_value, self.granularity
        ):
            return True
        self._gaps.append(bound - primal_value)
        start = len(self._gaps) - 1 - pricing.tail_off_rounds
        # Tailing-off: the last `tail_off_rounds` rounds closed less than `tail_off_share` of the gap.
        return (
            bool(pricing.tail_off_rounds)
            and start >= 0
            and self._gaps[-1] > (1 - pricing.tail_off_share) * self._gaps[start]
        )
