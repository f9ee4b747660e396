"""The *Oracle* role, first kind: the best single roll under any weights on the arcs."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless_cutting_stock.arcs import Arcs

Priced = tuple[float, tuple[int, ...]]
"""Worth of a pattern, and the pattern."""


class KnapsackOracle(Maximiser[tuple[int, ...]]):
    """Longest path in the arc graph: a knapsack where the profit of an item depends on its offset.

    Decision `d` is arc `d`: there is one weight per arc, and fixings name arcs.

    Parameters
    ----------
    arcs : Arcs
    """

    def __init__(self, arcs: Arcs) -> None:
        self.arcs = arcs

    @cached_property
    def _first_layer(self) -> dict[int, int]:
        return {item: layer for layer, item in reversed(list(enumerate(self.arcs.layers)))}

    def solve(self, weights: NDArray[np.float64], fixings: Fixings) -> Optimum[tuple[int, ...]]:
        """Find the best pattern; the empty one has value 0 unless an arc is fixed on."""
        table, last = self._profits(weights, fixings)
        after, taken = self._after(table, last)
        if after[0, 0] == -np.inf:
            return Optimum(-np.inf, np.zeros(0, np.int64))
        pattern = self._trace(taken, 0, 0)
        chosen = np.array(self.arcs.of(pattern), np.int64)
        return Optimum(float(weights[chosen].sum()), np.sort(chosen), pattern)

    def max_marginals(self, weights: NDArray[np.float64], fixings: Fixings) -> MaxMarginals:
        """Compute the loss of forcing each arc: best path before it, its weight, best path after it."""
        table, last = self._profits(weights, fixings)
        before, (after, _) = self._before(table), self._after(table, last)
        through = np.full(table.shape, -np.inf)
        for layer, item in enumerate(self.arcs.layers):
            size = self.arcs.sizes[item]
            best = before[layer, :-size] + table[item, :-size] + after[layer + 1, size:]
            np.maximum(through[item, :-size], best, out=through[item, :-size])
        best_through = through[self.arcs.item, self.arcs.offset]
        cost = np.full(len(self.arcs), np.inf)
        np.subtract(after[0, 0], best_through, out=cost, where=best_through > -np.inf)
        return MaxMarginals(on=np.maximum(cost, 0.0))

    def by_largest_item(self, weights: NDArray[np.float64], fixings: Fixings) -> list[Priced]:
        """Return the best pattern for each item type that can be its largest one, with its value, best first."""
        return self._largest(*self._profits(weights, fixings))[0]

    def with_completions(self, weights: NDArray[np.float64]) -> tuple[list[Priced], NDArray[np.float64]]:
        """Return `by_largest_item` without fixings, and the most that a layer and later ones add after each offset.

        The latter is float64 (layers + 1, width + 1).
        """
        return self._largest(self.table(weights), 0)

    def _largest(self, table: NDArray[np.float64], last: int) -> tuple[list[Priced], NDArray[np.float64]]:
        after, taken = self._after(table, last)
        found = []
        for item, layer in self._first_layer.items():
            size = self.arcs.sizes[item]
            value = table[item, 0] + after[layer + 1, size]
            if value > -np.inf:
                found.append((float(value), (item, *self._trace(taken, layer + 1, size))))
        return sorted(found, key=lambda pair: -pair[0]), after

    def table(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Tabulate weights by type and offset, float64 (types, width + 1), -inf where an item cannot lie."""
        table = np.full(self.arcs.number.shape, -np.inf)
        table[self.arcs.item, self.arcs.offset] = weights
        return table

    def _profits(self, weights: NDArray[np.float64], fixings: Fixings) -> tuple[NDArray[np.float64], int]:
        """Tabulate weights (types, width + 1), -inf at impossible offsets, and the least offset of an end.

        An arc fixed on bans the arcs that overlap it; a path that must reach its end then has to use it.
        """
        arcs, last = self.arcs, 0
        allowed = weights.copy()
        allowed[fixings.off] = -np.inf
        ends = arcs.offset + np.asarray(arcs.sizes)[arcs.item]
        for arc in fixings.on:
            overlap = (arcs.offset < ends[arc]) & (ends > arcs.offset[arc])
            overlap[arc] = False
            allowed[overlap] = -np.inf
            last = max(last, int(ends[arc]))
        return self.table(allowed), last

    def _before(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute ``before[layer, offset]``: the best filling of a roll up to `offset` with earlier layers."""
        best = np.full((len(self.arcs.layers) + 1, table.shape[1]), -np.inf)
        best[0, 0] = 0.0
        for layer, item in enumerate(self.arcs.layers):
            size = self.arcs.sizes[item]
            best[layer + 1] = best[layer]
            taken = best[layer, :-size] + table[item, :-size]
            np.maximum(best[layer, size:], taken, out=best[layer + 1, size:])
        return best

    def _after(self, table: NDArray[np.float64], last: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Compute ``after[layer, offset]``: the most that this and later layers add after `offset`.

        The second array holds the next layer to take from there; the number of layers where none is.
        """
        layers = self.arcs.layers
        best = np.full((len(layers) + 1, table.shape[1]), -np.inf)
        best[-1, last:] = 0.0
        next_taken = np.full(best.shape, len(layers), np.int32)
        for layer in range(len(layers) - 1, -1, -1):
            item = layers[layer]
            end = table.shape[1] - self.arcs.sizes[item]
            taken = table[item, :end] + best[layer + 1, self.arcs.sizes[item] :]
            better = taken > best[layer + 1, :end]
            best[layer, end:] = best[layer + 1, end:]
            np.maximum(best[layer + 1, :end], taken, out=best[layer, :end])
            next_taken[layer] = next_taken[layer + 1]
            next_taken[layer, :end][better] = layer
        return best, next_taken

    def _trace(self, next_taken: NDArray[np.int32], layer: int, offset: int) -> tuple[int, ...]:
        """The pattern after `offset` that attains the best filling."""
        pattern = []
        while (taken := int(next_taken[layer, offset])) < len(self.arcs.layers):
            item = self.arcs.layers[taken]
            pattern.append(item)
            layer, offset = taken + 1, offset + self.arcs.sizes[item]
        return tuple(pattern)
