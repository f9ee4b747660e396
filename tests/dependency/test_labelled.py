"""Labelled arcs as decisions: factors see labels, those over arcs count with any; the maximiser in both forms."""

import math
from collections import Counter

import attrs
import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless_kernels
from gapless import InvalidProblem, dumps, loads
from gapless.plugins import load_plugins
from gapless.roles import ConfigurationFactor, Factor, serialisable
from gapless.scip.export import solve_monolithic
from gapless.testing import check_maximiser, check_problem, enumerate_best
from gapless.testing.enumeration import feasible_structures
from gapless_dependency import (
    AdjacentSibling,
    AnyOf,
    DependencyTree,
    Grandchild,
    LabelledParsingProblem,
    Sibling,
    Valency,
)

LABELS = ("nsubj", "obj")


def scores(rng, n, labels=2):
    given = rng.integers(-3, 4, (n + 1, n + 1, labels)).astype(float)
    return np.where(rng.random(given.shape) < 0.15, -np.inf, given)


@serialisable("tests.dependency.OneSubject")
@attrs.frozen(eq=False)
class OneSubject(ConfigurationFactor):
    """At most one subject for a verb."""

    name = "one-subject"
    verb: int

    def scope(self, decisions):
        subject = decisions.labels == decisions.label_names.index("nsubj")
        return np.flatnonzero((decisions.heads == self.verb) & subject)

    def value(self, on):
        return 0.0 if on.sum() <= 1 else -math.inf

    def best(self, weights):
        on = np.zeros(weights.size, bool)
        if weights.size and weights.max() > 0:
            on[weights.argmax()] = True
        return float(weights[on].sum()), on


@serialisable("tests.dependency.LabelledPair")
@attrs.frozen(eq=False)
class Pair(Factor):
    """A subject and an object of one head go together."""

    name = "pair"

    def scopes(self, decisions):
        return [
            (a, b)
            for a in range(decisions.count)
            for b in range(decisions.count)
            if decisions.heads[a] == decisions.heads[b]
            and decisions.modifiers[a] != decisions.modifiers[b]
            and (decisions.labels[a], decisions.labels[b]) == (0, 1)
        ]

    def score(self, scopes, decisions):
        return np.full(len(scopes), 1.5)


def drawn(rng, n, **given):
    return LabelledParsingProblem(
        scores(rng, n),
        projective=bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        labels=LABELS,
        **given,
    )


@examples(8)
@given(rng=generators())
def test_the_problem_keeps_its_contract(rng):
    n = int(rng.integers(1, 4))
    problem = drawn(
        rng,
        n,
        factors=[Pair(), OneSubject(int(rng.integers(0, n + 1)))],
        arc_factors=[Grandchild(rng.integers(-2, 3, (n + 1,) * 3)), Valency(0, rng.integers(-2, 3, n + 1))],
    )
    check_problem(problem)


@examples(10)
@given(rng=generators())
def test_without_factors_over_labels_it_is_the_best_label_of_each_arc(rng):
    n = int(rng.integers(1, 4))
    labelled = drawn(rng, n, arc_factors=[Sibling(rng.integers(-2, 3, (n + 1,) * 3)), AnyOf([(0, 1), (1, n)], 2.0)])
    plain = labelled.unlabelled
    best = enumerate_best(labelled)
    expected = enumerate_best(plain)
    assert [s.value for s in best] == pytest.approx([s.value for s in expected])
    # The value of every labelled tree is that of the plain one, less what its labels cost.
    for found in feasible_structures(labelled)[:20]:
        tree = found.structure
        lost = labelled.arc_weights[found.on_ids].sum() - plain.scores[tree.heads, np.arange(1, n + 1)].sum()
        assert labelled.value(tree) == pytest.approx(plain.value(DependencyTree(tree.heads)) + lost)


@examples(10)
@given(rng=generators())
def test_the_integer_program_agrees(rng):
    n = int(rng.integers(1, 4))
    problem = drawn(rng, n, factors=[Pair()], arc_factors=[Grandchild(rng.integers(-2, 3, (n + 1,) * 3))])
    best = enumerate_best(problem)
    solved = solve_monolithic(problem)
    assert [s.value for s in solved.solutions] == pytest.approx([s.value for s in best])


@examples(6)
@pytest.mark.parametrize("order", ["first", "sibling"])
@given(rng=generators())
def test_the_maximiser_keeps_its_contract(order, rng):
    n = int(rng.integers(1, 4))
    siblings = [AdjacentSibling(rng.integers(-2, 3, (n + 1,) * 3))] if order == "sibling" else []
    problem = LabelledParsingProblem(
        np.where(scores(rng, n) > -np.inf, 0.0, -np.inf), arc_factors=siblings, projective=True, labels=LABELS
    )
    found = feasible_structures(problem)
    internal_scores = {tuple(f.on_ids.tolist()): f.score for f in found}
    maximiser = problem.backbone().maximiser
    assert order == "first" or maximiser.compiled() is not None or not gapless_kernels.COMPILED
    check_maximiser(
        maximiser,
        problem.decisions,
        [f.on_ids for f in found],
        internal_score=lambda ids: internal_scores[tuple(ids.tolist())],
        samples=6,
        seed=int(rng.integers(99)),
    )


def test_at_most_one_subject():
    weights = np.zeros((4, 4, 2))
    weights[2, [1, 3], 0] = 2.0  # words 1 and 3 both want to be subjects of 2
    weights[2, [1, 3], 1] = 1.5
    weights[0, 2] = 1.0
    free = LabelledParsingProblem(weights, labels=LABELS)
    one = LabelledParsingProblem(weights, labels=LABELS, factors=[OneSubject(2)])
    assert Counter(enumerate_best(free)[0].structure.labels)["nsubj"] >= 2
    (best,) = enumerate_best(one)
    assert best.structure.heads.tolist() == [2, 0, 2]
    assert sorted((best.structure.labels[0], best.structure.labels[2])) == ["nsubj", "obj"]
    assert best.value == 4.5
    both = DependencyTree([2, 0, 2], ["nsubj", "obj", "nsubj"])
    assert one.value(both) == -math.inf
    assert one.violations(both) == ["a factor forbids this tree: its score is -inf"]


def test_what_is_no_structure_is_reported():
    problem = LabelledParsingProblem(np.zeros((3, 3, 2)), labels=LABELS)
    say = problem.violations
    assert say(DependencyTree([0, 1])) == ["the tree has no labels, and here each arc has one"]
    assert "circle" in say(DependencyTree([2, 1], ["obj", "obj"]))[0]
    assert "'iobj' is none of 'nsubj', 'obj'" in say(DependencyTree([0, 1], ["iobj", "obj"]))[0]
    fewer = problem.restricted(np.arange(18).reshape(3, 3, 2) != 7 + 3)  # [1, 2, 0]
    assert fewer.violations(DependencyTree([0, 1], ["obj", "nsubj"])) == [
        "the arc 1 -> 2 with the label 'nsubj' is no candidate"
    ]


def test_json_and_copies_keep_everything():
    rng = np.random.default_rng(3)
    problem = LabelledParsingProblem(
        scores(rng, 3),
        arc_factors=[Grandchild(lambda g, h, m: 0.5 * h), AdjacentSibling(np.ones((4, 4, 4)))],
        projective=True,
        labels=LABELS,
        words=["we", "saw", "it"],
    )
    again = loads(dumps(problem))
    for found in feasible_structures(problem):
        assert again.value(found.structure) == found.score
    assert again.decisions.name(0) == problem.decisions.name(0)
    assert "labelled" in problem.decisions.name(0)
    fewer = problem.restricted(np.ones((4, 4), bool))
    assert fewer.decisions.count == problem.decisions.count


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LabelledParsingProblem(np.zeros((3, 3))), r"arc_scores has shape \(3, 3\)"),
        (lambda: LabelledParsingProblem(np.full((3, 3, 2), np.nan)), r"arc_scores\[0, 0, 0\]"),
        (lambda: LabelledParsingProblem(np.zeros((3, 3, 2)), labels=["a"]), "labels holds 1 names"),
        (lambda: LabelledParsingProblem(np.zeros((3, 3, 2)), factors=3), "expected a sequence of factors"),
        (
            lambda: LabelledParsingProblem(np.zeros((3, 3, 2)), factors=[AdjacentSibling(np.zeros((3, 3, 3)))]),
            "give it to arc_factors",
        ),
        (
            lambda: LabelledParsingProblem(np.zeros((3, 3, 2)), arc_factors=[Grandchild(np.zeros((4, 4, 4)))]),
            "axis",
        ),
        (
            lambda: (
                LabelledParsingProblem(
                    np.zeros((3, 3, 2)), factors=[Grandchild(np.zeros((3, 3, 3)))]
                ).factor_set.conjunctions
            ),
            "factor grandchild .* arc_factors",
        ),
        (
            lambda: (
                LabelledParsingProblem(
                    np.zeros((9, 9, 60)), arc_factors=[Grandchild(np.zeros((9, 9, 9)))]
                ).factor_set.conjunctions
            ),
            "factor grandchild takes .* sets of labelled arcs, more than 200000",
        ),
    ],
)
def test_mistakes_are_named(make, words):
    with pytest.raises(InvalidProblem, match=words):
        make()


def test_drawings_name_the_labels():
    problem = LabelledParsingProblem(np.zeros((3, 3, 2)), labels=LABELS, words=["we", "saw"])
    tree = DependencyTree([2, 0], ["nsubj", "obj"])
    svg = load_plugins().hook.gapless_draw(problem=problem, structure=tree, words=(), against=None)
    assert "nsubj" in svg
    assert "saw" in svg
