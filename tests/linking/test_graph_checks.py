"""Rows that are not those of an undirected graph are refused, wherever they come from."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless_linking import Graph, graph_building


@pytest.mark.parametrize("chunk", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("rows", "weights", "vertices", "words"),
    [
        ([[1, 2], [0], []], None, [5, 6, 7], "one row and not in the other"),
        ([[1, 2], [0], [0]], [1.0, 2.0, 1.0, 3.0], [5, 6, 7], "another weight"),
        ([[1, 1], [0, 0], []], None, [5, 6, 7], "do not ascend"),
        ([[2, 1], [0], [0]], None, [5, 6, 7], "do not ascend"),
        ([[0, 1], [0], []], None, [5, 6, 7], "its own neighbour"),
        ([[1, 2], [0], [0]], None, [5, 6, 5], "names 5 twice"),
        ([[1], [2], [0]], None, [5, 6, 7], "one row and not in the other"),
    ],
)
def test_rows_of_no_graph_are_refused(monkeypatch, chunk, rows, weights, vertices, words):
    monkeypatch.setattr(graph_building, "_CHUNK", chunk)
    offsets = np.cumsum([0, *map(len, rows)])
    with pytest.raises(InvalidProblem, match=words):
        Graph(offsets, np.concatenate(rows).astype(np.int32), weights, vertices)


@pytest.mark.parametrize("chunk", [1, 50, 1 << 20])
def test_graphs_are_taken(monkeypatch, chunk):
    monkeypatch.setattr(graph_building, "_CHUNK", chunk)
    rng = np.random.default_rng(chunk)
    edges = rng.integers(0, 60, (200, 2))
    for weights in (None, rng.random(200) + 0.1):
        graph = Graph.from_edges(edges, weights)
        assert graph_building.flaw(graph.offsets, graph.neighbours, graph.weights) is None
