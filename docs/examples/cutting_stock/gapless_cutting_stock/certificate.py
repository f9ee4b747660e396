"""Evidence for a bound: one integer per item type, per arc in the fixings, and per subset row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from gapless.roles import Answer, BoundCertificate, Fixings, LinearView, serialisable, spend_work
from gapless_cutting_stock.problem import CuttingStockProblem
from gapless_cutting_stock.subset_rows import SubsetRows

RESOLUTION = 10**9
"""Prices of the master are rounded to this fraction of a roll; any rounding leaves the certificate true."""


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def _sets(values: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(_integers, values))


@serialisable("gapless_cutting_stock.PatternPriceCertificate")
@attrs.frozen
class PatternPriceCertificate(BoundCertificate):
    """Prices that no roll can exceed by much, although all items together are expensive.

    The worth of a roll is the prices of its items minus those of its arcs, and what subset rows pay: the price of a
    row for every two items of its types on the roll, and for a single one that is left. Let V be the largest worth
    of a roll. A plan of N rolls is worth at most ``N * V``, and at least ``D``: prices times demands, minus the
    largest cost of arcs under the fixings, plus the price of each row for half of the demand for its types, rounded
    up, as halves rounded up roll by roll sum up to no less. So ``N >= D / V`` (Farley 1990). This holds for
    any values of the fields, where prices of rows are not negative, and is computed in integers without rounding.

    Parameters
    ----------
    item_prices : sequence of int
        Price of each item type, in any unit.
    arcs, arc_prices : sequences of int
        Arc numbers, and the price of each use.
    rows : sequence of sequences of int
        Item types of each subset row.
    row_prices : sequence of int
        Price of each subset row, at least 0.
    """

    kind: ClassVar[str] = "pattern prices"
    item_prices: tuple[int, ...] = attrs.field(converter=_integers)
    arcs: tuple[int, ...] = attrs.field(converter=_integers, default=())
    arc_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())
    rows: tuple[tuple[int, ...], ...] = attrs.field(converter=_sets, default=())
    row_prices: tuple[int, ...] = attrs.field(converter=_integers, default=())

    @classmethod
    def from_view(
        cls, problem: CuttingStockProblem, view: LinearView, answers: Sequence[Answer] = ()
    ) -> PatternPriceCertificate:
        """The prices of a master in integers; the generators' answers are not needed."""
        item_prices = np.rint(-view.prices(np.arange(len(problem.sizes))) * RESOLUTION)
        usage = np.rint(view.usage_prices() * RESOLUTION)
        arcs = np.flatnonzero(np.isfinite(usage) & (usage != 0))
        subset = SubsetRows(problem.demands)
        held = subset.held(view)
        row_prices = np.rint(-view.prices(held) * RESOLUTION)
        held, row_prices = held[row_prices > 0], row_prices[row_prices > 0]
        rows = subset.triples(held).tolist()
        return cls(item_prices.tolist(), arcs.tolist(), usage[arcs].tolist(), rows, row_prices.tolist())

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
        self._check_rows(problem)
        worth = sum(price * demand for price, demand in zip(self.item_prices, problem.demands, strict=True))
        worth -= sum(max(price * int(least[arc]), price * int(most[arc])) for arc, price in extra.items())
        for row, price in zip(self.rows, self.row_prices, strict=True):
            worth += price * -(-sum(problem.demands[item] for item in row) // 2)
        if worth <= 0:
            return 0.0
        dearest = self._dearest_roll(problem, extra, set(np.flatnonzero(most == 0).tolist()))
        if worth > dearest * sum(problem.demands):
            return -math.inf  # more rolls than items would be needed
        return -float(-(-worth // dearest))

    def _check_rows(self, problem: CuttingStockProblem) -> None:
        if len(self.rows) != len(self.row_prices):
            raise gl.InvalidProblem(f"{len(self.row_prices)} prices for {len(self.rows)} subset rows")
        for row, price in zip(self.rows, self.row_prices, strict=True):
            if len(set(row)) < len(row) or not all(0 <= item < len(problem.sizes) for item in row):
                raise gl.InvalidProblem(f"the subset row {row} is no set of item types")
            if price < 0:
                raise gl.InvalidProblem(f"the price {price} of the subset row {row} is negative")

    def _dearest_roll(self, problem: CuttingStockProblem, extra: dict[int, int], banned: set[int]) -> int:
        """The largest worth of a roll: a knapsack over the reachable offsets, item by item.

        A state is an offset, and a bit for each row that has an odd number of items before it and types after it.
        """
        best: dict[tuple[int, int], int] = {(0, 0): 0}
        order = sorted(range(len(problem.sizes)), key=lambda i: (-problem.sizes[i], i))
        for place, item in enumerate(order):
            size, price, reached = problem.sizes[item], self.item_prices[item], best
            paying = [(1 << r, self.row_prices[r]) for r, row in enumerate(self.rows) if item in row]
            flip = sum(bit for bit, _ in paying)
            for _ in range(problem.demands[item]):
                spend_work(calls=len(best))
                longer: dict[tuple[int, int], int] = {}
                for (offset, odd), worth in reached.items():
                    arc = int(problem.arcs.number[item, offset])
                    if arc >= 0 and arc not in banned:
                        paid = sum(each for bit, each in paying if not odd & bit)
                        longer[offset + size, odd ^ flip] = worth + price - extra.get(arc, 0) + paid
                if not longer:
                    break
                best = _larger(best, longer)
                reached = longer
            later = set(order[place + 1 :])
            done = sum(bit for bit, _ in paying if not later & set(self.rows[bit.bit_length() - 1]))
            if done:
                told, best = best, {}
                for (offset, odd), worth in told.items():
                    state = offset, odd & ~done
                    best[state] = max(worth, best.get(state, worth))
        return max(best.values())


State = tuple[int, int]


def _larger(one: dict[State, int], other: dict[State, int]) -> dict[State, int]:
    return {s: max(one.get(s, -(10**30)), other.get(s, -(10**30))) for s in one.keys() | other.keys()}
