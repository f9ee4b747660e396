"""A diagram in flat arrays: layers of nodes, and edges that a compiled pass reads from left to right."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import FloatArray, IntArray
from gapless_kernels.diagrams._arguments import GraphArrays

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

    def __attrs_post_init__(self) -> None:
        for array in attrs.astuple(self, recurse=False):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # passes over it do not check again

    @property
    def arrays(self) -> GraphArrays:
        """The arrays as passes over the graph get them."""
        return GraphArrays(*(getattr(self, name) for name in GraphArrays._fields))

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
