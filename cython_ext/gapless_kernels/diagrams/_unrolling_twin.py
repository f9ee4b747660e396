"""NumPy twin of the unrolling of diagrams: the same states, the same nodes, the same arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Unrolling"]

Array = npt.NDArray[Any]
Layer = tuple[Array, Array]
"""Targets in the next layer, -1 where there is no edge, and scores; (choices, nodes) each."""


class Unrolling:
    """A layered graph from the steps of its layers, one after the other.

    Equal states are one node. Nodes are those of `gapless.factors.diagrams.layered_graph.LayeredGraph`.

    Parameters
    ----------
    largest : float
        Scores are at most so large in size, or -inf, which forbids.

    Attributes
    ----------
    nodes : int
        Number of nodes so far, the first one included.
    """

    def __init__(self, largest: float) -> None:
        self._largest, self._width, self.nodes = largest, 1, 1
        self._layers: list[Layer] = []

    def follow(self, steps: Sequence[Any]) -> npt.NDArray[np.int64] | None:
        """Take the steps of a layer in.

        Parameters
        ----------
        steps : sequence of (int64 (m,), float64 (m,) or float)
            For each choice the states after it, from each state that the last call gave, and the scores; -1 and
            -inf forbid.

        Returns
        -------
        int64 or None
            The states that are reached, ascending. None where the steps have another form, a state is less than -1
            or a score is none: then nothing was taken in.
        """
        width = self._width
        for step in steps:
            if type(step) is not tuple or len(step) != 2 or not _is_row(step[0], np.int64, width):
                return None
            if not isinstance(step[1], float | int) and not _is_row(step[1], np.float64, width):
                return None
        targets, worth = np.empty((len(steps), width), np.int64), np.empty((len(steps), width))
        for row, (states, score) in enumerate(steps):
            targets[row], worth[row] = states, score
        if targets.size:
            fine = (np.abs(worth) <= self._largest) | (worth == -np.inf)
            if targets.min() < -1 or not fine.all():
                return None
        targets[worth == -np.inf] = -1
        reached, inverse = np.unique(np.append(targets, -1), return_inverse=True)
        self._layers.append(((inverse.reshape(-1)[:-1] - 1).reshape(targets.shape), worth))
        self._width = reached.size - 1
        self.nodes += self._width
        return reached[1:]

    def coarsen(self, numbers: Array, count: int) -> None:
        """Merge nodes of the layer reached last: the new number of each, below `count`."""
        if numbers.shape != (self._width,) or (numbers.size and not 0 <= numbers.min() <= numbers.max() < count):
            raise ValueError(f"numbers must be {self._width} from 0 to {count - 1}")
        targets, scores = self._layers[-1]
        self._layers[-1] = np.append(numbers, -1)[targets], scores
        self.nodes += count - self._width
        self._width = count

    def graph(self, ends: Array, narrow: int) -> tuple[Array, ...]:
        """Prune nodes that reach no end, merge nodes with the same edges, and lay out what is left; once.

        Parameters
        ----------
        ends : float64
            Scores of the states reached last; -inf where there is no end.
        narrow : int
            In layers of fewer nodes, equal ones are not looked for.

        Returns
        -------
        tuple of arrays
            layer_nodes, layer_blocks, sources, counts, target_at, score_at, constants, targets, scores and final of
            a `LayeredGraph`.
        """
        ends = np.asarray(ends, np.float64)
        if ends.shape != (self._width,):
            raise ValueError(f"ends have shape {ends.shape}, expected ({self._width},)")
        living, renumbered = _kept(np.zeros((1, ends.size), np.int64), ends[None], np.isfinite(ends), narrow)
        final = ends[living] + 0.0  # no -0.0
        done: list[Layer] = []
        for reached, scores in reversed(self._layers):
            targets = renumbered[reached]
            living, renumbered = _kept(targets, scores, np.any(targets >= 0, axis=0), narrow)
            done.append((targets[:, living], scores[:, living]))
        return _laid_out(done[::-1], final)


def _is_row(array: Any, dtype: Any, width: int) -> bool:
    return (
        type(array) is np.ndarray
        and array.dtype == dtype
        and array.shape == (width,)
        and bool(array.flags.c_contiguous)
    )


def _kept(targets: Array, scores: Array, alive: Array, narrow: int) -> tuple[Array, Array]:
    """Choose the nodes to keep, ascending, and the new number of every node, -1 where it is pruned.

    Of nodes with the same edges the first is kept.
    """
    living = np.flatnonzero(alive)
    renumbered = np.full(alive.size + 1, -1)  # the last is for targets of -1
    renumbered[living] = np.arange(living.size)
    if alive.size < narrow or not living.size:
        return living, renumbered
    edges = np.concatenate([targets[:, living], np.where(targets >= 0, scores, 0.0)[:, living]])
    _, first, group = np.unique(edges, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    renumbered[living] = rank[group.reshape(-1)]
    return living[first[order]], renumbered


def _laid_out(layers: Sequence[Layer], final: Array) -> tuple[Array, ...]:
    widths = np.array([*(targets.shape[1] for targets, _ in layers), final.size])
    choices = np.array([len(targets) for targets, _ in layers], np.int64)
    layer_nodes = np.concatenate([[1], 1 + np.cumsum(widths)]).astype(np.int64)
    # One row for each block, all rows one after another.
    length = np.repeat(widths[:-1], choices)
    begin = np.cumsum(length) - length
    row = np.repeat(np.arange(length.size), length)
    column = np.arange(row.size) - begin[row]
    target = np.concatenate([np.zeros(0, np.int64), *(targets.ravel() for targets, _ in layers)])
    score = np.concatenate([np.zeros(0), *(scores.ravel() for _, scores in layers)])
    there = np.flatnonzero(target >= 0)
    its_row, own, worth = row[there], target[there], score[there]
    edges = np.bincount(its_row, minlength=length.size)
    first = np.cumsum(edges) - edges  # of each row, in `there`
    some = edges > 0
    low, size, constants = np.zeros(length.size, np.int64), np.zeros(length.size, np.int64), np.zeros(length.size)
    low[some] = column[there[first[some]]]
    size[some] = column[there[(first + edges - 1)[some]]] - low[some] + 1
    constants[some] = worth[first[some]]
    # In the range from the first edge to the last: no gap, and the targets rise by one.
    falls = (np.diff(own) != 1) & (np.diff(its_row) == 0)
    rises = (edges == size) & (np.bincount(its_row[1:][falls], minlength=length.size) == 0)
    same = np.bincount(its_row[worth != constants[its_row]], minlength=length.size) == 0
    begins_next = np.repeat(layer_nodes[1:-1], choices)
    target = np.where(target >= 0, target + begins_next[row], 0)
    target_at, targets = _ranges(~rises, target, low, size, row, column)
    target_at[rises] = -np.where(some, target[begin + low] if target.size else 0, 1)[rises]
    score_at, scores = _ranges(~same, np.where(target > 0, score, 0.0), low, size, row, column)
    score_at[same] = -1
    constants[~same] = 0.0
    return (
        layer_nodes,
        np.cumsum([0, *choices]),
        low + np.repeat(layer_nodes[:-2], choices),
        size,
        target_at,
        score_at,
        constants,
        targets.astype(np.int32),
        scores,
        final,
    )


def _ranges(which: Array, values: Array, low: Array, size: Array, row: Array, column: Array) -> tuple[Array, Array]:
    """Return the values of the ranges of some rows, one after another, and where each begins."""
    chosen = np.where(which, size, 0)
    held = which[row] & (column >= low[row]) & (column < (low + size)[row])
    return np.cumsum(chosen) - chosen, values[held]
