"""A diagram in flat arrays: layers of nodes, and blocks of edges that compiled passes read in order."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_kernels.diagrams._arguments import GraphArrays

Targets = NDArray[np.int32]


@attrs.frozen(eq=False)
class LayeredGraph:
    """A graph in layers, in which each path from the first node to the last layer is a configuration.

    The scores of the path's edges and of its end add up to the value of the configuration. Nodes are numbered layer
    after layer, from 1; 0 is no node, and an edge to it does not exist. The edges of one layer for one choice are a
    *block*: one edge from each node of a range. If targets rise by one from node to node, the block stores the
    first of them only; if all scores are the same, it stores one score (decision 035).

    Parameters
    ----------
    count : int
        Number of decisions of the scope.
    layer_nodes : int64 (layers + 2,)
        The first node of each layer, and the end of the last one. Layer 0 has one node, or none if no configuration
        is allowed.
    layer_blocks : int64 (layers + 1,)
        The first block of each layer, and the end of the last one.
    places : int64 (blocks,)
        Scope index of the decision that is on; -1 for none.
    sources, counts : int64 (blocks,)
        The first node of the range, and the number of its nodes.
    target_at : int64 (blocks,)
        Begin of the targets in `targets`; if they rise by one, minus the first of them.
    score_at : int64 (blocks,)
        Begin of the scores in `scores`; -1 if all edges have the score in `constants`.
    constants : float64 (blocks,)
    targets : int32
    scores : float64
        Finite.
    final : float64
        Scores of the nodes of the last layer. Finite.
    relaxed : bool
        Whether different states were merged: paths then score at least their value.
    reached : int
        Number of nodes before pruning and merging.
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
                array.flags.writeable = False  # passes share the arrays and do not check them again

    @property
    def arrays(self) -> GraphArrays:
        """The arrays in the form that passes over the graph take."""
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
        """Return all edges, layer after layer: source and target nodes, scope indices (-1 for none), scores."""
        blocks = [(np.zeros(0, np.int64),) * 3 + (np.zeros(0),)]  # so that a graph without edges concatenates, too
        for block in range(self.places.size):
            count, at, score = int(self.counts[block]), int(self.target_at[block]), int(self.score_at[block])
            tails = self.sources[block] + np.arange(count)
            heads = self.targets[at : at + count].astype(np.int64) if at >= 0 else np.arange(count) - at
            scores = self.scores[score : score + count] if score >= 0 else np.full(count, self.constants[block])
            exists = heads > 0
            index = np.full(int(exists.sum()), self.places[block])
            blocks.append((tails[exists], heads[exists], index, scores[exists]))
        tails, heads, index, scores = (np.concatenate(column) for column in zip(*blocks, strict=True))
        return tails, heads, index, scores
