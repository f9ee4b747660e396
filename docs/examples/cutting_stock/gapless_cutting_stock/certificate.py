"""Evidence for a bound: one integer per item type, per arc in the fixings, and per subset row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.roles import BoundCertificate, Fixings, GeneratorResult, LinearView, charge_work, serialisable
from gapless_cutting_stock.problem import CuttingStockProblem
from gapless_cutting_stock.subset_rows import SubsetRows

RESOLUTION = 10**9
"""Prices of the master are rounded to this fraction of a roll; any rounding leaves the certificate true."""
STATES = 10_000_000
"""Limit on the states of a roll in verification; a dozen rows take some hundred thousand."""


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def _sets(values: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(_integers, values))


@serialisable("gapless_cutting_stock.PatternPriceCertificate")
@attrs.frozen
class PatternPriceCertificate(BoundCertificate):
    """Prices under which every roll is cheap, although all items together are expensive.

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
        cls, problem: CuttingStockProblem, view: LinearView, answers: Sequence[GeneratorResult] = ()
    ) -> PatternPriceCertificate:
        """Round the prices of a master to integers; the generators' answers are not needed."""
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
        """Return minus the number of rolls that the prices prove, minus infinity if no plan is possible."""
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
        dearest = self._dearest_roll(problem, extra, most == 0)
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

    def _dearest_roll(self, problem: CuttingStockProblem, extra: dict[int, int], banned: NDArray[np.bool_]) -> int:
        """Compute the largest price of a roll: a knapsack over offsets, item by item.

        Beside the offset, a state knows which rows have an odd number of items before it; rows without types after
        it are forgotten.
        """
        order = sorted(range(len(problem.sizes)), key=lambda i: (-problem.sizes[i], i))
        on_one_roll = [min(problem.demands[i], problem.width // problem.sizes[i]) for i in range(len(order))]
        dearest_arc = max(map(abs, extra.values()), default=0)
        paid_once = sum(self.row_prices)
        most = sum(
            n * (abs(p) + dearest_arc + paid_once) for n, p in zip(on_one_roll, self.item_prices, strict=True)
        )
        best = Rolls.empty(problem.width, most)
        arc_prices = np.zeros(len(problem.arcs), best.worth.dtype)
        arc_prices[list(extra)] = list(extra.values())
        for place, item in enumerate(order):
            rows = [(1 << r, self.row_prices[r]) for r, row in enumerate(self.rows) if item in row]
            gain = best.nowhere(1)[0]
            here = problem.arcs.number[item]
            (offsets,) = np.nonzero((here >= 0) & ~banned[here])
            gain[offsets] = self.item_prices[item] - arc_prices[here[offsets]]
            longer = best
            for _ in range(on_one_roll[item]):
                longer = longer.extended(problem.sizes[item], gain, rows)
                if not longer.odd:
                    break
                best = best.merged(longer)
            later = set(order[place + 1 :])
            done = sum(bit for bit, _ in rows if not later & set(self.rows[bit.bit_length() - 1]))
            if done:
                best = best.without(done)
        return int(best.worth.max())


@attrs.frozen(eq=False)
class Rolls:
    """The most valuable partial roll for each set of odd rows and each end.

    Parameters
    ----------
    odd : list of int
        Sets of rows, as bits.
    worth : int64 or object (sets, width + 1)
        Below ``-most`` where there is no such roll. Objects are Python's integers, where 64 bits are too few.
    most : int
        No roll is worth more, or less than ``-most``.
    """

    odd: list[int]
    worth: NDArray[Any]
    most: int

    @classmethod
    def empty(cls, width: int, most: int) -> Rolls:
        """Return the empty roll."""
        exact = np.int64 if 8 * (most + 1) < 2**63 else object
        rolls = cls([0], np.full((1, width + 1), -3 * most - 1, exact), most)
        rolls.worth[0, 0] = 0
        return rolls

    def nowhere(self, sets: int) -> NDArray[Any]:
        """Return an array without rolls: its entries stay below ``-most`` after all additions."""
        return np.full((sets, self.worth.shape[1]), -3 * self.most - 1, self.worth.dtype)

    def extended(self, size: int, gain: NDArray[Any], rows: Sequence[tuple[int, int]]) -> Rolls:
        """Extend every roll by one item where `gain` allows one; rows that become odd pay their price."""
        charge_work(6 * self.worth.size, 4 + len(self.odd) * (1 + len(rows)))
        paid = [sum(price for bit, price in rows if not odd & bit) for odd in self.odd]
        longer = self.nowhere(len(self.odd))
        open_ones = (self.worth[:, :-size] >= -self.most) & (gain[:-size] >= -self.most)
        new = self.worth[:, :-size] + gain[:-size] + np.array(paid, self.worth.dtype)[:, None]
        longer[:, size:] = np.where(open_ones, new, longer[:, size:])
        kept = np.flatnonzero(open_ones.any(axis=1))
        flip = sum(bit for bit, _ in rows)
        return Rolls([self.odd[at] ^ flip for at in kept.tolist()], longer[kept], self.most)

    def merged(self, other: Rolls) -> Rolls:
        """Take the larger of two values for each set and end."""
        if self.odd == other.odd:
            return Rolls(self.odd, np.maximum(self.worth, other.worth), self.most)
        return self._gathered([*self.odd, *other.odd], np.concatenate([self.worth, other.worth]))

    def without(self, rows: int) -> Rolls:
        """Drop some rows from the state."""
        return self._gathered([odd & ~rows for odd in self.odd], self.worth)

    def _gathered(self, odd: Sequence[int], worth: NDArray[Any]) -> Rolls:
        charge_work(3 * worth.size, 2 * len(odd))
        number = {each: at for at, each in enumerate(dict.fromkeys(odd))}
        if len(number) * worth.shape[1] > STATES:
            raise gl.InvalidProblem(f"the subset rows need more than {STATES:,} states of a roll")
        best = self.nowhere(len(number))
        np.maximum.at(best, [number[each] for each in odd], worth)
        return Rolls(list(number), best, self.most)
