"""NumPy twin of the compiled passes over a layered graph: the same sums in the same order, the same answers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels.diagrams._arguments import GraphArrays, check_graph, check_query

__all__ = ["DiagramFactor"]

Array = npt.NDArray[Any]


class DiagramFactor:
    """A factor whose configurations are the paths of a layered graph.

    Parameters
    ----------
    scope : int (count,)
        Its decisions.
    graph : GraphArrays
    exact_value : callable, optional
        Of a relaxed graph: ``exact_value(on) -> float``, the value of a configuration. Then `value_of` asks it, as
        do the other passes where every decision is fixed.
    checked : bool
        The graph is known to be sound and is not looked at again.

    Raises
    ------
    TypeError, ValueError
        An array of another type or shape, or one that leads out of the graph.
    """

    def __init__(
        self,
        scope: Array,
        graph: GraphArrays,
        *,
        exact_value: Callable[[Array], float] | None = None,
        checked: bool = False,
    ) -> None:
        if not checked:
            check_graph(scope, graph)
        self.scope = np.array(scope, np.int32)
        self._layer_nodes, self._final, self._exact_value = graph.layer_nodes.tolist(), graph.final, exact_value
        self._layers = len(graph.layer_blocks) - 1
        self._blocks: list[list[tuple[int, int, Array, Array | float]]] = []
        for layer in range(self._layers):
            own = []
            for b in range(graph.layer_blocks[layer], graph.layer_blocks[layer + 1]):
                count, at, score = int(graph.counts[b]), int(graph.target_at[b]), int(graph.score_at[b])
                ends = graph.targets[at : at + count] if at >= 0 else np.arange(count) - at
                each = graph.scores[score : score + count] if score >= 0 else float(graph.constants[b])
                own.append((int(graph.places[b]), int(graph.sources[b]), ends, each))
            self._blocks.append(own)

    def _open(self, layer: int, state: Array, prices: Array | None) -> Iterator[tuple[int, int, slice, Array, Any]]:
        """List number, place, sources, targets and scores of the blocks that the state leaves, prices counted."""
        blocks = self._blocks[layer]
        on = [b for b, block in enumerate(blocks) if block[0] >= 0 and state[block[0]] == 1]
        for b, (place, source, ends, scores) in enumerate(blocks):
            if len(on) < 2 and (b == on[0] if on else place < 0 or state[place] != 0):
                weight = 0.0 if place < 0 or prices is None else -prices[place]
                yield b, place, slice(source, source + ends.size), ends, scores + weight

    def _below(self, prices: Array | None, state: Array) -> Array:
        """Compute the best score from each node to an end."""
        below = np.full(self._layer_nodes[-1], -np.inf)
        below[self._layer_nodes[-2] :] = self._final
        for layer in reversed(range(self._layers)):
            for _, _, span, ends, scores in self._open(layer, state, prices):
                below[span] = np.maximum(below[ends] + scores, below[span])
        return below

    def _edge(self, layer: int, block: int, node: int) -> tuple[int, float]:
        """Return target and score; 0 where there is no edge."""
        _, source, ends, scores = self._blocks[layer][block]
        if not source <= node < source + ends.size:
            return 0, -np.inf
        return int(ends[node - source]), float(scores[node - source] if isinstance(scores, np.ndarray) else scores)

    def _taken(self, layer: int, y: Array) -> int:
        """Find the block that a configuration takes; -1 where it is forbidden."""
        on = [b for b, block in enumerate(self._blocks[layer]) if block[0] >= 0 and y[block[0]] == 1]
        if on:
            return on[0] if len(on) == 1 else -1
        return 0 if self._blocks[layer] and self._blocks[layer][0][0] < 0 else -1

    @property
    def _some_path(self) -> bool:
        return bool(self._layer_nodes[1] > self._layer_nodes[0])

    def _decided(self, state: Array) -> bool:
        return self._exact_value is not None and not np.any(state == -1)

    def _fixed_total(self, prices: Array, state: Array) -> float:
        assert self._exact_value is not None
        total = float(self._exact_value(state == 1))
        for price in prices[state == 1].tolist():
            total -= price
        return total

    def solve(self, prices: Array, state: Array) -> tuple[float, Array]:
        """Maximise ``value(y) - prices @ y`` over the configurations that agree with a state.

        Parameters
        ----------
        prices : float64 (count,)
            Plus infinity forbids.
        state : int8 (count,)
            -1 free, 0 off, 1 on.

        Returns
        -------
        float
            The maximum; of a relaxed graph an upper bound, unless all is fixed. -inf where there is nothing.
        int8 (count,)
            The configuration of the best path; zeros where there is none.
        """
        count = self.scope.size
        prices, state = (array[:-1] for array in check_query(count, prices, state) if array is not None)
        y = np.zeros(count, np.int8)
        if self._decided(state):
            total = self._fixed_total(prices, state)
            return total, (state.copy() if total > -np.inf else y)
        below = self._below(prices, state) if self._some_path else np.full(2, -np.inf)
        value, node = float(below[1]), 1
        if value == -np.inf:
            return value, y
        for layer in range(self._layers):
            most, on, following = -np.inf, -1, 0
            for b, place, _, _, _ in self._open(layer, state, prices):
                target, score = self._edge(layer, b, node)
                total = below[target] + (score + (0.0 if place < 0 else -prices[place]))
                if total > most:
                    most, on, following = total, place, target
            if on >= 0:
                y[on] = 1
            node = following
        return value, y

    def value_of(self, y: Array) -> float:
        """Compute the value of a configuration, int8 (count,); -inf where it is forbidden."""
        _, padded = check_query(self.scope.size, None, y)
        y = padded[:-1]
        if self._exact_value is not None:
            return float(self._exact_value(y == 1))
        node, total = 1, 0.0
        if not self._some_path:
            return -np.inf
        for layer in range(self._layers):
            taken = self._taken(layer, y)
            node, score = self._edge(layer, taken, node) if taken >= 0 else (0, -np.inf)
            if not node:
                return -np.inf
            total += score
        return float(total + self._final[node - self._layer_nodes[-2]])

    def marginals_of(self, prices: Array, state: Array) -> tuple[Array, Array]:
        """Compute the maximum of `solve` with each decision on, and with it off, float64 (count,) each."""
        count = self.scope.size
        prices, state = (array[:-1] for array in check_query(count, prices, state) if array is not None)
        on, off = np.full(count, -np.inf), np.full(count, -np.inf)
        if self._decided(state):
            total = self._fixed_total(prices, state)
            return np.where(state == 1, total, -np.inf), np.where(state == 1, -np.inf, total)
        below = self._below(prices, state) if self._some_path else np.full(2, -np.inf)
        if below[1] == -np.inf:
            return on, off
        above = np.full(below.size, -np.inf)
        above[1] = 0.0
        for layer in range(self._layers):
            through = np.full(len(self._blocks[layer]), -np.inf)
            for b, _, span, ends, scores in self._open(layer, state, prices):
                sums = above[span] + scores
                np.maximum.at(above, ends, sums)
                through[b] = (sums + below[ends]).max(initial=-np.inf)
            for b, (place, *_) in enumerate(self._blocks[layer]):
                if place >= 0:
                    on[place], off[place] = through[b], np.delete(through, b).max(initial=-np.inf)
        return on, off

    def flips_of(self, y: Array) -> Array:
        """Gain of flipping each decision of a configuration, float64 (count,); zeros where it is forbidden itself.

        In a layer of several, a decision that is off stands against none being on, or, where that is forbidden,
        against the one that is on; then turning that one off counts 0. Flips that are forbidden count -inf.
        """
        _, padded = check_query(self.scope.size, None, y)
        y = padded[:-1]
        difference = np.zeros(y.size)
        blocks = [self._taken(layer, y) for layer in range(self._layers)]
        if not self._some_path or -1 in blocks:
            return difference
        below, node = self._below(None, y), 1
        if below[1] == -np.inf:
            return difference
        for layer, taken in enumerate(blocks):
            own, none = below[node], -np.inf
            several = sum(block[0] >= 0 for block in self._blocks[layer]) > 1
            if self._blocks[layer][0][0] < 0:
                target, score = self._edge(layer, 0, node)
                none = below[target] + score
            for b, (place, *_) in enumerate(self._blocks[layer]):
                if place >= 0 and b == taken:
                    difference[place] = 0.0 if none == -np.inf and several else none - own
                elif place >= 0:
                    target, score = self._edge(layer, b, node)
                    difference[place] = (below[target] + score) - (own if none == -np.inf else none)
            node, _ = self._edge(layer, taken, node)
        return difference
