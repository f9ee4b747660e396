"""Factors: what fires in which tree, JSON, the kit's rules, and what is refused."""

import json
import math
import tracemalloc

import numpy as np
import pytest
from drawn import examples, generators, seeded
from hypothesis import given

from gapless import InvalidProblem
from gapless.arrays.serial import dumps, loads
from gapless.roles import ConfigurationFactor, Decisions, Factor
from gapless.testing import check_factor, check_problem
from gapless_dependency import (
    AnyOf,
    ArcConjunctions,
    Arcs,
    Comb,
    Grandchild,
    GreatGrandchild,
    ParsingProblem,
    Pattern,
    PatternNode,
    Sibling,
    TriSibling,
    Valency,
    valency,
)
from gapless_dependency.enumeration import all_trees, tree_scores
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem

NONE = -math.inf
SENTENCE = ["regulation", "occurs", "through", "inaction", ",", "rather", "than", "through", "action"]


def arcs_of(n, rng=None, share=0.0):
    candidates = ~np.eye(n + 1, dtype=bool)
    candidates[:, 0] = False
    if rng is not None:
        candidates &= rng.random((n + 1, n + 1)) >= share
    return Arcs(candidates)


def parts_by_definition(heads, kind):
    """Parts that fire in a tree, straight from the words of the docstrings."""
    above = dict(enumerate(heads, start=1))
    below = {h: [m for m in above if above[m] == h] for h in range(len(heads) + 1)}
    if kind == "grandchild":
        return [(above[h], h, m) for m, h in above.items() if h]
    if kind == "great-grandchild":
        return [(above[above[h]], above[h], h, m) for m, h in above.items() if h and above[h]]
    if kind == "sibling":
        return [(h, a, b) for h, ms in below.items() for a in ms for b in ms if a < b]
    if kind == "tri-sibling":
        return [(h, a, b, c) for h, ms in below.items() for a in ms for b in ms for c in ms if a < b < c]
    combs = []
    for h, modifiers in below.items():
        others = [w for w in range(1, len(heads) + 1) if w != h]
        for i in range(len(others) - 3):
            if set(others[i : i + 4]) <= set(modifiers):
                combs.append((h, others[i]))
    return combs


@pytest.mark.parametrize("cls", [Grandchild, GreatGrandchild, Sibling, TriSibling, Comb])
def test_what_fires(cls):
    n = 5
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n + 1,) * len(cls.places))
    problem = ParsingProblem(np.zeros((n + 1, n + 1)), factors=[cls(scores)], single_root=False)
    for heads in all_trees(n, False, False)[::7]:
        expected = sum(scores[part] for part in parts_by_definition(heads.tolist(), cls.name))
        assert problem.value(problem.tree(heads)) == pytest.approx(expected)


@pytest.mark.parametrize("cls", [Grandchild, GreatGrandchild, Sibling, TriSibling, Comb])
def test_callables_are_asked_for_positions_once(cls):
    n = 6
    seen = []

    def score(*positions):
        seen.extend(zip(*(p.tolist() for p in positions), strict=True))
        return np.cos(sum(positions))

    axes = np.indices((n + 1,) * len(cls.places))
    dense = ParsingProblem(np.zeros((n + 1, n + 1)), factors=[cls(np.cos(axes.sum(axis=0)))])
    lazy = ParsingProblem(np.zeros((n + 1, n + 1)), factors=[cls(score)])
    tree = dense.tree([0, 1, 1, 1, 1, 5])
    assert lazy.value(tree) == lazy.value(tree) == dense.value(tree)
    assert sorted(seen) == sorted(parts_by_definition(tree.heads.tolist(), cls.name))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 4])
@examples(2)
@given(rng=seeded())
def test_the_kit_on_every_family(rng, family, n):
    problem = random_problem(rng, n, families=[family], forbidden=0.2, forbidden_parts=0.1)
    check_factor(problem.factors[0], problem.decisions)
    projective = bool(rng.integers(2))
    check_problem(random_problem(rng, n, projective=projective, families=[family], ties=True, forbidden=0.2))


def test_scopes_of_forbidden_arcs_are_left_out():
    arcs = arcs_of(6, np.random.default_rng(1), 0.4)
    for factor in (
        Grandchild(np.zeros),
        GreatGrandchild(np.zeros),
        Sibling(np.zeros),
        TriSibling(np.zeros),
        Comb(np.zeros),
    ):
        check_scopes = factor.scopes(arcs)
        whole = factor.scopes(arcs_of(6))
        names = {tuple(arcs_of(6).index[arcs.heads[s], arcs.modifiers[s]].tolist()) for s in check_scopes}
        allowed = [
            s
            for s in whole.tolist()
            if all(arcs.index[arcs_of(6).heads[d], arcs_of(6).modifiers[d]] >= 0 for d in s)
        ]
        assert sorted(names) == sorted(map(tuple, allowed))
        assert len(names) == len(check_scopes)


# --- combs, patterns, OR, valency


def test_a_comb_skips_its_head_only():
    comb = Comb(lambda h, m: 100.0 * h + m)
    assert comb.modifiers(np.array([3, 0, 1]), np.array([1, 2, 2])).tolist() == [
        [1, 2, 4, 5],
        [2, 3, 4, 5],
        [2, 3, 4, 5],
    ]
    problem = ParsingProblem(np.zeros((8, 8)), factors=[comb])
    assert problem.value(problem.tree([3, 3, 0, 3, 3, 3, 6])) == 301 + 302
    assert problem.value(problem.tree([3, 3, 0, 5, 3, 3, 3])) == 0


def rather_than(score, **changes):
    """Figure 3 of Qian and Liu 2013: A ... rather than A."""
    given = {
        "nodes": {
            "first": PatternNode(tag="IN"),
            "rather": PatternNode("rather"),
            "than": PatternNode("than"),
            "second": PatternNode(tag="IN"),
        },
        "arcs": [("first", "than"), ("than", "rather"), ("than", "second")],
        "words": SENTENCE,
        "tags": ["NN", "VB", "IN", "NN", ",", "RB", "IN", "IN", "NN"],
        "before": [("first", "rather")],
        "adjacent": [("rather", "than"), ("than", "second")],
        "same_word": [("first", "second")],
        **changes,
    }
    return Pattern(given.pop("nodes"), given.pop("arcs"), score, **given)


def test_rather_than():
    factor = rather_than(2.5)
    problem = ParsingProblem(np.zeros((10, 10)), factors=[factor], words=SENTENCE)
    arcs = problem.decisions
    [scope] = factor.scopes(arcs)
    assert [(int(arcs.heads[d]), int(arcs.modifiers[d])) for d in scope] == [(7, 6), (3, 7), (7, 8)]
    assert problem.value(problem.tree([2, 0, 2, 3, 3, 7, 3, 7, 8])) == 2.5
    assert problem.value(problem.tree([2, 0, 2, 3, 3, 7, 3, 2, 8])) == 0
    assert len(rather_than(1.0, same_word=[], adjacent=[]).scopes(arcs)) == 1
    check_factor(factor, arcs)


def test_a_pattern_may_name_the_root_and_words_outside_its_arcs():
    nodes = {"verb": PatternNode(tag="V."), "mark": PatternNode(r"[.,]")}
    pattern = Pattern(
        nodes, [("root", "verb")], 1.0, words=["a", "b", ",", ",", "c"], tags=["VA", "X", ",", ",", "VB"]
    )
    arcs = arcs_of(5)
    assert arcs.modifiers[pattern.scopes(arcs)[:, 0]].tolist() == [1, 5]
    absent = Pattern(nodes, [("root", "verb")], 1.0, words=list("abcde"), tags=["VA"] * 5)
    assert absent.scopes(arcs).shape == (0, 1)


@given(rng=generators())
def test_or_is_its_polynomial(rng):
    n = int(rng.integers(2, 5))
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    chosen = [arcs[i] for i in rng.permutation(len(arcs))[: rng.integers(1, 5)]]
    factor = AnyOf(chosen, rng.normal())
    zeros = np.zeros((n + 1, n + 1))
    _, one = tree_scores(ParsingProblem(zeros, factors=[factor]))
    _, other = tree_scores(ParsingProblem(zeros, factors=factor.polynomial()))
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_or_that_forbids_has_no_polynomial():
    with pytest.raises(InvalidProblem, match="-inf"):
        AnyOf([(0, 1)], NONE).polynomial()


@examples(6)
@given(rng=generators())
def test_valency_is_its_polynomial(rng):
    n = int(rng.integers(1, 6))
    scores = rng.integers(-3, 4, (n + 1, n + 1)).astype(float)
    zeros = np.zeros((n + 1, n + 1))
    heads, one = tree_scores(ParsingProblem(zeros, factors=valency(scores), single_root=False))
    counts = (heads[:, :, None] == np.arange(n + 1)).sum(axis=1)
    np.testing.assert_allclose(one, scores[np.arange(n + 1), counts].sum(axis=1), atol=1e-9)
    terms = [term for factor in valency(scores) for term in factor.polynomial()]
    _, other = tree_scores(ParsingProblem(zeros, factors=terms, single_root=False))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_valency_of_low_degree():
    squares = Valency(2, np.arange(6.0) ** 2)
    assert [f.name for f in squares.polynomial(2)] == ["modifier-sets", "modifier-sets"]
    with pytest.raises(InvalidProblem, match="head 2 need degree 2, not 1"):
        squares.polynomial(1)
    with pytest.raises(InvalidProblem, match="-inf has no polynomial"):
        Valency(2, [0.0, NONE]).polynomial()
    with pytest.raises(InvalidProblem, match="end at 1 modifiers, but it has 3 candidates"):
        [f.scopes(arcs_of(4)) for f in Valency(2, [0.0, 1.0]).polynomial()]
    with pytest.raises(InvalidProblem, match="sets of 15 modifiers; use the factor itself"):
        Valency(2, np.eye(31)[15]).polynomial()[0].scopes(arcs_of(30))


def test_numbers_of_modifiers_are_forbidden():
    problem = ParsingProblem(np.zeros((4, 4)), factors=[Valency(1, [0.0, 1.0, NONE])])
    assert problem.violations(problem.tree([0, 1, 1])) == ["factors[0] (valency) forbids arc 1 -> 2, arc 1 -> 3"]
    assert problem.value(problem.tree([0, 1, 2])) == 1


# --- JSON


def table(*positions):
    return sum(positions) / 7


@pytest.mark.parametrize("cls", [Grandchild, GreatGrandchild, Sibling, TriSibling, Comb])
def test_callables_become_tables_of_this_sentence(cls):
    problem = ParsingProblem(np.zeros((7, 7)), factors=[cls(table)], words=list("abcdef"))
    again = loads(dumps(problem))
    for heads in all_trees(6, False, True)[::97]:
        assert again.value(again.tree(heads)) == problem.value(problem.tree(heads))
    assert dumps(again) == dumps(problem)
    with pytest.raises(InvalidProblem, match="not in the table"):
        again.factors[0].scores.lookup(*(np.array([9]) for _ in cls.places))


def test_labels_survive():
    scores = np.random.default_rng(0).normal(size=(4, 4, 3))
    problem = ParsingProblem(scores, labels=["a", "b", "c"], granularity=None)
    again = loads(dumps(problem))
    assert again.tree([0, 1, 1]) == problem.tree([0, 1, 1])
    data = json.loads(dumps(problem))
    data["best_label"]["values"][5] = 3
    with pytest.raises(InvalidProblem, match="best_label must hold numbers below 3"):
        loads(json.dumps(data))


def test_a_users_conjunctions_are_written_as_a_table():
    class Mine(Factor):
        name = "mine"

        def scopes(self, decisions):
            return [(0,)]

        def score(self, scopes, decisions):
            return np.ones(len(scopes))

    problem = ParsingProblem(np.zeros((3, 3)), factors=[Mine()])
    again = loads(dumps(problem))
    assert [again.value(again.tree(heads)) for heads in ([0, 1], [2, 0])] == [1.0, 0.0]
    assert [problem.value(problem.tree(heads)) for heads in ([0, 1], [2, 0])] == [1.0, 0.0]


def test_a_users_configurations_need_the_decorator():
    class Mine(ConfigurationFactor):
        name = "mine"

        def scope(self, decisions):
            return np.arange(2)

        def value(self, on):
            return 0.0

        def best(self, weights):
            return 0.0, weights > 0

    with pytest.raises(InvalidProblem, match=r"Mine cannot be written as JSON; decorate the class"):
        dumps(ParsingProblem(np.zeros((3, 3)), factors=[Mine()]))


@pytest.mark.parametrize("family", FAMILIES)
def test_json_of_every_family(family):
    problem = random_problem(np.random.default_rng(2), 4, families=[family], forbidden_parts=0.1)
    again = loads(dumps(problem))
    np.testing.assert_array_equal(tree_scores(again)[1], tree_scores(problem)[1])


# --- refusals


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Grandchild(np.zeros((3, 3))), r"grandchild: scores have shape \(3, 3\), expected 3 axes"),
        (lambda: TriSibling(np.zeros((3, 3, 3, 2))), "tri-sibling: .* expected 4 axes"),
        (lambda: Sibling(np.ma.masked_all((3, 3, 3))), "sibling: scores are a masked array"),
        (lambda: Sibling([["a"]]), "sibling: scores are not an array of numbers"),
        (lambda: Comb(np.zeros((3, 3)), width=3), "comb: width is 3"),
        (lambda: AnyOf([], 1.0), "any-of: arcs are"),
        (lambda: AnyOf([(0, 1), (0, 1)], 1.0), "none of them twice"),
        (lambda: AnyOf([(0, 1)], math.nan), "score is nan"),
        (lambda: AnyOf([(0, 1)], "many"), "score is 'many', expected a number"),
        (lambda: Valency(0, [[1.0]]), r"valency: scores have shape \(1, 1\)"),
        (lambda: Valency(0, [0.0, math.nan]), "the score of 1 modifiers is nan"),
        (lambda: valency([1.0]), "valency: scores have shape"),
        (lambda: ArcConjunctions([[0, 1]], [1.0]), r"conjunction: arcs have shape \(1, 2\)"),
        (lambda: ArcConjunctions([[[0, 1]]], [1.0, 2.0]), "1 sets of arcs, but scores of"),
        (lambda: ArcConjunctions([[[0, 1], [0, 1]]], [1.0]), r"arcs\[0\] names an arc twice"),
        (lambda: ArcConjunctions([[[0, 1]], [[0, 1]]], [1.0, 1.0]), "listed twice"),
        (lambda: ArcConjunctions([[[0, 1]]], [math.inf]), r"scores\[0\] is inf"),
        (lambda: rather_than(1.0, arcs=[]), "arcs are"),
        (lambda: rather_than(1.0, before=[("first", "nobody")]), "names 'nobody'"),
        (lambda: rather_than(1.0, before=[("root", "rather")]), "names 'root'"),
        (lambda: rather_than(1.0, tags=None), "asks for a tag"),
        (lambda: rather_than(1.0, tags=["IN"]), "1 tags for 9 words"),
        (lambda: rather_than(1.0, nodes={"root": PatternNode()}), "stands for position 0"),
        (lambda: rather_than(1.0, nodes={"first": "IN"}), "names 'than'|expected a Node"),
        (lambda: rather_than(1.0, arcs=[("first", "first")]), "which no tree has"),
        (lambda: rather_than(1.0, arcs=[("first", "root")]), "which no tree has"),
        (lambda: rather_than(1.0, arcs=[("first", "than"), ("second", "than")]), "which no tree has"),
        (lambda: AnyOf([(0.7, 1)], 1.0), "expected pairs of integers"),
        (lambda: AnyOf((0, 1), 1.0), "expected pairs of integers"),
        (lambda: PatternNode("("), "no regular expression"),
    ],
)
def test_what_is_refused_at_once(make, words):
    with pytest.raises(InvalidProblem, match=words):
        make()


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (Grandchild(np.zeros((4, 4, 4))), "expected 6 on each axis because the sentence has 5 words"),
        (Comb(np.zeros((4, 4))), "expected 6 on each axis"),
        (AnyOf([(0, 9)], 1.0), "0 -> 9 is not between positions 0..5"),
        (ArcConjunctions([[[0, 9]]], [1.0]), "0 -> 9 is not between positions 0..5"),
        (Valency(6, [1.0]), "head 6 is not between 0 and 5"),
        (rather_than(1.0), "9 words, but the sentence has 5"),
    ],
)
def test_what_does_not_fit_the_sentence(factor, words):
    listed = factor.scopes if isinstance(factor, Factor) else factor.scope
    with pytest.raises(InvalidProblem, match=words):
        listed(arcs_of(5))
    with pytest.raises(InvalidProblem, match="belongs into a ParsingProblem"):
        listed(Decisions(5))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_and_infinity_are_refused_in_words(bad):
    scores = np.zeros((4, 4, 4))
    scores[0, 1, 2] = bad
    problem = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(scores)])
    with pytest.raises(InvalidProblem, match="grandchild: the score of g = 0, h = 1, m = 2 is"):
        problem.value(problem.tree([0, 1, 1]))
    lazy = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(lambda g, h, m: np.zeros(1 + len(g)))])
    with pytest.raises(InvalidProblem, match="grandchild: scores of 2 parts came with shape"):
        lazy.value(lazy.tree([0, 1, 1]))


def test_combinations_are_counted_before_they_are_made():
    nodes = {name: PatternNode() for name in "xyz"}
    pattern = Pattern(nodes, [("x", "y"), ("y", "z")], 1.0, words=["a"] * 200)
    arcs = ParsingProblem(np.zeros((201, 201)), projective=False).decisions
    tracemalloc.start()
    try:
        with pytest.raises(InvalidProblem, match="more than 1000000 combinations"):
            pattern.matches(arcs)
        assert tracemalloc.get_traced_memory()[1] < 40e6, "8 million combinations were made"
    finally:
        tracemalloc.stop()


def test_a_pattern_with_too_many_combinations():
    nodes = {name: PatternNode() for name in "abcd"}
    pattern = Pattern(nodes, [("a", "b"), ("b", "c"), ("c", "d")], 1.0, words=["x"] * 60)
    with pytest.raises(InvalidProblem, match="more than 1000000 combinations"):
        pattern.scopes(arcs_of(60))


def test_granularity():
    with pytest.raises(InvalidProblem, match="granularity is 0"):
        ParsingProblem(np.zeros((3, 3)), granularity=0)


def test_the_families_are_sorted_right():
    rng = np.random.default_rng(0)
    for family in FAMILIES:
        [factor] = random_problem(rng, 3, families=[family]).factors
        assert isinstance(factor, Factor) == (family in CONJUNCTIVE)


def test_matches_give_the_positions_of_the_nodes():
    problem = ParsingProblem(np.zeros((10, 10)), words=SENTENCE)
    found = rather_than(1.0).matches(problem.decisions)
    assert {name: places.tolist() for name, places in found.items()} == {
        "first": [3],
        "rather": [6],
        "than": [7],
        "second": [8],
    }
    swapped = rather_than(1.0, before=[], adjacent=[("rather", "than")]).matches(problem.decisions)
    pairs = zip(swapped["first"].tolist(), swapped["second"].tolist(), strict=True)
    assert sorted(pairs) == [(3, 8), (8, 3)]  # either is the first "through"
    none = rather_than(1.0, nodes={**rather_than(1.0).nodes, "than": PatternNode("as")})
    assert all(places.shape == (0,) for places in none.matches(problem.decisions).values())
    assert none.scopes(problem.decisions).shape == (0, 3)
    with pytest.raises(InvalidProblem, match="9 words, but the sentence has 3"):
        rather_than(1.0).matches(arcs_of(3))
