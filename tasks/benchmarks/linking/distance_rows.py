"""Distances between all candidates of a document on drawn graphs, next to networkit searching from each of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.frame.bench import Measurement
from benchmarks.frame.fresh_process import high_water, in_new_process
from benchmarks.frame.marks import UNJUDGED, line
from benchmarks.frame.peers import NETWORKIT
from benchmarks.frame.turns import Both, Compared, cpu_seconds, timed_call
from benchmarks.linking.instances import CANDIDATES, VERTICES
from gapless.arrays.sparse import IntArray
from gapless_linking import Graph
from gapless_linking.distances import pairwise_distances
from gapless_linking.synthetic import KINDS, synthetic_candidates, synthetic_graph

SETS = 12
DEGREE = 20
LARGE = 3_700_000
LARGE_EDGES = 36_000_000
PEER_SOURCES = 5
"""Candidates that the peer searches from; its time for the others is taken to be the same."""

_GIBIBYTE = 2.0**30


def distance_lines(
    vertices: int = VERTICES, candidates: int = CANDIDATES, *, large: bool = False
) -> Iterator[Measurement]:
    """Measure time for all pairs, and peak memory of a process that does nothing else.

    Parameters
    ----------
    vertices : int
        Of the drawn graphs, with ten times as many edges.
    candidates : int
        Of each of `SETS` mentions.
    large : bool
        On a graph of the size of Wikipedia, too: drawing it takes a minute or two, and 4 GB.

    Yields
    ------
    BenchmarkLine or Compared
        networkit only where that is installed.
    """
    judged = (vertices, candidates) == (VERTICES, CANDIDATES)
    sizes = [(communities, vertices, vertices * DEGREE // 2) for communities in KINDS]
    for communities, n, edges in [*sizes, *([("base", LARGE, LARGE_EDGES)] if large else [])]:
        graph, labels = synthetic_graph(n, edges, communities=communities)
        sets = synthetic_candidates(graph, labels, SETS, candidates)
        points = np.unique(np.concatenate(sets))
        scores = f"{communities}, {n:,} vertices, {points.size:,} candidates"
        seconds, peak = _alone(graph, points)
        marks = (15, 3) if n == LARGE and judged else UNJUDGED
        yield line("distances", scores, seconds, "s", marks)
        marks = (2, 1.5) if n == LARGE and judged else UNJUDGED
        yield line("peak memory, with the graph", scores, peak and peak / _GIBIBYTE, "GiB", marks)
        if NETWORKIT.installed:
            marks = (60, 200) if n == VERTICES and judged else UNJUDGED
            pairs = _edges(graph)
            built = cpu_seconds(Graph.from_edges, pairs)
            ours, peer = _both(built, seconds), _both(*_networkit_seconds(graph, pairs, points))
            yield Compared("distances", "networkit, one search for each candidate", "", scores, (ours, peer), marks)


def _alone(graph: Graph, points: IntArray) -> tuple[float, float | None]:
    """CPU seconds, and peak resident bytes, in a process that loads the graph and looks for these distances."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        graph.save(path)
        return in_new_process(measured, path, points)


def measured(path: Path, points: IntArray) -> tuple[float, float | None]:
    """Measure CPU seconds and peak bytes of this process, which does nothing else."""
    graph = Graph.load(path)
    return cpu_seconds(pairwise_distances, graph, points), high_water()


def _edges(graph: Graph) -> IntArray:
    """Each edge once, (m, 2)."""
    rows = np.repeat(np.arange(graph.vertex_count), np.diff(graph.offsets))
    half = rows < graph.neighbours
    return np.stack([rows[half], graph.neighbours[half].astype(np.int64)], axis=1)


def _both(building: float, searching: float) -> Both[None]:
    """One number each: from an array of edges, and with the graph already built."""
    return Both.of(np.array([building + searching]), np.array([searching]))


def _networkit_seconds(graph: Graph, pairs: IntArray, points: IntArray) -> tuple[float, float]:
    """CPU seconds for the graph, and for a search from each point, by those that a few of them took."""
    networkit = NETWORKIT.load()
    networkit.setNumberOfThreads(1)
    building, built = timed_call(
        lambda: networkit.GraphFromCoo((pairs[:, 0].copy(), pairs[:, 1].copy()), n=graph.vertex_count)
    )
    sources = graph.inner(points[:: max(1, points.size // PEER_SOURCES)])
    searches = [networkit.distance.BFS(built, source, storePaths=False) for source in sources.tolist()]
    return building, float(np.mean([cpu_seconds(search.run) for search in searches]) * points.size)
