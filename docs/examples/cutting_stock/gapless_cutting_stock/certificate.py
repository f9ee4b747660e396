"""Evidence for a bound: one integer per item type, and one per arc in the fixings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from gapless.roles import Answer, BoundCertificate, Fixings, LinearView, serialisable, spend_work
from gapless_cutting_stock.problem import CuttingStockProblem

RESOLUTION = 10**9
"""Prices of the master are rounded to this fraction of a roll; any rounding leaves the certificate true."""


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


@serialisable("gapless_cutting_stock.PatternPriceCertificate")
@attrs.frozen
class PatternPriceCertificate(BoundCertificate):
    """Prices that no roll can exceed by much, although all items together are expensive.

    The worth of a roll is the prices of its items minus those of its arcs; let V be the largest worth of a roll. A
    plan of N rolls is worth at most ``N * V``, and at least ``D``: prices times demands, minus the largest cost of
    arcs under the fixings. So ``N >= D / V`` (Farley 1990). This holds for any values of the fields, and is
    computed in integers without rounding.

    Parameters
    ----------
    item_prices : sequence of int
        Price of each item type, in any unit.
    arcs, arc_prices : sequences of int
        Arc numbers, and the price of each use.
    """

    kind: ClassVar[str] = "pattern prices"
    item_prices: tuple[int, ...] = attrs.field(converter=_integers)
    arcs: tuple[int, ...] = attrs.field(converter=_integers, default=())
    arc_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())

    @classmethod
    def from_view(
        cls, problem: CuttingStockProblem, view: LinearView, answers: Sequence[Answer] = ()
    ) -> PatternPriceCertificate:
        """The prices of a master in integers; the generators' answers are not needed."""
        item_prices = np.rint(-view.prices(np.arange(len(problem.sizes))) * RESOLUTION)
        usage = np.rint(view.usage_prices() * RESOLUTION)
        arcs = np.flatnonzero(np.isfinite(usage) & (usage != 0))
        return cls(item_prices.tolist(), arcs.tolist(), usage[arcs].tolist())

    def upper_bound(self, problem: gl.Problem[Any], fixings: Fixings) -> float:
        """Minus the number of rolls that the prices prove, minus infinity if no plan is possible."""
        if not isinstance(problem, CuttingStockProblem):
            raise gl.InvalidProblem(f"these are prices for cutting stock, not for {type(problem).__name__}")
        if len(self.item_prices) != len(problem.sizes) or len(self.arcs) != len(self.arc_prices):
            raise gl.InvalidProblem(f"{len(self.item_prices)} prices for {len(problem.sizes)} item types")
        least, most = problem.use_limits(fixings)
        if np.any(least > most):
            return -math.inf
        extra = dict(zip(self.arcs, self.arc_prices, strict=True))
        if extra and not 0 <= min(extra) <= max(extra) < len(problem.arcs):
            raise gl.InvalidProblem("a price is on an arc that does not exist")
        worth = sum(price * demand for price, demand in zip(self.item_prices, problem.demands, strict=True))
        worth -= sum(max(price * int(least[arc]), price * int(most[arc])) for arc, price in extra.items())
        dearest = self._dearest_roll(problem, extra, {arc for arc, limit in enumerate(most) if limit == 0})
        if worth <= 0:
            return 0.0
        if worth > dearest * sum(problem.demands):
            return -math.inf  # more rolls than items would be needed
        return -float(-(-worth // dearest))

    def _dearest_roll(self, problem: CuttingStockProblem, extra: dict[int, int], banned: set[int]) -> int:
        """The largest worth of a roll: a knapsack over the reachable offsets, item by item."""
        best = {0: 0}
        for item in sorted(range(len(problem.sizes)), key=lambda i: (-problem.sizes[i], i)):
            size, price, reached = problem.sizes[item], self.item_prices[item], best
            for _ in range(problem.demands[item]):
                spend_work(calls=len(best))
                longer: dict[int, int] = {}
                for offset, worth in reached.items():
                    arc = int(problem.arcs.number[item, offset])
                    if arc >= 0 and arc not in banned:
                        longer[offset + size] = worth + price - extra.get(arc, 0)
                if not longer:
                    break
                best = {
                    o: max(best.get(o, -(10**30)), longer.get(o, -(10**30))) for o in best.keys() | longer.keys()
                }
                reached = longer
        return max(best.values())
