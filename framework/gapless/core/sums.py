"""The layered graph of a limit on a weighted sum, written down without steps."""

from __future__ import annotations

import numpy as np

from gapless.core.diagram_layout import Layout
from gapless.core.layered_graph import LayeredGraph
from gapless.core.sparse import IntArray


def graph_of_sums(weights: IntArray, most: int, layout: Layout, limit: int) -> LayeredGraph | None:
    """The graph whose states are sums from 0 to `most`; None where it has more than `limit` nodes.

    A layer holds all sums up to that of the weights before it, also those that no choice adds up to: then all edges
    of a choice rise by one, and nothing has to be looked up.

    Parameters
    ----------
    weights : int64 (layers,)
        At least 0, of the one decision that each layer reads.
    most : int
        At least 0.
    layout : Layout
    limit : int
    """
    layers = weights.size
    if layers * float(min(most, weights.sum(dtype=np.float64))) > 2.0 * limit:
        return None
    most = min(most, int(weights.sum()))
    widths = 1 + np.minimum(np.concatenate([[0], np.cumsum(weights)]), most)
    layer_nodes = np.concatenate([[1], 1 + np.cumsum(widths)])
    if layer_nodes[-1] - 1 > limit:
        return None
    counts = np.stack([widths[:-1], np.clip(most + 1 - weights, 0, widths[:-1])], axis=1).ravel()
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
