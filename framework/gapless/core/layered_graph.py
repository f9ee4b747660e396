"""A diagram in flat arrays: layers of nodes, and edges that a compiled pass reads from left to right."""

from __future__ import annotations

from collections.abc import Sequence

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
        The first node of each layer, and the number of nodes. Layer 0 has one node, or none where nothing is allowed.
    layer_blocks : int64 (layers + 1,)
    places : int64 (blocks,)
        Place in the scope of the decision that is on; -1 for none.
    sources, counts : int64 (blocks,)
        The first node of the range, and how many.
    target_at : int64 (blocks,)
        Where the targets begin in `targets`; of those that rise by one, minus the first.
    score_at : int64 (blocks,)
        Where the scores begin in `scores`; -1 where all edges have the score in `constants`.
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
        """All edges, layer after layer: the node where each begins, where it ends, its place in the scope, its score."""
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


def packed(layers: Sequence[Layer], final: FloatArray, count: int, *, relaxed: bool, reached: int) -> LayeredGraph:
    """Prune nodes that reach no end, merge nodes with the same edges, and lay out what is left.

    `final` (float64 (nodes,)): of the last layer, -inf where there is no end.
    """
    ends, renumbered = _merged(np.zeros((1, final.size), np.int64), final[None], final > -np.inf)
    done: list[Layer] = []
    for layer in reversed(layers):
        targets = np.where((layer.targets >= 0) & (layer.scores > -np.inf), renumbered[layer.targets], -1)
        scores = np.where(targets >= 0, layer.scores, 0.0)
        kept, renumbered = _merged(targets, scores, (targets >= 0).any(axis=0))
        done.append(Layer(layer.places, targets[:, kept], scores[:, kept]))
    done.reverse()
    return _laid_out(done, final[ends] + 0.0, count, relaxed, reached)


def _merged(targets: IntArray, scores: FloatArray, alive: BoolArray) -> tuple[IntArray, IntArray]:
    """Nodes to keep, ascending, and the new number of every node, -1 of those that are pruned.

    Of nodes with the same edges the first is kept. Columns are compared by a hash first, then whole.
    """
    living = np.flatnonzero(alive)
    renumbered = np.full(alive.size + 1, -1)  # the last is for targets of -1
    targets, scores = targets[:, living], scores[:, living] + 0.0  # no -0.0
    if living.size > 1:
        with np.errstate(over="ignore"):
            key = np.full(living.size, 0x9E3779B97F4A7C15, np.uint64)
            for row in (*targets, *scores):
                key = (key ^ row.view(np.uint64)) * np.uint64(0xD6E8FEB86659FD93)
                key ^= key >> np.uint64(32)
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        chosen = first[group]
        if np.array_equal(targets[:, chosen], targets) and np.array_equal(scores[:, chosen], scores):
            order = np.argsort(first)
            rank = np.empty_like(order)
            rank[order] = np.arange(order.size)
            renumbered[living] = rank[group]
            return living[first[order]], renumbered
    renumbered[living] = np.arange(living.size)
    return living, renumbered


def _laid_out(layers: Sequence[Layer], final: FloatArray, count: int, relaxed: bool, reached: int) -> LayeredGraph:
    widths = [layer.targets.shape[1] for layer in layers] + [final.size]
    layer_nodes = np.concatenate([[1], 1 + np.cumsum(widths)])
    sources, counts, target_at, score_at, constants = ([np.zeros(0)] for _ in range(5))
    targets, scores = [np.zeros(0, np.int32)], [np.zeros(0)]
    at_target = at_score = 0
    for number, layer in enumerate(layers):
        there = layer.targets >= 0
        if not there.size:  # nothing is allowed: all layers are empty
            there = np.zeros((len(there), 1), bool)
            layer = attrs.evolve(layer, targets=there - 1, scores=there * 0.0)
        low = there.argmax(axis=1)
        size = np.where(there.any(axis=1), there.shape[1] - there[:, ::-1].argmax(axis=1) - low, 0)
        edges = there.sum(axis=1)
        # In the range from the first edge to the last: no gap, and the targets rise by one.
        within = there[:, 1:] & there[:, :-1]
        rises = (edges == size) & ~(within & (np.diff(layer.targets) != 1)).any(axis=1)
        top = np.where(there, layer.scores, -np.inf).max(axis=1, initial=-np.inf)
        constant = ~(there & (layer.scores != top[:, None])).any(axis=1)
        nodes = np.where(there, layer.targets + layer_nodes[number + 1], 0).astype(np.int32)
        own_target = np.empty(low.size, np.int64)
        own_score = np.full(low.size, -1)
        for row in range(low.size):
            span = slice(low[row], low[row] + size[row])
            if rises[row]:
                own_target[row] = -int(nodes[row, low[row]]) if size[row] else -1
            else:
                own_target[row] = at_target
                targets.append(nodes[row, span])
                at_target += int(size[row])
            if not constant[row]:
                own_score[row] = at_score
                scores.append(layer.scores[row, span])
                at_score += int(size[row])
        sources.append(low + layer_nodes[number])
        counts.append(size)
        target_at.append(own_target)
        score_at.append(own_score)
        constants.append(np.where(constant & (size > 0), top, 0.0))
    return LayeredGraph(
        count,
        layer_nodes.astype(np.int64),
        np.cumsum([0, *(layer.places.size for layer in layers)]),
        np.concatenate([np.zeros(0, np.int64), *(layer.places for layer in layers)]),
        *(np.concatenate(column).astype(np.int64) for column in (sources, counts, target_at, score_at)),
        np.concatenate(constants),
        np.concatenate(targets),
        np.concatenate(scores),
        final,
        relaxed,
        reached,
    )
