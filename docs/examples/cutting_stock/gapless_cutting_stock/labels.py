"""Pricing beside subset rows: labels that remember which rows have an odd number of their items on the roll."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless_cutting_stock.knapsack import KnapsackOracle, Priced
from gapless_cutting_stock.subset_rows import counted

AT_ONCE = 1000
"""Labels that are extended together."""
IN_ALL = 300_000
"""Limit on the labels of one length. Beyond it, the optimistic knapsack's bound has to do."""
NOISE = 1e-10
"""Patterns worth so little more than asked for are not looked for; the bound counts them."""
ENOUGH = 1e-6
"""A pattern of the optimistic knapsack that is worth so much more than asked for makes labels needless."""


@attrs.frozen(eq=False)
class Labels:
    """Partial rolls of one length: worth, next layer, end, oddness of each row, and the layers taken."""

    worth: NDArray[np.float64]
    layer: NDArray[np.int64]
    end: NDArray[np.int64]
    odd: NDArray[np.bool_]
    taken: NDArray[np.int64]

    def __len__(self) -> int:
        return self.worth.size

    def part(self, chosen: slice | NDArray[np.int64]) -> Labels:
        """Select some of the labels."""
        return Labels(*(array[chosen] for array in attrs.astuple(self, recurse=False)))


def joined(parts: list[Labels]) -> Labels:
    """Concatenate labels of equal length."""
    arrays = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
    return Labels(*(np.concatenate(each) for each in arrays))


class LabelSearch:
    """Pricing of patterns by labels, with rows that charge the first, third, ... of their items on a roll.

    Partial rolls are extended layer by layer, several at once, as long as an optimistic completion is worth more
    than asked for: a knapsack in which rows pay for every item.

    Parameters
    ----------
    oracle : KnapsackOracle
    """

    def __init__(self, oracle: KnapsackOracle) -> None:
        self.oracle = oracle
        layers = np.array(oracle.arcs.layers, np.int64)
        self.item, self.size = layers, np.asarray(oracle.arcs.sizes, np.int64)[layers]
        self.first = np.ones(layers.size, bool)
        self.first[1:] = layers[1:] != layers[:-1]

    def above(
        self,
        worth: float,
        weights: NDArray[np.float64],
        triples: NDArray[np.int64],
        row_prices: NDArray[np.float64],
        *,
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[list[Priced], float]:
        """Return patterns of more value than `worth`, best first: the best one for each largest item.

        Parameters
        ----------
        worth : float
        weights : float64 (arcs,)
        triples : int64 (rows, 3)
        row_prices : float64 (rows,)
            Payment of each row, at least 0.
        stop : callable
            Asked every few milliseconds; True ends the search, as too many labels do.

        Returns
        -------
        patterns : list of (float, tuple of int)
        bound : float
            No pattern is worth more, and none above `worth` exists when this is `worth`. It is weaker, and the
            patterns need not be the best ones, where there are too many labels.
        """
        arcs = self.oracle.arcs
        pays = np.zeros((len(triples), len(arcs.sizes)))
        pays[np.arange(len(triples))[:, None], triples] = row_prices[:, None]
        optimistic = weights + pays.sum(axis=0)[arcs.item]
        relaxed, after = self.oracle.with_completions(optimistic)
        counts = counted([pattern for _, pattern in relaxed], len(arcs.sizes))
        first = sorted(self._paid(relaxed, counts, triples, row_prices), key=lambda pair: -pair[0])
        if first and first[0][0] > worth + ENOUGH:
            return first, relaxed[0][0]
        table = self.oracle.table(weights)
        labels = Labels(
            np.zeros(1),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros((1, len(triples)), bool),
            np.zeros((1, 0), np.int64),
        )
        best: dict[int, Priced] = {}
        while len(labels):
            parts: list[Labels] = []
            for at in range(0, len(labels), AT_ONCE):
                parts.append(
                    self._extended(labels.part(slice(at, at + AT_ONCE)), table, after, pays, worth + NOISE)
                )
                if stop() or sum(map(len, parts)) > IN_ALL:
                    return first, relaxed[0][0]
            labels = _undominated(joined(parts), table.shape[1], row_prices)
            for number in np.flatnonzero(labels.worth > worth + NOISE).tolist():
                pattern = tuple(self.item[labels.taken[number]].tolist())
                value = float(labels.worth[number])
                if pattern[0] not in best or value > best[pattern[0]][0]:
                    best[pattern[0]] = value, pattern
        found = sorted(best.values(), key=lambda pair: -pair[0])
        return found, found[0][0] if found else worth + NOISE

    @staticmethod
    def _paid(
        relaxed: list[Priced],
        counts: NDArray[np.int64],
        triples: NDArray[np.int64],
        row_prices: NDArray[np.float64],
    ) -> list[Priced]:
        """Patterns with their true worth: rows do not pay for the second item, the fourth, ..."""
        unpaid = (counts[:, triples].sum(axis=2) // 2) @ row_prices
        return [(value - less, pattern) for (value, pattern), less in zip(relaxed, unpaid.tolist(), strict=True)]

    def _extended(
        self,
        labels: Labels,
        table: NDArray[np.float64],
        after: NDArray[np.float64],
        pays: NDArray[np.float64],
        worth: float,
    ) -> Labels:
        """Every label with one more item, as far as a completion may be worth more than `worth`."""
        gain = np.where(labels.odd, 0.0, 1.0) @ pays
        ends = np.minimum(labels.end[:, None] + self.size, table.shape[1] - 1)
        longer = labels.worth[:, None] + table[self.item, labels.end[:, None]] + gain[:, self.item]
        layers = np.arange(self.item.size)
        allowed = (layers >= labels.layer[:, None]) & (self.first | (layers == labels.layer[:, None]))
        hopeful = allowed & (longer + after[layers + 1, ends] > worth)
        label, layer = np.nonzero(hopeful)
        return Labels(
            longer[label, layer],
            layer + 1,
            ends[label, layer],
            labels.odd[label] ^ (pays[:, self.item[layer]].T > 0),
            np.concatenate([labels.taken[label], layer[:, None]], axis=1),
        )


def _undominated(labels: Labels, width: int, row_prices: NDArray[np.float64]) -> Labels:
    """Drop labels that another one with the same end and layer dominates.

    A row with an odd number of items pays for the next but one, a row with an even number for the next: the other
    label gives up the prices of the rows that only it has made odd. Only the best label of a place is compared.
    """
    place = labels.layer * width + labels.end
    order = np.lexsort((-labels.worth, place))
    start = np.ones(order.size, bool)
    start[1:] = place[order[1:]] != place[order[:-1]]
    best = np.empty(order.size, np.int64)
    best[order] = order[np.flatnonzero(start)[np.cumsum(start) - 1]]
    given_up = (labels.odd[best] & ~labels.odd) @ row_prices
    beaten = (labels.worth <= labels.worth[best] - given_up) & (best != np.arange(best.size))
    return labels.part(np.flatnonzero(~beaten))
