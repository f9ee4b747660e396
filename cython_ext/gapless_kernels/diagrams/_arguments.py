"""Checks of a layered graph and of what is asked of it, shared by the compiled passes and their NumPy twin."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class GraphArrays(NamedTuple):
    """The arrays of a layered graph, see `gapless.factors.diagrams.layered_graph.LayeredGraph`."""

    layer_nodes: Array
    layer_blocks: Array
    places: Array
    sources: Array
    counts: Array
    target_at: Array
    score_at: Array
    constants: Array
    targets: Array
    scores: Array
    final: Array


_KINDS: dict[str, Any] = dict.fromkeys(GraphArrays._fields, np.int64)
_KINDS |= {"constants": np.float64, "scores": np.float64, "final": np.float64, "targets": np.int32}


def check_graph(scope: Array, graph: GraphArrays) -> None:
    """Refuse arrays that would lead a pass out of bounds."""
    for (name, dtype), array in zip(_KINDS.items(), graph, strict=True):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            raise TypeError(f"{name} must be a one-dimensional {np.dtype(dtype).name} array")
    layer_nodes, layer_blocks, places, sources, counts, target_at, score_at, constants, targets, scores, final = (
        graph
    )
    layers, blocks = layer_blocks.size - 1, places.size
    if layers < 0 or layer_blocks[0] != 0 or layer_blocks[-1] != blocks or np.any(np.diff(layer_blocks) < 0):
        raise ValueError("layer_blocks must rise from 0 to the number of blocks")
    if layer_nodes.size != layers + 2 or layer_nodes[0] != 1 or np.any(np.diff(layer_nodes) < 0):
        raise ValueError("layer_nodes must rise from 1 and have one entry more than layer_blocks")
    if layer_nodes[1] - layer_nodes[0] > 1:
        raise ValueError("the first layer has one node at most")
    if final.size != layer_nodes[-1] - layer_nodes[-2]:
        raise ValueError("final must have a number for each node of the last layer")
    if any(array.size != blocks for array in (sources, counts, target_at, score_at, constants)):
        raise ValueError(
            f"sources, counts, target_at, score_at and constants must have one entry for each of {blocks} blocks"
        )
    if not blocks:
        return
    layer = np.repeat(np.arange(layers), np.diff(layer_blocks))
    if places.min() < -1 or places.max() >= len(scope) or np.any(np.bincount(places[places >= 0], minlength=1) > 1):
        raise ValueError("places must be -1 or places in the scope, each at most once")
    late = np.flatnonzero(places < 0)
    if np.any(late != layer_blocks[layer[late]]):
        raise ValueError("the block of no decision must be the first of its layer")
    first, last = layer_nodes[layer], layer_nodes[layer + 1]
    if counts.min() < 0 or np.any((counts > 0) & ((sources < first) | (sources + counts > last))):
        raise ValueError("sources and counts must lie in the layer of their block")
    held = target_at >= 0
    if np.any((target_at + counts)[held] > targets.size) or np.any(
        (score_at + counts)[score_at >= 0] > scores.size
    ):
        raise ValueError("target_at and score_at must leave room for the edges of their block")
    over = layer_nodes[layer + 2]
    if np.any(~held & (counts > 0) & ((-target_at < last) | (-target_at + counts > over))):
        raise ValueError("targets must lie in the next layer")
    row = np.repeat(np.flatnonzero(held), counts[held])
    begin = np.cumsum(counts[held]) - counts[held]
    ends = targets[np.repeat(target_at[held] - begin, counts[held]) + np.arange(row.size)]
    if np.any((ends != 0) & ((ends < last[row]) | (ends >= over[row]))):
        raise ValueError("targets must lie in the next layer, or be 0")


def check_query(count: int, prices: Array | None, state: Array) -> tuple[Array | None, Array]:
    """Return prices and state in the types of the passes, with one entry more at the end."""
    if prices is not None:
        prices = np.asarray(prices, np.float64)
        if prices.shape != (count,):
            raise ValueError(f"prices must have shape ({count},), got {prices.shape}")
        if np.isnan(prices).any() or np.any(prices == -np.inf):
            raise ValueError("prices must be numbers, or plus infinity, which forbids")
        prices = np.append(prices, 0.0)
    state = np.asarray(state, np.int8)
    if state.shape != (count,):
        raise ValueError(f"the state must have shape ({count},), got {state.shape}")
    if np.any((state < -1) | (state > 1)):
        raise ValueError("a state is -1, 0 or 1")
    return prices, np.append(state, 0).astype(np.int8)
