"""The layered graph of a limit on a weighted sum, built without running steps."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.factors.diagrams.diagram_layout import DiagramLayout
from gapless.factors.diagrams.layered_graph import LayeredGraph


def weighted_sum_graph(weights: IntArray, max_sum: int, layout: DiagramLayout, limit: int) -> LayeredGraph | None:
    """Build the graph whose states are sums from 0 to `max_sum`; None if it has more than `limit` nodes.

    A layer contains all sums up to that of the weights before it, also those that no choice adds up to: then the
    targets of a choice rise by one from node to node, and need not be looked up (decision 041).

    Parameters
    ----------
    weights : int64 (layers,)
        Weight of the one decision that each layer reads, at least 0.
    max_sum : int
        At least 0.
    layout : DiagramLayout
    limit : int
    """
    layers = weights.size
    # In float64, since the sum of large weights may exceed int64.
    if layers * float(min(max_sum, weights.sum(dtype=np.float64))) > 2.0 * limit:
        return None
    max_sum = min(max_sum, int(weights.sum()))
    widths = 1 + np.minimum(np.concatenate([[0], np.cumsum(weights)]), max_sum)
    layer_nodes = np.concatenate([[1], 1 + np.cumsum(widths)])
    if layer_nodes[-1] - 1 > limit:
        return None
    # Two blocks a layer: off, from every node; on, from the nodes whose sum leaves space for the weight.
    counts = np.stack([widths[:-1], np.clip(max_sum + 1 - weights, 0, widths[:-1])], axis=1).ravel()
    targets = np.stack([layer_nodes[1:-1], layer_nodes[1:-1] + weights], axis=1).ravel()
    blocks = 2 * layers
    return LayeredGraph(
        layout.scope.size,
        layer_nodes,
        2 * np.arange(layers + 1),
        np.stack([np.full(layers, -1), layout.read], axis=1).ravel(),
        np.repeat(layer_nodes[:-2], 2),
        counts,
        -np.where(counts > 0, targets, 1),
        np.full(blocks, -1),
        np.zeros(blocks),
        np.zeros(0, np.int32),
        np.zeros(0),
        np.zeros(int(widths[-1])),
        False,
        int(layer_nodes[-1]) - 1,
    )
