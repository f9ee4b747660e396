"""A diagram in flat arrays: layers of nodes, and edges that a compiled pass reads from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import BoolArray, FloatArray, IntArray

Targets = NDArray[np.int32]


@attrs.frozen(eq=False)
class LayeredGraph:
    """Every path from the first node to the last layer is a configuration; its edges and its end hold its value.

    Nodes are numbered layer after layer; node 0 is none of them: an edge to it is not there. The edges of one
    layer for one choice are a *block*: one edge from each node of a range. Where targets rise by one from node to
    node, a block holds the first of them alone; where all scores are the same, it holds one score.

    Parameters
    ----------
    count : int
        Decisions of the scope.
    layer_nodes : int64 (layers + 2,)
        The first node of each layer, and where the last one ends. Layer 0 has one node; none where nothing is
        allowed.
    layer_blocks : int64 (layers + 1,)
    places : int64 (blocks,)
        Place in the scope of the decision that is on; -1 for none.
    sources, counts : int64 (blocks,)
        The first node of the range, and how many.
    target_at : int64 (blocks,)
        Begin of the targets in `targets`; of those that rise by one, minus the first.
    score_at : int64 (blocks,)
        Begin of the scores in `scores`; -1 where all edges have the score in `constants`.
    constants : float64 (blocks,)
    targets : int32
    scores : float64
        Finite.
    final : float64
        Of the nodes of the last layer. Finite.
    relaxed : bool
        Whether states were merged that are not the same: paths then score at least their value.
    reached : int
        Nodes before pruning and merging.
    """

    count: int
    layer_nodes: IntArray
    layer_blocks: IntArray
    places: IntArray
    sources: IntArray
    counts: IntArray
    target_at: IntArray
    score_at: IntArray
    constants: FloatArray
    targets: Targets
    scores: FloatArray
    final: FloatArray
    relaxed: bool
    reached: int

    @property
    def layers(self) -> int:
        """Number of layers that read decisions."""
        return self.layer_blocks.size - 1

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.layer_nodes[-1]) - 1

    def edges(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """All edges, layer after layer: where each begins and ends, its place in the scope, its score."""
        found = [(np.zeros(0, np.int64),) * 3 + (np.zeros(0),)]
        for block in range(self.places.size):
            count, at, score = int(self.counts[block]), int(self.target_at[block]), int(self.score_at[block])
            tails = self.sources[block] + np.arange(count)
            heads = self.targets[at : at + count].astype(np.int64) if at >= 0 else np.arange(count) - at
            scores = self.scores[score : score + count] if score >= 0 else np.full(count, self.constants[block])
            there = heads > 0
            place = np.full(int(there.sum()), self.places[block])
            found.append((tails[there], heads[there], place, scores[there]))
        tails, heads, place, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        return tails, heads, place, scores


@attrs.frozen(eq=False)
class Layer:
    """The edges of one layer before they are packed.

    Parameters
    ----------
    places : int64 (choices,)
        Place in the scope of each choice, -1 for none.
    targets : int64 (choices, nodes)
        Number of the target in the next layer; -1 where there is no edge.
    scores : float64 (choices, nodes)
    """

    places: IntArray
    targets: IntArray
    scores: FloatArray


NARROW = 32
"""In layers of fewer nodes, equal ones are not looked for: that takes longer than a pass over them."""


def packed(layers: Sequence[Layer], final: FloatArray, count: int, *, relaxed: bool, reached: int) -> LayeredGraph:
    """Prune nodes that reach no end, merge nodes with the same edges, and lay out what is left.

    `final` (float64 (nodes,)): of the last layer, -inf where there is no end.
    """
    kept, renumbered = _kept(np.zeros((1, final.size), np.int64), final[None], np.isfinite(final))
    final = (final if kept is None else final[kept]) + 0.0  # no -0.0
    done: list[Layer] = []
    for layer in reversed(layers):
        targets, scores = layer.targets, layer.scores
        if renumbered is not None:
            targets = renumbered[targets]
        kept, renumbered = _kept(targets, scores, np.any(targets >= 0, axis=0))
        if kept is not None:
            targets, scores = targets[:, kept], scores[:, kept]
        done.append(Layer(layer.places, targets, scores))
    done.reverse()
    return _laid_out(done, final, count, relaxed, reached)


def _kept(targets: IntArray, scores: FloatArray, alive: BoolArray) -> tuple[IntArray | None, IntArray | None]:
    """Nodes to keep, ascending, and the new number of every node, -1 where it is pruned; None: all stay.

    Of nodes with the same edges the first is kept. Columns are compared by a hash first, then whole.
    """
    narrow = alive.size < NARROW
    if narrow and alive.all():
        return None, None
    living = np.flatnonzero(alive)
    renumbered = np.full(alive.size + 1, -1)  # the last is for targets of -1
    renumbered[living] = np.arange(living.size)
    if narrow:
        return living, renumbered
    targets = targets[:, living]
    scores = np.where(targets >= 0, scores[:, living], 0.0) + 0.0
    with np.errstate(over="ignore"):
        key = np.full(living.size, 0x9E3779B97F4A7C15, np.uint64)
        for row in (*targets, *scores):
            key = (key ^ row.view(np.uint64)) * np.uint64(0xD6E8FEB86659FD93)
            key ^= key >> np.uint64(32)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    if first.size == living.size:
        return living, renumbered
    chosen = first[group]
    if not (np.array_equal(targets[:, chosen], targets) and np.array_equal(scores[:, chosen], scores)):
        return living, renumbered  # two hashes are the same by chance
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    renumbered[living] = rank[group]
    return living[first[order]], renumbered


def _laid_out(layers: Sequence[Layer], final: FloatArray, count: int, relaxed: bool, reached: int) -> LayeredGraph:
    widths = np.array([*(layer.targets.shape[1] for layer in layers), final.size])
    choices = np.array([layer.places.size for layer in layers], np.int64)
    layer_nodes = np.concatenate([[1], 1 + np.cumsum(widths)]).astype(np.int64)
    # One row for each block, all rows one after another.
    length = np.repeat(widths[:-1], choices)
    begin = np.cumsum(length) - length
    row = np.repeat(np.arange(length.size), length)
    column = np.arange(row.size) - begin[row]
    target = np.concatenate([np.zeros(0, np.int64), *(layer.targets.ravel() for layer in layers)])
    score = np.concatenate([np.zeros(0), *(layer.scores.ravel() for layer in layers)])
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
    return LayeredGraph(
        count,
        layer_nodes,
        np.cumsum([0, *choices]),
        np.concatenate([np.zeros(0, np.int64), *(layer.places for layer in layers)]),
        low + np.repeat(layer_nodes[:-2], choices),
        size,
        target_at,
        score_at,
        constants,
        targets.astype(np.int32),
        scores,
        final,
        relaxed,
        reached,
    )


def _ranges(
    which: BoolArray, values: NDArray[Any], low: IntArray, size: IntArray, row: IntArray, column: IntArray
) -> tuple[IntArray, NDArray[Any]]:
    """The values of the ranges of some rows, one after another, and where each begins."""
    chosen = np.where(which, size, 0)
    held = which[row] & (column >= low[row]) & (column < (low + size)[row])
    return np.cumsum(chosen) - chosen, values[held]
