"""Input of parsing problems and their factors: scores, flags, words, trees, granularities."""

import json
import math

import numpy as np
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless.roles import ConfigurationFactor
from gapless_dependency import (
    AdjacentSibling,
    AnyOf,
    ArcConjunctions,
    Comb,
    Grandchild,
    ParsingProblem,
    Sibling,
    Valency,
    backbone_for,
    valency,
)
from gapless_dependency.factors.part_scores import PartTable

ZEROS = np.zeros((4, 4))
CUBE = np.zeros((4, 4, 4))


def asked_for(factor):
    """All scores of a conjunction: dense arrays are looked at no earlier."""
    return ParsingProblem(ZEROS, factors=[factor]).conjunctions[0].all_scores()


def with_scores(scores):
    """Each way to give scores, as (name in messages, what takes them)."""
    cube = np.broadcast_to(scores, (4, 4, 4)) if np.ndim(scores) == 0 else scores
    return {
        "arc_scores": lambda: ParsingProblem(np.broadcast_to(scores, (4, 4))),
        "grandchild": lambda: asked_for(Grandchild(cube)),
        "adjacent-sibling": lambda: AdjacentSibling(cube),
        "conjunction": lambda: ArcConjunctions([[[0, 1]]], np.broadcast_to(scores, (1,))),
        "valency": lambda: Valency(1, np.broadcast_to(scores, (4,))),
        "any-of": lambda: AnyOf([(0, 1)], scores),
    }


@pytest.mark.parametrize("name", with_scores(0.0))
@pytest.mark.parametrize("bad", [1e300, -1e300, 1.1e12, math.nan, math.inf])
def test_one_limit_for_all_scores(name, bad):
    with pytest.raises(gl.InvalidProblem, match=rf"{name}.* at most 1e\+12 in size, or -inf"):
        with_scores(bad)[name]()
    for good in (1e12, -1e12, -math.inf):
        with_scores(good)[name]()


@pytest.mark.parametrize("name", with_scores(0.0))
@pytest.mark.parametrize("bad", ["1.0", b"1.0", 1j, np.datetime64("2001-01-01")])
def test_text_and_complex_numbers_are_no_scores(name, bad):
    with pytest.raises(gl.InvalidProblem, match=rf"{name}"):
        with_scores(bad)[name]()


@pytest.mark.parametrize(
    "make",
    [
        lambda masked: ParsingProblem(masked((4, 4))),
        lambda masked: Sibling(masked((4, 4, 4))),
        lambda masked: AdjacentSibling(masked((4, 4, 4))),
        lambda masked: ArcConjunctions([[[0, 1]]], masked(1)),
        lambda masked: Valency(1, masked(4)),
        lambda masked: valency(masked((4, 4))),
        lambda masked: AnyOf([(0, 1)], masked(())),
    ],
)
def test_masks_are_not_dropped(make):
    with pytest.raises(gl.InvalidProblem):
        make(np.ma.masked_all)


# --- callables


def test_a_callable_for_other_positions():
    problem = ParsingProblem(ZEROS, factors=[Grandchild(lambda g, h: g + h)])
    with pytest.raises(
        gl.InvalidProblem, match=r"grandchild: the scores' callable is given one int64 array .* g, h, m"
    ):
        problem.value(problem.tree([0, 1, 2]))


def test_a_callable_for_single_positions_gets_a_hint():
    problem = ParsingProblem(ZEROS, factors=[Sibling(lambda h, a, b: 1.0 if a > 2 else 0.0)])
    with pytest.raises(ValueError, match="truth value") as caught:
        problem.conjunctions[0].all_scores()
    assert "np.where" in caught.value.__notes__[0]
    assert "sibling" in caught.value.__notes__[1]


def test_errors_inside_a_callable_stay_what_they_are():
    problem = ParsingProblem(ZEROS, factors=[Sibling(lambda h, a, b: h + "x")])
    with pytest.raises(TypeError) as caught:
        problem.conjunctions[0].all_scores()
    assert "factor 'sibling'" in caught.value.__notes__[0]


def test_a_callable_that_answers_text():
    problem = ParsingProblem(ZEROS, factors=[Sibling(lambda h, a, b: ["x"] * len(h))])
    with pytest.raises(gl.InvalidProblem, match=r"sibling: scores of \d+ parts are not an array of numbers"):
        problem.conjunctions[0].all_scores()


# --- tables


def test_tables_find_their_parts():
    rng = np.random.default_rng(0)
    positions = rng.permutation(np.argwhere(np.ones((5, 6, 7))))[:100]
    scores = rng.normal(size=100)
    table = PartTable(positions, scores)
    asked = rng.integers(100, size=300)
    np.testing.assert_array_equal(table(*positions[asked].T), scores[asked])
    assert table(*(np.zeros(0, np.int64),) * 3).shape == (0,)
    listed = set(map(tuple, positions.tolist()))
    for part in np.argwhere(np.ones((6, 7, 8))):
        if tuple(part.tolist()) not in listed:
            with pytest.raises(gl.InvalidProblem, match="is not in the table"):
                table(*part[:, None])
    with pytest.raises(gl.InvalidProblem, match="is not in the table"):
        PartTable(np.zeros((0, 3), int), [])(*np.zeros((3, 1), int))


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ([[1, 2], [0, 1], [1, 2]], r"the part \[1, 2\] is listed twice"),
        ([[2**40] * 3], "in no sentence"),
        ([[-1, 2]], "negative"),
        (np.zeros((1, 0), int), "no positions"),
    ],
)
def test_tables_that_are_none(positions, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        PartTable(positions, np.zeros(len(positions)))
    with pytest.raises(gl.InvalidProblem, match="have 2 positions, not 3"):
        PartTable([[1, 2]], [1.0])(*np.ones((3, 1), int))


# --- types


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ParsingProblem(ZEROS, projective="no"), "projective is 'no', expected True or False"),
        (lambda: ParsingProblem(ZEROS, single_root=None), "single_root is None, expected True or False"),
        (lambda: ParsingProblem(ZEROS, words="abc"), "words holds 'abc', expected a sequence of strings"),
        (lambda: ParsingProblem(ZEROS, words=["a", 1, "b"]), "words holds 1, expected a sequence of strings"),
        (lambda: ParsingProblem(ZEROS, words=3), "words is 3, expected a sequence of strings"),
        (lambda: ParsingProblem(CUBE, labels="abcd"), "labels holds 'abcd', expected a sequence of strings"),
        (lambda: Valency(1.5, [0.0]), "valency: head is 1.5, expected the position of a word"),
        (lambda: Comb(ZEROS, width=4.0), "comb: width is 4.0"),
        (lambda: AnyOf([("a", 1)], 1.0), "any-of: arcs are .* expected pairs of integers"),
        (lambda: ArcConjunctions([[[0, 1], [1]]], [1.0]), "conjunction: arcs are not an array"),
        (lambda: ArcConjunctions([[["a", 1]]], [1.0]), "conjunction: arcs have .* expected integers"),
    ],
)
def test_types_are_checked_where_they_come_in(make, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        make()


def test_numpys_types_are_taken():
    assert Comb(ZEROS, width=np.int64(4)).width == 4
    assert Valency(np.int64(1), np.zeros(4)).head == 1
    problem = ParsingProblem(ZEROS, projective=np.True_, words=np.array(["a", "b", "c"]))
    assert problem.projective is True
    assert problem.words == ("a", "b", "c")


def test_trees_of_other_sentences():
    problem = ParsingProblem(ZEROS)
    with pytest.raises(gl.InvalidProblem, match="2 heads are given, a tree of this sentence has 3"):
        problem.tree([0, 1])
    with pytest.raises(gl.InvalidProblem, match=r"the head of word 2 is 99, expected 0\.\.3"):
        problem.tree([0, 99, 1])
    with pytest.raises(gl.InvalidProblem, match=r"the head of word 3 is -1, expected 0\.\.3"):
        problem.tree([0, 1, -1])
    for ask in (problem.value, problem.violations, problem.encode):
        with pytest.raises(
            gl.InvalidProblem, match=r"a list, expected a DependencyTree: .* problem\.tree\(heads\)"
        ):
            ask([0, 1, 2])


def test_valencies_say_what_every_number_of_modifiers_scores():
    problem = ParsingProblem(np.zeros((7, 7)), factors=[Valency(2, np.zeros(3))])
    with pytest.raises(
        gl.InvalidProblem, match="head 2 may have up to 5 modifiers, but the scores end at 2; give one"
    ):
        gl.solve(problem)
    few = np.zeros((7, 7), bool)
    few[:, 1] = few[2, 3:5] = few[0, 2:] = True
    masked = ParsingProblem(
        np.zeros((7, 7)), factors=[Valency(2, [0.0, 1.0, 0.0, 0.0])], heads=few, single_root=False
    )
    assert gl.solve(masked).value == 1


# --- granularities


class Parity(ConfigurationFactor):
    """Half a point for an odd number of arcs from the root."""

    name = "parity"

    def scope(self, decisions):
        return np.flatnonzero(decisions.heads == 0)

    def value(self, on):
        return 0.5 * (on.sum() % 2)

    def best(self, weights):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (AdjacentSibling(CUBE + 0.5), r"factors\[1\]: adjacent-sibling: scores\[0, 0, 0\] is 0\.5, no multiple"),
        (AnyOf([(0, 1)], 0.5), r"factors\[1\]: the factor any-of may score 0\.5, no multiple of the granularity 1"),
        (Valency(1, [0, 1, 0.25, 0]), r"the factor valency may score 0\.25, no multiple"),
        (Parity(), r"the factor parity does not say which values it takes.*leave the granularity out"),
    ],
)
def test_granularities_are_checked_beside_every_factor(factor, words):
    grandchild = Grandchild(CUBE)
    ParsingProblem(ZEROS, factors=[grandchild, factor], projective=True)
    with pytest.raises(gl.InvalidProblem, match=words):
        ParsingProblem(ZEROS, factors=[grandchild, factor], projective=True, granularity=1.0)


def test_granularities_that_are_true_are_taken():
    factors = [AdjacentSibling(CUBE + 2), AnyOf([(0, 1)], -math.inf), Valency(1, [0, 1, -math.inf, 0])]
    ParsingProblem(ZEROS, factors=factors, projective=True, granularity=1.0)
    ParsingProblem(ZEROS, factors=[Parity(), AnyOf([(0, 1)], 0.5)])


# --- advice, and the command line


def test_crossing_arcs_and_adjacent_siblings_are_not_sent_to_the_first_backbone():
    problem = ParsingProblem(ZEROS, factors=[AdjacentSibling(CUBE)])
    with pytest.raises(gl.InvalidProblem) as caught:
        backbone_for(problem, "sibling")
    assert "backbone='first'" not in str(caught.value)
    assert "leave the factors adjacent-sibling out, or ask for" in str(caught.value)


def test_the_command_line_shows_trees(tmp_path, capsys):
    path = tmp_path / "problem.json"
    n = 60  # numpy would break the line
    path.write_text(gl.dumps(ParsingProblem(np.random.default_rng(0).normal(size=(n + 1, n + 1)))), "utf-8")
    assert main(["solve", str(path), "--json"]) == exit_codes.PROVED
    structure = json.loads(capsys.readouterr().out)["solutions"][0]["structure"]
    assert structure["labels"] is None
    assert len(structure["heads"]) == n
    assert main(["solve", str(path)]) == exit_codes.PROVED
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("1. value")]
    assert line.endswith(
        ": " + " ".join(f"{word}/{head or 'root'}" for word, head in enumerate(structure["heads"], 1))
    )
