"""Graphs of any size that look like an encyclopaedia's links, and candidates in them, for benchmarks and tests."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_linking.graph import Graph
from gapless_linking.graph_building import distinct

EXPONENT = 2.3
"""Of the power law that the degrees follow."""

SHIFT = 10
"""Largest degree about n/10 to the power 1/(EXPONENT - 1), smallest degree 0.23 times the mean."""


@attrs.frozen
class CommunityKind:
    """The clustering of a graph.

    `inside`: share of the edges that join two vertices of one community. `on_topic`: share of a candidate set that
    comes from the document's topics, which are communities.
    """

    size: int
    inside: float
    on_topic: float


KINDS = {"base": CommunityKind(2000, 0.4, 8 / 96), "clustered": CommunityKind(150, 0.75, 24 / 96)}


@attrs.frozen(eq=False)
class Communities:
    """Communities of a synthetic graph.

    `labels` (int64 (vertices,)): the community of each vertex, by outside id.
    """

    labels: IntArray
    kind: CommunityKind


def synthetic_graph(
    vertices: int, edges: int, *, communities: str = "base", seed: int = 0
) -> tuple[Graph, Communities]:
    """Sample a graph whose degrees follow a power law, with communities.

    Chung-Lu: each end of an edge is a vertex drawn in proportion to its expected degree. A share of the edges takes
    the second end from the community of the first.

    Parameters
    ----------
    vertices : int
        Ids are ``0..vertices-1``; the few outside the largest component are left out.
    edges : int
        Distinct ones drawn; those outside the largest component are left out.
    communities : {"base", "clustered"}
        See `KINDS`.
    """
    if communities not in KINDS:
        raise InvalidProblem(f"communities is {communities!r}, expected one of {sorted(KINDS)}")
    kind, rng = KINDS[communities], np.random.default_rng(seed)
    if not 0 < edges <= vertices * (vertices - 1) // 4:
        raise InvalidProblem(f"{edges} edges for {vertices} vertices: at most half of all pairs can be drawn")
    degrees = np.arange(SHIFT, vertices + SHIFT, dtype=np.float64) ** (-1 / (EXPONENT - 1))
    degrees *= 2 * edges / degrees.sum()
    rng.shuffle(degrees)
    labels = np.arange(vertices) // kind.size
    keys = np.zeros(0, np.int64)
    while keys.size < edges:
        missing = int(1.1 * (edges - keys.size)) + 10
        inside = int(rng.binomial(missing, kind.inside))
        pairs = np.concatenate(
            [_inside_communities(rng, degrees, kind.size, inside), _anywhere(rng, degrees, missing - inside)],
            axis=1,
        )
        pairs = pairs[:, pairs[0] != pairs[1]]
        drawn = pairs.min(axis=0) * vertices + pairs.max(axis=0)
        keys, _ = distinct(np.concatenate([keys, drawn]), None)
        del pairs, drawn
    keys = np.delete(keys, rng.choice(keys.size, keys.size - edges, replace=False))
    pairs = np.stack(np.divmod(keys, vertices), axis=1)
    del keys
    graph = Graph.from_edges(pairs, largest_component=True)
    return graph, Communities(labels, kind)


def _draw(rng: np.random.Generator, degrees: FloatArray, count: int) -> IntArray:
    """Sample the ends of edges, ascending."""
    return np.repeat(np.arange(degrees.size), rng.multinomial(count, degrees / degrees.sum()))


def _anywhere(rng: np.random.Generator, degrees: FloatArray, count: int) -> IntArray:
    second = _draw(rng, degrees, count)
    rng.shuffle(second)
    return np.stack([_draw(rng, degrees, count), second])


def _inside_communities(rng: np.random.Generator, degrees: FloatArray, size: int, count: int) -> IntArray:
    """Sample pairs within blocks of `size` vertices; a hub counts up to a quarter of its community's size."""
    capped = np.minimum(degrees, size / 4)
    first = _draw(rng, capped, count)
    sums = np.concatenate([[0.0], np.cumsum(capped)])
    start = first // size * size
    low, high = sums[start], sums[np.minimum(start + size, degrees.size)]
    second = np.searchsorted(sums, low + (high - low) * rng.random(count), "right") - 1
    return np.stack([first, np.minimum(second, degrees.size - 1)])


def synthetic_candidates(
    graph: Graph, communities: Communities, k: int, size: int = 96, *, seed: int = 0
) -> list[IntArray]:
    """Sample candidate sets as a document about two or three topics would have them.

    Returns k arrays of outside ids, int64 (size,), ascending.

    Parameters
    ----------
    graph, communities
        From `synthetic_graph`.
    size : int
        Candidates of each set; drawn in proportion to the square root of their degree, without repetition.
    """
    rng = np.random.default_rng(seed)
    if 2 * size > graph.vertex_count:
        raise InvalidProblem(f"{size} candidates of {graph.vertex_count} vertices: at most half can be candidates")
    everywhere = _Urn(graph, np.arange(graph.vertex_count))
    label = communities.labels[graph.vertices]
    topics = rng.choice(np.unique(label), min(int(rng.integers(2, 4)), np.unique(label).size), replace=False)
    on_topic = _Urn(graph, np.flatnonzero(np.isin(label, topics)))
    first = min(round(size * communities.kind.on_topic), on_topic.size // 2)
    return [np.sort(everywhere.fill(rng, on_topic.fill(rng, [], first), size)) for _ in range(k)]


class _Urn:
    """Vertices to draw from in proportion to the square root of their degree."""

    def __init__(self, graph: Graph, numbers: IntArray) -> None:
        self.vertices = graph.vertices[numbers]
        self.size = numbers.size
        self.sums = np.cumsum(np.sqrt(np.diff(graph.offsets)[numbers]))

    def fill(self, rng: np.random.Generator, drawn: Any, size: int) -> IntArray:
        """Extend `drawn` by distinct vertices of this urn, up to `size`."""
        chosen = dict.fromkeys(np.asarray(drawn, np.int64).tolist())
        while len(chosen) < size:
            at = np.searchsorted(self.sums, self.sums[-1] * rng.random(size - len(chosen)), "right")
            chosen.update(dict.fromkeys(self.vertices[np.minimum(at, self.size - 1)].tolist()))
        return np.array(list(chosen), np.int64)
