"""Backbones: what they absorb and refuse, their factors, and the role of a maximiser."""

import math

import numpy as np
import pytest
from drawn import generators, mostly_long, numbers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gapless_kernels
from gapless import InvalidProblem, UnknownName, dumps, loads
from gapless.roles import Fixings
from gapless.testing.conformance import ConformanceError
from gapless.testing.enumeration import feasible_structures
from gapless.testing.oracle import check_maximiser, check_oracle
from gapless_dependency import (
    AdjacentSibling,
    DependencyTree,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
    ParsingProblem,
    Sibling,
    TreeMaximiser,
    backbone_for,
)

NAMES = ["first", "sibling", "carreras", "grand-sibling"]


def integers(source, n, axes):
    return numbers(source).integers(-3, 4, (n + 1,) * axes).astype(float)


def factors_for(name, n, source=0):
    """One of each that the backbone absorbs, adjacent siblings twice."""
    rng = numbers(source)
    siblings = [AdjacentSibling(integers(rng, n, 3)) for _ in range(2)]
    return {
        "first": [],
        "sibling": siblings,
        "carreras": [*siblings, OutermostGrandchild(integers(rng, n, 3))],
        "grand-sibling": [
            *siblings,
            Grandchild(integers(rng, n, 3)),
            GrandSibling(integers(rng, n, 4)),
        ],
    }[name]


@pytest.mark.parametrize(("single_root", "n"), mostly_long([(True, 4), (False, 3), (False, 4)], quick=[0, 1]))
@pytest.mark.parametrize("name", NAMES)
def test_the_maximiser_keeps_its_contract(name, single_root, n):
    scores = np.where(np.random.default_rng(1).random((n + 1, n + 1)) < 0.1, -np.inf, 0.0)
    problem = ParsingProblem(scores, factors=factors_for(name, n), projective=True, single_root=single_root)
    maximiser = TreeMaximiser(problem, backbone_for(problem, name))
    found = feasible_structures(problem)
    # The arcs score nothing, so that the problem's value is what the backbone has absorbed.
    internal_scores = {tuple(f.on_ids.tolist()): problem.value(problem.decode(f.on_ids)) for f in found}
    check_maximiser(
        maximiser,
        problem.decisions,
        [f.on_ids for f in found],
        internal_score=lambda ids: internal_scores[tuple(ids.tolist())],
        samples=12,
    )


@pytest.mark.parametrize("single_root", [True, False])
def test_spanning_trees_keep_the_contract(single_root):
    problem = ParsingProblem(integers(2, 3, 2), single_root=single_root)
    check_oracle(TreeMaximiser(problem, backbone_for(problem)), problem)


def test_own_scores_that_are_kept_silent_are_caught():
    problem = ParsingProblem(np.zeros((4, 4)), factors=factors_for("sibling", 3), projective=True)
    with pytest.raises(ConformanceError, match="the value is the maximum"):
        check_oracle(TreeMaximiser(problem, backbone_for(problem, "sibling")), problem)


@pytest.mark.parametrize("name", NAMES)
# Enumeration of all trees, on a machine that is busy with other tests, is slow through no fault of the draw.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(rng=generators(), n=st.integers(1, 4), single_root=st.booleans())
def test_values_are_the_problems(name, rng, n, single_root):
    """The value of the backbone's tree under the arc scores is the problem's, and no tree is better."""
    problem = ParsingProblem(
        integers(rng, n, 2), factors=factors_for(name, n, rng), projective=True, single_root=single_root
    )
    backbone = backbone_for(problem, name)
    assert backbone.scored_factors == problem.factors
    value, heads = backbone.solve(problem.scores)
    assert value == problem.value(problem.tree(heads[1:])) == max(f.score for f in feasible_structures(problem))


def test_two_heads_fixed_on_leave_nothing():
    problem = ParsingProblem(np.zeros((4, 4)), projective=True)
    index = problem.decisions.index
    fixings = Fixings.none(problem.decisions.count).fix(on=[index[1, 2], index[3, 2]])
    assert fixings is not None
    maximiser = TreeMaximiser(problem, backbone_for(problem))
    assert maximiser.solve(problem.arc_weights, fixings).value == -math.inf
    assert (maximiser.max_marginals(problem.arc_weights, fixings).on == math.inf).all()


def test_other_factors_are_not_absorbed():
    grandchild, sibling = Grandchild(np.ones((4, 4, 4))), Sibling(np.ones((4, 4, 4)))
    problem = ParsingProblem(np.zeros((4, 4)), factors=[grandchild, sibling], projective=True)
    assert backbone_for(problem, "first").scored_factors == ()
    assert backbone_for(problem, "carreras").scored_factors == ()
    assert backbone_for(problem, "grand-sibling").scored_factors == (grandchild,)


def test_lazy_grandchildren_are_asked_for_once():
    asked = []

    def score(g, h, m):
        asked.append(len(g))
        return (g * 100 + h * 10 + m).astype(float)

    problem = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(score)], projective=True)
    backbone = backbone_for(problem, "grand-sibling")
    value, heads = backbone.solve(problem.scores)
    assert value == problem.value(problem.tree(heads[1:]))
    assert asked == [len(problem.conjunctions[0].scopes)]


def test_refusals_name_factor_and_backbone():
    scores = np.zeros((4, 4))
    adjacent, outermost = AdjacentSibling(np.zeros((4, 4, 4))), OutermostGrandchild(np.zeros((4, 4, 4)))
    with pytest.raises(InvalidProblem, match=r"adjacent-sibling cannot be absorbed by the backbone 'first'"):
        backbone_for(ParsingProblem(scores, factors=[adjacent], projective=True), "first")
    with pytest.raises(InvalidProblem, match=r"outermost-grandchild .* 'grand-sibling'; it needs .* 'carreras'"):
        backbone_for(ParsingProblem(scores, factors=[adjacent, outermost], projective=True), "grand-sibling")
    with pytest.raises(InvalidProblem, match=r"adjacent-sibling .* with crossing arcs"):
        backbone_for(ParsingProblem(scores, factors=[adjacent]))
    with pytest.raises(InvalidProblem, match="'sibling' is a dynamic program over projective trees"):
        backbone_for(ParsingProblem(scores), "sibling")
    with pytest.raises(UnknownName, match="no backbone 'eisner', only 'first', 'sibling'"):
        backbone_for(ParsingProblem(scores), "eisner")


# --- the factors


def test_parts_of_a_tree():
    """Heads of the words 1..5: 3 has 1 and 2 on the left and 4, 5 on the right."""
    heads = np.array([3, 3, 0, 3, 3])
    by_place = np.arange(6.0**3).reshape(6, 6, 6)
    chain = {(0, 0, 3), (3, 3, 2), (3, 2, 1), (3, 3, 4), (3, 4, 5)}
    adjacent = AdjacentSibling(by_place)
    assert set(adjacent.parts(heads)) == chain
    assert adjacent.value(heads) == sum(by_place[part] for part in chain)
    assert set(GrandSibling(np.zeros((6,) * 4)).parts(heads)) == {(0, *part) for part in chain}
    outermost = OutermostGrandchild(by_place).parts(heads)
    assert sorted(outermost) == sorted([(0, 3, 1), (0, 3, 5), *[(3, m, m) for m in (1, 2, 4, 5)] * 2])


def test_a_forbidden_part_is_a_violation():
    scores = np.zeros((3, 3, 3))
    scores[0, 0, 1] = -np.inf
    problem = ParsingProblem(np.zeros((3, 3)), factors=[AdjacentSibling(scores)], projective=True)
    assert problem.value(DependencyTree([0, 1])) == -math.inf
    assert problem.violations(DependencyTree([0, 1])) == ["a factor forbids this tree: its score is -inf"]
    assert not problem.violations(DependencyTree([2, 0]))


@pytest.mark.parametrize("kind", [AdjacentSibling, OutermostGrandchild, GrandSibling])
def test_json_and_bad_scores(kind):
    scores = integers(0, 2, kind.order)
    scores[(1,) * kind.order] = -np.inf
    again = loads(dumps(kind(scores)))
    assert type(again) is kind
    np.testing.assert_array_equal(again.scores, scores)
    assert not again.scores.flags.writeable
    with pytest.raises(InvalidProblem, match=rf"{kind.name}: scores have shape \(2, 3\)"):
        kind(np.zeros((2, 3)))
    with pytest.raises(InvalidProblem, match=f"{kind.name}: scores are not an array of numbers"):
        kind("many")
    scores[(2,) * kind.order] = np.nan
    with pytest.raises(InvalidProblem, match=rf"{kind.name}: scores\[2, .*2\] is nan"):
        kind(scores)
    with pytest.raises(InvalidProblem, match="because the sentence has 4 words"):
        ParsingProblem(np.zeros((5, 5)), factors=[kind(np.zeros((3,) * kind.order))])


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="compares compiled kernels with Python")
@pytest.mark.parametrize("name", NAMES[1:])
@given(rng=generators(), n=st.integers(1, 9), single_root=st.booleans())
def test_longer_sentences_are_the_same_in_compiled_code(name, rng, n, single_root):
    problem = ParsingProblem(
        np.where(rng.random((n + 1, n + 1)) < 0.1, -np.inf, 0.0),
        factors=factors_for(name, n, rng),
        projective=True,
        single_root=single_root,
    )
    maximiser = TreeMaximiser(problem, backbone_for(problem, name))
    weights, free = rng.normal(0, 3, problem.decisions.count), Fixings.none(problem.decisions.count)
    role = maximiser.compiled()
    value, on_ids = role.solve(weights)
    found, slacks = maximiser.solve(weights, free), maximiser.max_marginals(weights, free)
    assert value == pytest.approx(found.value)
    if value > -math.inf:
        assert weights[on_ids].sum() + role.internal_score_of(on_ids) == pytest.approx(value)
        on, off = role.max_marginals(weights)
        np.testing.assert_allclose(value - on, slacks.on, atol=1e-9)
        np.testing.assert_allclose(value - off, slacks.off, atol=1e-9)
