"""Decoding graphs: scores as the models give them, the edges of a path, what could stand instead."""

import os
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from gapless.cli import Console
from gapless_models.titles.corpus import load_corpus
from gapless_models.titles.graph import prepare, title_problems, train_model
from gapless_models.titles.language_model import BOUNDARY
from gapless_models.titles.section import Section
from gapless_models.titles.selection import read_body
from gapless_ordering.enumeration import best_paths
from gapless_ordering.path_drawing import Alternative, alternatives, draw_path
from gapless_tasks.titles.explaining import Edge, draw_lines, edges, explain

pytest.importorskip("nltk")
pytest.importorskip("sklearn")

QUIET = Console(as_json=True)


@pytest.fixture(scope="module")
def model():
    return train_model(load_corpus(None))


@pytest.fixture(scope="module")
def graph(model):
    """Of a section whose path has two words."""
    return next(g for g in prepare(model, load_corpus(None).test, QUIET).graphs if g.problem.length == 3)


@pytest.fixture(scope="module")
def path(graph):
    return best_paths(graph.problem)[0].structure


def test_vertices_are_the_distinct_content_words_and_classes_their_stems(model, graph):
    words = {word for sentence in graph.section.body for word in model.content.of(sentence)}
    assert sorted(graph.problem.names) == sorted(words)
    stems = [model.content.stem(word) for word in graph.problem.names]
    same = np.array(stems)[:, None] == np.array(stems)
    assert ((graph.problem.classes[:, None] == graph.problem.classes) == same).all()
    assert graph.problem.class_count < graph.problem.vertices


def test_an_edge_is_the_best_way_between_two_words_and_the_selection_of_the_second(model, graph):
    problem, ordering = graph.problem, model.ordering
    auxiliary = model.content.auxiliary
    for u, v in [(0, 1), (1, 0), (3, 7), (20, 5)]:
        before, after = problem.names[u], problem.names[v]
        ways = {None: ordering.log_probabilities([before], [after])[0, 0]}
        for word in auxiliary:
            halves = ordering.log_probabilities([before], [word]) + ordering.log_probabilities([word], [after])
            ways[word] = halves[0, 0]
        assert problem.ordering[u, v] == pytest.approx(max(ways.values()) + graph.selection[v])
        assert ways[problem.auxiliary.word(u, v)] == pytest.approx(max(ways.values()))
    ends = ordering.log_probabilities(problem.names, [BOUNDARY])[:, 0]
    assert problem.end == pytest.approx(ends)
    assert problem.start == pytest.approx(graph.selection)


def test_variants_of_a_stem_are_selected_alike(graph):
    for group in range(graph.problem.class_count):
        assert np.ptp(graph.selection[graph.problem.classes == group]) == 0.0


def test_titles_that_no_path_can_have_are_left_out_and_named(model):
    long = Section("long", ("one", "two", "three", "four"), (("One", "two", "."),))
    without = Section("none", ("Of", "the", "3"), (("One", "two", "."),))
    empty = Section("wordless", ("One",), (("the", "3", "of"),))
    found = prepare(model, [long, without, empty, Section("fits", ("two",), long.body)], QUIET)
    assert [graph.section.name for graph in found.graphs] == ["fits"]
    assert [(section.name, why) for section, why in found.left_out] == [
        ("long", "its title has 4 content words, its body only 2 stems"),
        ("none", "its title has no content word"),
        ("wordless", "its title has 1 content words, its body only 0 stems"),
    ]


def test_a_body_of_one_word_has_a_graph(model):
    section = Section("one", ("Bread",), (("Bread", "."),))
    graph = model.graph(section, read_body(section, model.content), 1)
    assert graph.problem.vertices == 1
    assert best_paths(graph.problem)[0].structure.tolist() == [0]
    assert alternatives(graph.problem, np.array([0]), 5) == []


def test_the_edges_of_a_path_add_up_to_its_value(graph, path):
    found = edges(graph, path)
    assert sum(edge.score for edge in found) == pytest.approx(graph.problem.value(path))
    assert [edge.source for edge in found[1:]] == [edge.target for edge in found[:-1]]
    assert (found[0].source, found[-1].target) == ("start", "end")
    spelled = [word for edge in found[:-1] for word in (edge.through, edge.target) if word]
    assert spelled == graph.problem.spelled(path)


def test_alternatives_are_the_best_paths_with_one_word_exchanged(graph, path):
    problem = graph.problem
    value = problem.value(path)
    expected = {}
    for place in range(path.size):
        for v in range(problem.vertices):
            other = path.copy()
            other[place] = v
            if v != path[place] and not problem.violations(other):
                loss = value - problem.value(other)
                expected[problem.names[v]] = min(loss, expected.get(problem.names[v], np.inf))
    found = alternatives(graph.problem, path, 10)
    assert [one.loss for one in found] == pytest.approx(sorted(expected.values())[:10])
    assert all(one.loss == pytest.approx(expected[one.word]) for one in found)
    assert found[0].loss >= 0
    for one in found:
        row = {name: i for i, name in enumerate(problem.names)}
        other = path.copy()
        other[one.place] = row[one.word]
        assert value - problem.value(other) == pytest.approx(one.loss)


def test_the_drawing_shows_the_path_and_what_could_stand_instead(graph, path):
    drawn = ET.fromstring(draw_path(graph.problem, path))
    words = ["".join(one.itertext()) for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {*graph.problem.spelled(path), "start", "end"} <= set(words)
    assert {one.word for one in alternatives(graph.problem, path, 5)} <= set(words)
    width = float(drawn.get("width"))
    for box in drawn.iter("{http://www.w3.org/2000/svg}rect"):
        assert 0 <= float(box.get("x", 0)) <= width - float(box.get("width"))
    boxes = [float(b.get("x")) for b in drawn.iter("{http://www.w3.org/2000/svg}rect") if b.get("y") == "57.0"]
    assert all(a < b for a, b in pairwise(boxes))


def test_explaining_prints_scores_that_add_up(graph, path, capsys):
    document = explain(graph, path, Console())
    printed = capsys.readouterr().out
    assert "The best path" in printed
    assert "instead of" in printed
    assert sum(edge["score"] for edge in document["edges"]) == pytest.approx(document["value"])


def test_the_path_as_text_goes_on_below_when_it_is_long():
    found = [Edge("start", "stone", None, -1.0, -0.5), Edge("stone", "bridge", "of", -2.0, -1.0)]
    found.append(Edge("bridge", "end", None, 0.0, -1.0))
    below = [[Alternative(0, "wood", -2.0, -2.0, 0.25)], []]
    assert draw_lines(found, below) == [
        "        -1.50                -3.00           -1.00",
        " start  ─────→    stone     ──of──→  bridge  ─────→  end",
        "                wood -0.25",
        "",
    ]
    narrow = draw_lines(found, below, width=30)
    assert max(map(len, narrow)) <= 30
    scores_and_words = "-1.50 start ─────→ stone wood -0.25 -3.00 -1.00 ──of──→ bridge ─────→ end"
    assert " ".join("  ".join(narrow).split()) == scores_and_words


@pytest.mark.long
@pytest.mark.corpus
def test_the_graphs_of_the_real_test_sections_are_of_the_size_that_its_readme_says():
    data = os.environ.get("GAPLESS_DATA")
    if not data or not os.path.isdir(os.path.join(data, "title_generation")):
        pytest.skip("GAPLESS_DATA does not name a folder with title_generation")
    problems = title_problems(data)
    assert len(problems) == 285
    assert np.mean([problem.vertices for problem in problems]) == pytest.approx(187, abs=1)
    assert np.mean([problem.class_count for problem in problems]) == pytest.approx(168, abs=1)
    assert np.mean([problem.length for problem in problems]) == pytest.approx(2.86, abs=0.01)
