"""Reading graphs, names and documents; the embedded corpus."""

import gzip
import json

import networkx as nx
import numpy as np
import pytest

import gapless as gl
from gapless.cli import Console
from gapless_linking import Graph
from gapless_models.linking.corpora import load_corpora, load_demo
from gapless_models.linking.readers import (
    LinkingFileError,
    read_documents,
    read_knowledge,
    read_names,
)

QUIET = Console(as_json=True)
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
DOCUMENT = {"id": "d", "sets": [[2, 0], [1]], "gold": [[2], [1]], "mentions": ["a", "b"]}


def packed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def documents(tmp_path, *records):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return read_documents(packed(tmp_path / "d.jsonl.gz", "\n".join(lines) + "\n"), PATH)


def test_documents_come_with_their_sets_in_order(tmp_path):
    (found,) = documents(tmp_path, {**DOCUMENT, "count": [1, 1]})
    assert (found.name, found.mentions) == ("d", ("a", "b"))
    assert [members.tolist() for members in found.sets] == [[0, 2], [1]]
    assert found.value(np.array([2, 1])) == 1.0
    assert found.value(np.array([0, 1])) == 0.5


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sets": [[0, 4], [1]], "gold": [[0], [1]]}, r"sets\[0\] names vertex 4, which the graph has not"),
        ({"gold": [[3], [1]]}, r"gold\[0\] names vertex 3, which is not in sets\[0\]"),
        ({"gold": [[2]]}, "2 sets, 1 gold sets, 2 mentions"),
        ({"sets": [[], [1]]}, r"sets\[0\] is \[\], expected a list of vertices"),
        ({"sets": [[0, 2, 2], [1]]}, r"sets\[0\] names a vertex twice"),
        ({"sets": [[0, True], [1]]}, r"sets\[0\] is \[0, True\]"),
        ({"sets": 3}, "sets is 3, expected a list of lists"),
        ({"mentions": ["a", 1]}, "mentions is"),
        ({"id": 7}, "not an object with a string id"),
    ],
)
def test_what_is_no_document_is_refused_with_its_line(tmp_path, changed, said):
    with pytest.raises(LinkingFileError, match=f"d.jsonl.gz, line 2: {said}"):
        documents(tmp_path, {**DOCUMENT, "id": "first"}, {**DOCUMENT, **changed})


def test_damaged_files_are_refused_with_their_line(tmp_path):
    with pytest.raises(LinkingFileError, match=r"line 2: not JSON .* may be cut short"):
        documents(tmp_path, DOCUMENT, json.dumps(DOCUMENT)[:20])
    with pytest.raises(LinkingFileError, match="line 2: the id 'd' is there twice"):
        documents(tmp_path, DOCUMENT, DOCUMENT)
    with pytest.raises(LinkingFileError, match="line 1: no document"):
        read_documents(packed(tmp_path / "d.jsonl.gz", ""), PATH)
    whole = packed(tmp_path / "d.jsonl.gz", json.dumps(DOCUMENT) + "\n").read_bytes()
    (tmp_path / "d.jsonl.gz").write_bytes(whole[:-12])
    with pytest.raises(LinkingFileError, match=r"line \d: the gzip data is damaged or cut short"):
        read_documents(tmp_path / "d.jsonl.gz", PATH)


def test_names_of_encyclopaedias_and_dictionaries(tmp_path):
    titles, counts = read_names(packed(tmp_path / "n.gz", "0\tParis\taida\t7\t3\n1\tRome\tboth\t\t\n"))
    assert titles == ("Paris", "Rome")
    assert counts[0] == 7.0
    assert np.isnan(counts[1])
    titles, counts = read_names(packed(tmp_path / "n.gz", "0\t01-n\tjaguar,panther\n"))
    assert (titles, counts) == (("jaguar 01-n",), None)
    for text, said in (("0\ta\n2\tb\n", "line 2: .*begin with 1"), ("0\ta\tb\tmany\t1\n", "no count of links")):
        with pytest.raises(LinkingFileError, match=said):
            read_names(packed(tmp_path / "n.gz", text))


def test_a_folder_with_directed_links(tmp_path):
    packed(tmp_path / "g.edges.gz", "0 1\n1 2\n")
    packed(tmp_path / "g.names.tsv.gz", "0\ta\n1\tb\n2\tc\n")
    found = read_knowledge(tmp_path, "g")
    assert (found.arcs, found.in_links) == (None, None)
    packed(tmp_path / "g.arcs.gz", "1 0\n1 2\n2 1\n")
    found = read_knowledge(tmp_path, "g")
    assert sorted(found.arcs.edges) == [(1, 0), (1, 2), (2, 1)]
    assert found.in_links.tolist() == [1.0, 1.0, 1.0]
    assert found.graph.edge_count == 2
    packed(tmp_path / "g.edges.gz", "0 1\n1 3\n")
    with pytest.raises(LinkingFileError, match="names vertex 3, but only 3 have a name"):
        read_knowledge(tmp_path, "g")
    packed(tmp_path / "g.arcs.gz", "1 0\n1\n")
    packed(tmp_path / "g.edges.gz", "0 1\n1 2\n")
    with pytest.raises(gl.InvalidProblem, match=r"g\.arcs\.gz, line 2: expected two ids"):
        read_knowledge(tmp_path, "g")


def test_what_is_asked_for_wrongly_is_refused(tmp_path):
    with pytest.raises(gl.InvalidProblem, match="--corpora needs --data"):
        load_corpora(None, ["aida"], QUIET)
    with pytest.raises(
        gl.InvalidProblem, match=r"--corpora iidb: no such corpus \(did you mean .iitb.\?\); there are aida"
    ):
        load_corpora(str(tmp_path), ["iidb"], QUIET)
    with pytest.raises(gl.InvalidProblem, match=r"No such file.*wiki\.edges\.gz.*--data names the folder"):
        load_corpora(str(tmp_path), ["iitb"], QUIET)
    (tmp_path / "entity_linking" / "instances").mkdir(parents=True)
    with pytest.raises(gl.InvalidProblem, match=f"did you mean --data {tmp_path}"):
        load_corpora(str(tmp_path / "entity_linking"), ["iitb"], QUIET)


def test_the_embedded_corpus_is_one_small_connected_graph_with_names_of_several_meanings():
    demo = load_demo()
    known = demo.knowledge
    assert len(demo.documents) == 20
    assert known.graph.vertex_count == len(known.titles) == len(set(known.titles)) == 300
    assert nx.is_weakly_connected(known.arcs)
    assert nx.number_of_selfloops(known.arcs) == 0
    assert known.in_links.sum() == known.arcs.number_of_edges() > known.graph.edge_count
    sizes = [members.size for one in demo.documents for members in one.sets]
    assert np.mean(np.array(sizes) > 1) > 0.7
    for one in demo.documents:
        assert len(one.sets) == len(one.fair) == len(one.mentions) > 3
        assert all(np.isin(fair, members).all() for fair, members in zip(one.fair, one.sets, strict=True))
        assert "[" not in one.text
