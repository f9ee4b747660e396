"""The graph search equals its twin and networkx at every width; so do components and lines of edges."""

import itertools
from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from drawn import mostly_long

import gapless_kernels
from gapless_kernels.graphs import _edge_lines_twin, _graph_distances_twin

Array = npt.NDArray[Any]

SEARCHES: list[Any] = [pytest.param(_graph_distances_twin, id="numpy")]
LINES: list[Any] = [pytest.param(_edge_lines_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.graphs import _edge_lines, _graph_distances

    SEARCHES.append(pytest.param(_graph_distances, id="compiled"))
    LINES.append(pytest.param(_edge_lines, id="compiled"))

KINDS = ["hubs", "grid", "sparse"]
searches = pytest.mark.parametrize("kernel", SEARCHES)
lines = pytest.mark.parametrize("kernel", LINES)


def rows_of(made):
    rows = [sorted(made[v]) for v in range(len(made))]
    return np.cumsum([0, *map(len, rows)]), np.array([u for row in rows for u in row], np.int32)


def graph_of(kind, rng):
    if kind == "hubs":
        made = networkx.barabasi_albert_graph(400, 3, seed=int(rng.integers(1 << 30)))
        made.add_edges_from([(400 + i, 401 + i) for i in range(20)])
        return made
    if kind == "grid":
        return networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(12, 25))
    return networkx.gnm_random_graph(300, 330, seed=int(rng.integers(1 << 30)))


@pytest.mark.usefixtures("instruction_set")
@searches
@pytest.mark.parametrize(
    ("kind", "cliques"), mostly_long(itertools.product(["hubs", "grid", "sparse"], [5, 0]), [0])
)
def test_every_width_agrees_with_networkx(kernel, kind, cliques):
    rng = np.random.default_rng(cliques)
    made = graph_of(kind, rng)
    search = kernel.graph_search(*rows_of(made))
    sets = [rng.choice(len(made), 4, replace=False) for _ in range(cliques)]
    first, members = np.arange(0, 4 * cliques + 1, 4), np.array(sets, np.int32).ravel()
    for members_of_one in sets:
        made.add_edges_from((u, v) for u in members_of_one for v in members_of_one if u < v)
    distances = dict(networkx.all_pairs_shortest_path_length(made))
    for words, p in [(1, 1), (1, 70), (2, 40), (2, 290), (1, 60), (1, 200), (2, 128)]:
        points = rng.choice(len(made), p, replace=False).astype(np.int32)
        table = np.empty((p, p), np.uint8)
        assert search.distances(points, first, members, table, words)
        assert table.tolist() == [[distances[u].get(v, 255) for v in points.tolist()] for u in points.tolist()]


@searches
def test_a_table_that_is_too_small_is_no_answer(kernel):
    search = kernel.graph_search(*rows_of(networkx.path_graph(300)))
    none = np.zeros(1, np.int64), np.zeros(0, np.int32)
    small, large = np.empty((2, 2), np.uint8), np.empty((2, 2), np.uint16)
    ends = np.array([0, 299], np.int32)
    assert not search.distances(ends, *none, small, 1)
    assert search.distances(np.array([0, 254], np.int32), *none, small, 1)
    assert small[0, 1] == 254
    assert search.distances(ends, *none, large, 1)
    assert large[1, 0] == 299


@searches
def test_arguments_are_checked(kernel):
    first, near = rows_of(networkx.path_graph(5))
    search = kernel.graph_search(first, near)
    good = {
        "points": np.array([0, 4], np.int32),
        "clique_first": np.array([0, 2]),
        "clique_members": np.array([1, 2], np.int32),
        "table": np.empty((2, 2), np.uint8),
        "words": 1,
    }
    assert search.distances(**good)
    for name, value in [
        ("points", np.array([0, 5], np.int32)),
        ("points", np.array([-1, 0], np.int32)),
        ("points", np.array([1, 1], np.int32)),
        ("points", np.array([0, 1])),
        ("clique_first", np.array([0, 3])),
        ("clique_first", np.array([0, 3, 2])),
        ("clique_members", np.array([1, 9], np.int32)),
        ("table", np.empty((2, 3), np.uint8)),
        ("table", np.empty((2, 2), np.int8)),
        ("words", 3),
    ]:
        with pytest.raises((ValueError, TypeError)):
            search.distances(**{**good, name: value})
    for wrong_first, wrong_near in [(first[:-1], near), (first, near + 1), (first[::-1], near)]:
        with pytest.raises(ValueError, match="offsets"):
            kernel.graph_search(wrong_first, wrong_near)


@searches
def test_components(kernel):
    rng = np.random.default_rng(1)
    for made in (
        graph_of("sparse", rng),
        graph_of("hubs", rng),
        networkx.path_graph(2000),
        networkx.empty_graph(3),
    ):
        labels = kernel.graph_components(*rows_of(made))
        parts = sorted(networkx.connected_components(made), key=min)
        expected = [next(i for i, part in enumerate(parts) if v in part) for v in range(len(made))]
        assert labels.tolist() == expected


@lines
@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        (b"", 0, (0, 0, 0, 0)),
        (b"# 1 2\n\n% 3", 0, (0, 0, 3, 0)),
        (b"1 2\n3\t4 \r\n 5 6", 0, (3, 2, 3, 0)),
        (b"1 2 .5\n3 4 1e2\n", 0, (2, 3, 2, 0)),
        (b"1 2\n3 4 5\n", 0, (1, 2, 1, 4)),
        (b"1 2\n", 3, (0, 3, 0, 4)),
        (b"1 2\n7\n", 2, (1, 2, 1, 1)),
        (b"1 2 3 4\n", 3, (0, 3, 0, 1)),
        (b"1 2 0\n", 3, (0, 3, 0, 3)),
        (b"1 2 1_0\n", 3, (0, 3, 0, 3)),
        (b"1 2 nan\n", 3, (0, 3, 0, 3)),
        (b"\n1 +2\n", 0, (0, 0, 1, 2)),
        (b"999999999999999999 000000000000000000\n1000000000000000000 2\n", 0, (1, 2, 1, 2)),
    ],
)
def test_lines_of_edges(kernel, text, columns, expected):
    edges, weights, found, line, fault = kernel.parse_edges(text, columns)
    assert (len(edges), found, line, fault) == expected
    assert (weights is not None) == (found == 3)
    if weights is not None:
        assert weights.size == len(edges)
