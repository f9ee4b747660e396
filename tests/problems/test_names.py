"""Structures in names: labels, words with their heads, titles, candidates, and where they are printed."""

import json

import numpy as np
import pytest

import gapless as gl
from gapless.cli import main
from gapless.problems.names import one_line
from gapless.testing.examples import Selection
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency import DependencyTree, LabelledParsingProblem, ParsingProblem
from gapless_linking import LinkingProblem
from gapless_ordering import OrderingProblem

WORDS = ("the", "dog", "barks")
NEAR = [[0, 9, 1, 2], [9, 0, 5, 6], [1, 5, 0, 9], [2, 6, 9, 0]]


def chain(labels=("DET", "NOUN", "VERB")):
    return ChainProblem(np.eye(3), np.zeros((3, 3)), labels=labels)


def sentence(**given):
    scores = np.full((4, 4, 2), -np.inf)
    scores[3, 2], scores[2, 1], scores[0, 3] = (1, 0), (0, 1), (2, 1)
    return ParsingProblem(scores, labels=("nsubj", "det"), **given)


def linking(**given):
    names = ["Paris", "Paris, Texas", "France", "Austin"]
    return LinkingProblem.from_distances(np.array(NEAR), [[0, 1], [2, 3]], names=names, **given)


def best(problem, words=()):
    result = gl.solve(problem)
    assert gl.Record(problem, result, words=words).describe() == result.describe(problem, words)
    return result.describe(problem, words)


def test_chains_and_trees_give_labels_with_words_where_they_are_known():
    assert best(chain()) == ("DET", "NOUN", "VERB")
    assert best(chain(), WORDS) == (("the", "DET"), ("dog", "NOUN"), ("barks", "VERB"))
    assert best(chain(), WORDS[:2]) == ("DET", "NOUN", "VERB")  # they are of another sentence
    assert best(chain(labels=None)) == ("0", "1", "2")
    tree = TreeProblem(np.eye(3), np.zeros((3, 3)), [-1, 0, 0], labels=("A", "B", "C"))
    assert best(tree, WORDS) == (("the", "A"), ("dog", "B"), ("barks", "C"))


def test_parses_give_the_head_and_the_relation_of_each_word():
    named = (("the", "dog", "det"), ("dog", "barks", "nsubj"), ("barks", "root", "nsubj"))
    assert best(sentence(words=WORDS)) == named
    assert best(sentence(), WORDS) == named
    assert best(sentence()) == (("1", "2", "det"), ("2", "3", "nsubj"), ("3", "root", "nsubj"))
    bare = DependencyTree([2, 3, 0])
    assert sentence(words=WORDS).describe(bare) == named  # only the best label of an arc has a score
    assert bare.describe(WORDS) == (("the", "dog"), ("dog", "barks"), ("barks", "root"))
    scores = np.zeros((4, 4, 2))
    scores[3, 2, 0] = scores[2, 1, 1] = scores[0, 3, 0] = 1
    assert best(LabelledParsingProblem(scores, labels=("nsubj", "det"), words=WORDS)) == named


def test_titles_give_the_words_in_order_and_linking_the_candidate_of_each_mention():
    title = OrderingProblem(
        [0, 1, 0], [[0, 0, 0], [0, 0, 3], [0, 0, 0]], [0, 0, 0], 2, names=["a", "exact", "parser"]
    )
    assert best(title) == ("exact", "parser")
    assert best(linking()) == (("set 0", "Paris"), ("set 1", "France"))
    assert best(linking(mentions=["P.", "it"])) == (("P.", "Paris"), ("it", "France"))
    assert best(linking(), ("Paris", "the country")) == (("Paris", "Paris"), ("the country", "France"))


def test_other_problems_give_the_names_of_their_decisions():
    problem = Selection([3, 5, 4], [[2, 2, 2]], [4])
    structure = problem.decode(np.array([1, 2]))
    assert problem.describe(structure) == tuple(problem.decisions.name(d) for d in (1, 2))


def test_nothing_to_name_is_said():
    nothing = ChainProblem(np.full((1, 2), -np.inf), np.zeros((2, 2)))
    with pytest.raises(gl.NoSolution):
        gl.solve(nothing).describe(nothing)


def test_one_line():
    assert one_line(("DET", "NOUN")) == "DET NOUN"
    assert one_line((("the", "dog", "det"), ("dog", "root", "nsubj"))) == "the/dog/det dog/root/nsubj"
    assert one_line(("नहीं", "می\u200cخواهم", "1\u00a0000")) == "नहीं می\u200cخواهم 1\u00a0000"
    assert one_line((("it", "Paris, Texas"), ("here", "France"))) == "it = Paris, Texas; here = France"
    assert (
        one_line(("a\nb", "\x1b[31m", "\ud800")) == "a\\nb \\x1b[31m \\ud800"
    )  # steers no terminal, prints anywhere


def test_the_command_line_tells_names(tmp_path, capsys):
    file, out = tmp_path / "record.json", tmp_path / "out.json"
    problem = chain()
    gl.Record(problem, gl.solve(problem), "a dog", WORDS).save(file)
    assert main(["solve", str(file), "-k", "2", "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "1. value 3: the/DET dog/NOUN barks/VERB" in lines
    assert any(line.startswith("2. value 2: the/") for line in lines)
    [kept] = gl.read_values(out)
    assert (kept.name, kept.words) == ("a dog", WORDS)
    assert main(["solve", str(file), "--json"]) == 0
    [solution] = json.loads(capsys.readouterr().out)["solutions"]
    assert solution == {
        "value": 3.0,
        "structure": [0, 1, 2],
        "description": [["the", "DET"], ["dog", "NOUN"], ["barks", "VERB"]],
    }
    many = tmp_path / "records.jsonl"
    many.write_text(gl.dumps(kept) + "\n" + gl.dumps(linking()) + "\n")
    assert main(["solve", str(many)]) == 0
    printed = capsys.readouterr().out
    assert "a dog: optimal, value 3: the/DET dog/NOUN barks/VERB\n" in printed
    assert "set 0 = Paris; set 1 = France\n" in printed


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([3, 3, 0], "the arc 3 -> 1 (barks -> the) is no candidate"),
        ([9, 3, 0], "word 1 (the) has head 9, expected 0..3"),
    ],
)
def test_broken_rules_of_parses_tell_words(heads, message):
    assert message in sentence(words=WORDS).violations(DependencyTree(heads))


def test_circles_roots_crossings_and_missing_heads_tell_words():
    free = ParsingProblem(np.zeros((4, 4)), words=WORDS, projective=True)
    assert (
        free.violations(DependencyTree([2, 1, 0]))[0] == "the heads run in a circle: 1 (the) -> 2 (dog) -> 1 (the)"
    )
    assert free.violations(DependencyTree([0, 1, 0])) == [
        "words [1 (the), 3 (barks)] are all headed by the root, only one may be"
    ]
    crossing = ParsingProblem(np.zeros((4, 4)), words=WORDS, projective=True)
    assert crossing.violations(DependencyTree([3, 0, 2])) == [
        "the arcs 0 -> 2 (dog) and 3 (barks) -> 1 (the) cross"
    ]
    nowhere = sentence(words=WORDS, heads=np.arange(4) != np.full((4, 1), 2))
    result = gl.solve(nowhere)
    assert result.explanation[0].startswith("word 2 (dog) has no candidate head")


def test_a_verdict_tells_words():
    problem = sentence(words=WORDS)
    wrong = gl.Solution(DependencyTree([3, 3, 0]), 1.0)
    result = gl.Result(gl.Status.FEASIBLE, gl.Stop.TIME, (wrong,), 9.0)
    assert result.verify(problem).reason == "infeasible: the arc 3 -> 1 (barks -> the) is no candidate"
