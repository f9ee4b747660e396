"""Random decomposable problems: trees of blobs joined by bridges."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def random_decomposable(rng: np.random.Generator, sets: int | None = None) -> LinkingProblem:
    """Sample a small problem that meets both conditions of Blanco et al. 2013, section 4.

    Among them are sets that reach over several blobs, singletons, anchors (repeated, on bridges, in empty parts,
    of weight zero and below), weighted and unit graphs, ties everywhere, and priors that forbid. `sets`: at most so
    many; else up to 5.
    """
    graph = _blobs(rng, int(rng.integers(2, 9)))
    part = _parts(graph)
    set_count = int(rng.integers(1, 6)) if sets is None else sets
    candidates = _grown_sets(rng, graph, part, set_count)
    count = graph.number_of_nodes()
    names = rng.permutation(3 * count)[:count]
    edges = np.array(graph.edges, np.int64)
    weights = None
    if rng.random() < 0.5:
        weights = rng.integers(1, 4, len(edges)) / (1.0 if rng.random() < 0.5 else 8.0)
        if rng.random() < 0.3:
            weights = rng.uniform(0.1, 2.0, len(edges))
    more: dict[str, Any] = {}
    if rng.random() < 0.6:
        zs = names[rng.integers(0, count, int(rng.integers(1, 5)))].tolist()
        more["anchors"] = [(z, _anchor_weight(rng)) for z in zs]
    if rng.random() < 0.4:
        more["prior"] = [_prior(rng, members.size) for members in candidates]
        more["prior_weight"] = float(rng.choice([0.0, 0.5, 2.0]))
    return LinkingProblem(
        Graph.from_edges(names[edges], weights),
        [names[rng.permutation(members)] for members in candidates],
        **more,
    )


def _blobs(rng: np.random.Generator, count: int) -> Any:
    """Sample cycles with chords, stars and single vertices, each joined to an earlier one."""
    graph: Any = nx.Graph()
    for blob in range(count):
        first, size = graph.number_of_nodes(), int(rng.integers(1, 5))
        graph.add_node(first)
        shape = rng.choice(["cycle", "star", "random"])
        for v in range(first + 1, first + size):
            graph.add_edge(v, first if shape == "star" else v - 1)
            if shape == "random":
                graph.add_edge(v, int(rng.integers(first, v)))
        if shape == "cycle" and size > 2:
            graph.add_edge(first + size - 1, first)
        if blob:
            graph.add_edge(int(rng.integers(0, first)), int(rng.integers(first, first + size)))
    if graph.number_of_nodes() == 1:
        graph.add_edge(0, 1)
    return graph


def _parts(graph: Any) -> IntArray:
    """Return the 2-edge-connected component of each vertex."""
    cut = graph.copy()
    cut.remove_edges_from(list(nx.bridges(graph)))
    part = np.zeros(graph.number_of_nodes(), np.int64)
    for number, members in enumerate(nx.connected_components(cut)):
        part[list(members)] = number
    return part


def _grown_sets(rng: np.random.Generator, graph: Any, part: IntArray, count: int) -> list[IntArray]:
    """Grow connected sets vertex by vertex, none of which enters a component of another set."""
    owner: dict[int, int] = {}
    found: list[IntArray] = []
    for i in range(count):
        free = [v for v in graph if int(part[v]) not in owner]
        if not free:
            break
        members = [int(rng.choice(free))]
        owner[int(part[members[0]])] = i
        for _ in range(int(rng.integers(0, 6))):
            near = {u for v in members for u in graph[v] if owner.get(int(part[u]), i) == i} - set(members)
            if not near:
                break
            members.append(int(rng.choice(sorted(near))))
            owner[int(part[members[-1]])] = i
        found.append(np.array(members))
    return found


def _anchor_weight(rng: np.random.Generator) -> float:
    return float(rng.choice([0.0, 1.0, 2.0, -1.0, 0.37, 1e6]))


def _prior(rng: np.random.Generator, size: int) -> FloatArray:
    scores = rng.integers(0, 4, size).astype(np.float64)
    scores[rng.random(size) < rng.choice([0.1, 1.0], p=[0.95, 0.05])] = -np.inf
    return scores


def large_decomposable(edges: int, sets: int = 7, *, seed: int = 0) -> LinkingProblem:
    """Sample a decomposable problem of any size, for measurements.

    Rings of eight vertices with four chords, each joined by a bridge to one of the fifty before it, so that the
    tree of rings is deep. A set holds a ring and the one above it; sets lie evenly over the graph. `edges`: about
    so many: 13 for each ring. `sets`: at most ``edges / 1300``.
    """
    rng = np.random.default_rng(seed)
    rings = max(2, edges // 13)
    first = 8 * np.arange(rings)[:, None]
    ring = np.stack([first + np.arange(8), first + (np.arange(8) + 1) % 8], axis=-1)
    chords = np.stack([first + np.arange(4), first + np.arange(4) + 3 + rng.integers(0, 2, (rings, 4))], axis=-1)
    above = np.arange(1, rings) - 1 - (rng.random(rings - 1) * np.minimum(np.arange(1, rings), 50)).astype(np.int64)
    ends = rng.integers(0, 8, (2, rings - 1))
    bridges = np.column_stack([8 * above + ends[0], 8 * np.arange(1, rings) + ends[1]])
    lower = np.linspace(1, rings - 1, min(sets, max(1, rings // 100)) + 1, dtype=np.int64)[1:]
    candidates = [np.concatenate([8 * r + np.arange(8), 8 * above[r - 1] + np.arange(8)]) for r in lower.tolist()]
    graph = Graph.from_edges(np.concatenate([ring.reshape(-1, 2), chords.reshape(-1, 2), bridges]))
    return LinkingProblem(graph, candidates)
