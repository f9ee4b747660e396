"""Files of edges are read, wrong ones refused with the line; saved graphs come back, damaged ones do not."""

import gzip
import json
from pathlib import Path

import attrs
import networkx
import numpy as np
import pytest

from gapless import InvalidProblem
from gapless_linking import Graph, graph_reading
from gapless_linking.distances import pairwise_distances
from gapless_linking.graph_files import write_arrays

TEXT = "# nodes and edges\n% too\n\n0 1\n  1\t2 \r\n2 0\n2 2\n7 8"


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
@pytest.mark.parametrize("name", ["links.txt", "links.txt.gz"])
def test_edges_are_read(tmp_path, monkeypatch, name, chunk):
    monkeypatch.setattr(graph_reading, "_CHUNK", chunk)
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXT.encode()) if name.endswith("gz") else TEXT.encode())
    graph = Graph.read(path)
    assert sorted(graph.to_networkx().edges) == sorted([(1, 0), (2, 0), (1, 2), (7, 8)]) or graph.edge_count == 4
    assert sorted(graph.vertices.tolist()) == [0, 1, 2, 7, 8]
    assert graph.weights is None
    assert Graph.read(path, largest_component=True).left_out.tolist() == [7, 8]


def test_weights_are_read(tmp_path):
    path = tmp_path / "links"
    path.write_text("5 6 2.5\n6 7 1e-1\n7 6 3\n")
    graph = Graph.read(path)
    assert pairwise_distances(graph, np.array([5, 7]))[0, 1] == 2.6


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3", "expected two ids"),
        ("3 4 5 6", "all lines have a weight or none|expected two ids"),
        ("3 4 2.5", "all lines have a weight or none"),
        ("3 x", "whole number"),
        ("3 -4", "whole number"),
        ("3 4.0", "whole number"),
        ("3 1234567890123456789", "whole number"),
        ("3,4", "whole number"),
    ],
)
def test_wrong_lines_are_named(tmp_path, line, message):
    path = tmp_path / "links.txt"
    path.write_text(f"# first\n0 1\n\n1 2\n{line}\n2 3\n")
    with pytest.raises(InvalidProblem, match=f"links.txt, line 5: .*({message})") as error:
        Graph.read(path)
    assert repr(line) in str(error.value)


@pytest.mark.parametrize("line", ["1 2", "1 2 0", "1 2 -1", "1 2 nan", "1 2 inf", "1 2 1e999", "1 2 x", "1 2 3 4"])
def test_wrong_weights_are_named(tmp_path, line):
    path = tmp_path / "links.txt"
    path.write_text(f"0 1 0.5\n{line}\n")
    with pytest.raises(InvalidProblem, match=r"links.txt, line 2: "):
        Graph.read(path)


def test_a_truncated_archive_is_refused(tmp_path):
    path = tmp_path / "links.gz"
    whole = gzip.compress("".join(f"{i} {i * i}\n" for i in range(3000)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidProblem, match=r"links.gz is truncated or damaged after line \d+"):
        Graph.read(path)
    path.write_bytes(b"0 1\n")
    with pytest.raises(InvalidProblem, match="damaged after line 0"):
        Graph.read(path)
    (tmp_path / "none").write_text("# nothing\n")
    with pytest.raises(InvalidProblem, match="holds no edge"):
        Graph.read(tmp_path / "none")


@pytest.mark.parametrize("memory_map", [False, True])
def test_saved_graphs_come_back(tmp_path, memory_map):
    path = tmp_path / "graph"
    made = networkx.relabel_nodes(networkx.gnm_random_graph(50, 60, seed=1), lambda v: f"concept {v}")
    plain = Graph.from_networkx(made, largest_component=True)
    weighted = Graph.from_edges([[1, 2], [2, 3]], [0.5, 2.0])
    for graph in (plain, weighted):
        graph.save(path)
        again = Graph.load(path, memory_map=memory_map)
        for name in ("offsets", "neighbours", "weights", "vertices", "left_out"):
            assert np.array_equal(getattr(again, name), getattr(graph, name)), name
        assert again.names == graph.names
        points = graph.vertices[:3]
        assert np.array_equal(pairwise_distances(again, points), pairwise_distances(graph, points))
        assert [file.name for file in tmp_path.iterdir()] == ["graph"]


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "graph"
    Graph.from_edges([[1, 2], [2, 3]]).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(InvalidProblem, match="truncated or damaged: it has"):
        Graph.load(path)
    path.write_bytes(whole[:100])
    with pytest.raises(InvalidProblem, match="header cannot be read"):
        Graph.load(path)
    path.write_bytes(b"0 1\n")
    with pytest.raises(InvalidProblem, match="is no graph"):
        Graph.load(path)


@pytest.mark.parametrize("memory_map", [False, True])
@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("vertices", {"type": "|O"}),  # pointers
        ("vertices", {"type": "<U2"}),
        ("vertices", {"at": -8}),
        ("vertices", {"at": 10**9}),
        ("vertices", {"size": -1}),
        ("vertices", {"size": 10**15}),
        ("vertices", {"size": "5"}),
        ("vertices", {"more": 5}),
        ("vertices", None),
        ("others", None),
    ],
)
def test_headers_that_lie_are_refused(tmp_path, memory_map, name, entry):
    path = tmp_path / "graph"
    Graph.from_edges([[1, 2], [2, 3]], [1.0, 2.5]).save(path)
    whole = path.read_bytes()
    magic, line, _ = whole.split(b"\n", 2)
    header = json.loads(line)
    header["fields"][name] = entry and {**header["fields"][name], **entry}
    path.write_bytes(b"\n".join([magic, json.dumps(header).encode(), b""]).ljust(4096) + whole[4096:])
    with pytest.raises(InvalidProblem, match="damaged"):
        Graph.load(path, memory_map=memory_map)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("offsets", [0, 3, 1, 4], "offsets fall"),
        ("neighbours", [1, 2, 0, 3], "from 0 to 2"),
        ("neighbours", [1, 2, -1, 0], "from 0 to 2"),
        ("vertices", [-1, 2, 3], "not negative"),
        ("weights", [1.0, -1.0, 1.0, 1.0], "positive"),
        ("weights", [1.0, np.nan, 1.0, 1.0], "positive"),
    ],
)
def test_files_of_what_is_no_graph_are_refused(tmp_path, name, values, message):
    path = tmp_path / "graph"
    graph = Graph.from_edges([[1, 2], [2, 3]], [1.0, 2.5])
    fields = {field.name: getattr(graph, field.name) for field in attrs.fields(Graph)}
    fields[name] = np.array(values, fields[name].dtype)
    write_arrays(path, fields)
    with pytest.raises(InvalidProblem, match=message):
        Graph.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "graph"
    Graph.from_edges([[1, 2]]).save(path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        Graph.from_edges([[1, 2], [2, 3]]).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["graph"]
