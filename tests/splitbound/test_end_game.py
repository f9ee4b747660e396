"""Ends of a search that bounds alone do not end: propagation of -inf, and small nodes enumerated."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Limits, Result, Status, Stop
from gapless.roles import Branch, Fixings, TreeCertificate
from gapless.search import layout
from gapless.search.layout import Layout
from gapless_dependency import AdjacentSibling, AnyOf, ParsingProblem, Valency
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem
from gapless_splitbound import EnumeratedTrees, ForbiddenConfigurations, SplitMultipliers


def some_problem(rng, longest=5):
    """With factors of all kinds, a third with a factor that only a backbone can take."""
    number, n = int(rng.integers(12)), int(rng.integers(1, longest + 1))
    problem = random_problem(
        rng,
        n,
        projective=number % 3 == 0 or bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        families=["valency", "any-of", *rng.choice(FAMILIES, size=2)],
        ties=number % 4 == 0,
        forbidden=float(rng.choice([0.0, 0.3])),
        forbidden_parts=float(rng.choice([0.0, 0.3])),
    )
    if number % 3 == 0:
        part = AdjacentSibling(rng.integers(-2, 3, (n + 1,) * 3))
        problem = ParsingProblem(
            problem.scores,
            factors=[*problem.factors, part],
            projective=True,
            single_root=problem.single_root,
            granularity=problem.granularity,
        )
    return problem


def kept(problem, fixings):
    """Arcs of the trees that the fixings leave, and their scores."""
    heads, scores = tree_scores(problem)
    ids = problem.decisions.index[heads, np.arange(1, problem.length + 1)]
    left = np.array([fixings.allow(row) for row in ids], bool)
    return heads[left], scores[left]


def some_fixings(rng, problem):
    state = np.where(rng.random(problem.decisions.count) < 0.3, 0, -1).astype(np.int8)
    return Fixings(state).implied(problem.decisions)


@examples(30)
@given(rng=generators())
def test_a_small_node_is_bounded_by_its_best_tree(rng):
    problem = some_problem(rng)
    fixings = some_fixings(rng, problem)
    if fixings is None:
        return
    best = kept(problem, fixings)[1].max(initial=-np.inf)
    assert EnumeratedTrees().upper_bound(problem, fixings) == pytest.approx(best, rel=1e-12, abs=1e-12)


@seeing("empty", "forbidding")
@examples(60)
@given(rng=generators())
def test_no_allowed_tree_is_propagated_away(seen, rng):
    problem = some_problem(rng, longest=3)
    fixings = some_fixings(rng, problem)
    if fixings is None:
        return
    heads, scores = kept(problem, fixings)
    if ForbiddenConfigurations().upper_bound(problem, fixings) == -np.inf:
        seen["empty"] += 1
        assert not np.any(scores > -np.inf)
        return
    ids = problem.decisions.index[heads, np.arange(1, problem.length + 1)]
    for arc in np.flatnonzero(fixings.state == -1).tolist():
        if ForbiddenConfigurations().verify_flips(problem, fixings, (), [arc]).bound == -np.inf:
            seen["forbidding"] += 1
            assert not np.any((ids == arc).any(axis=1) & (scores > -np.inf))


@pytest.mark.parametrize("variant", ["default", "paper"])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("n", [6, 20])
def test_where_no_word_may_have_a_modifier_nothing_is_searched(n, projective, variant):
    only_none = np.where(np.arange(n + 1) <= 0, 0, -np.inf)
    scores = np.random.default_rng(n).normal(size=(n + 1, n + 1))
    factors = [Valency(h, only_none) for h in range(n + 1)]
    problem = ParsingProblem(scores, factors=factors, projective=projective)
    result = gapless.solve(problem, "split-bound", variant=variant, limits=Limits(nodes=1000))
    assert result.status is Status.INFEASIBLE
    assert result.explanation
    assert result.stats.nodes <= 2 * n
    verdict = Result.from_json(result.to_json()).verify(problem)
    assert verdict
    assert verdict.reason.startswith("nothing is feasible")
    # The same certificate says nothing about a problem that allows one more.
    looser = ParsingProblem(scores, factors=[*factors[1:]], projective=projective)
    assert not result.verify(looser)


def test_where_no_word_may_be_without_one_little_is_searched():
    """Nothing is forbidden arc by arc; the nodes are enumerated."""
    for n in (4, 6):
        at_least = np.where(np.arange(n + 1) >= 1, 0, -np.inf)
        scores = np.random.default_rng(n).normal(size=(n + 1, n + 1))
        problem = ParsingProblem(scores, factors=[Valency(h, at_least) for h in range(n + 1)])
        result = gapless.solve(problem, "split-bound", limits=Limits(nodes=1000))
        assert result.status is Status.INFEASIBLE
        assert result.stats.extra["enumerated"]
        assert result.verify(problem)


def test_without_an_answer_in_time_it_is_said_what_is_known():
    at_least = np.where(np.arange(13) >= 1, 0, -np.inf)
    problem = ParsingProblem(np.zeros((13, 13)), factors=[Valency(h, at_least) for h in range(13)])
    result = gapless.solve(problem, "split-bound", limits=Limits(nodes=2))
    assert (result.status, result.stop) == (Status.NO_SOLUTION, Stop.NODES)
    verdict = result.verify(problem)
    assert verdict
    assert verdict.reason.startswith("no structure is held; ")
    unbounded = gapless.solve(problem, "split-bound", limits=Limits(time=0))
    assert unbounded.verify(problem).reason == "no structure is held; no bound is claimed"


@pytest.fixture
def choices(request, monkeypatch):
    """The number of choices of heads that are enumerated."""
    monkeypatch.setattr(layout, "CHOICES", request.param)


@pytest.mark.usefixtures("choices")
@pytest.mark.parametrize(("choices", "some"), [(0, False), (12, True), (1 << 14, True)], indirect=["choices"])
@seeing("as expected")
@examples(15)
@given(rng=generators())
def test_searches_that_enumerate_find_the_optimum(seen, rng, some):
    problem, k = some_problem(rng, longest=4), 1 + 2 * int(rng.integers(2))
    scores = np.sort(tree_scores(problem)[1])[::-1]
    best = scores[scores > -np.inf][:k]
    result = gapless.solve(problem, "split-bound", k=k)
    assert [s.value for s in result.solutions] == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert result.status is (Status.OPTIMAL if best.size else Status.INFEASIBLE)
    assert Result.from_json(result.to_json()).verify(problem)
    enumerated = bool(result.stats.extra["enumerated"])
    assert some or not enumerated
    seen["as expected"] += enumerated is some


def test_an_enumerated_leaf_may_not_stand_for_a_forbidden_one():
    rng = np.random.default_rng(4)
    problem = random_problem(rng, 4, families=["any-of", "sibling"])
    best = tree_scores(problem)[1].max()
    for evidence in (EnumeratedTrees(), ForbiddenConfigurations()):
        assert evidence.verify(problem).bound >= best - 1e-12
    forbidding = ParsingProblem(problem.scores, factors=[AnyOf([(0, 1)], -np.inf)])
    arc = int(forbidding.decisions.index[0, 1])
    leaves = {"1": ForbiddenConfigurations(), "2": EnumeratedTrees()}
    tree = TreeCertificate((-1, 0, 0), (Branch(), Branch(on=(arc,)), Branch(off=(arc,))), leaves)
    assert tree.verify(forbidding).bound == pytest.approx(tree_scores(forbidding)[1].max())
    swapped = attrs.evolve(tree, leaves={"1": leaves["2"], "2": leaves["1"]})
    assert swapped.verify(forbidding).bound == np.inf


@examples(15)
@given(rng=generators())
def test_solver_and_checker_need_not_agree_on_what_stands_for_minus_infinity(rng):
    """The certificate holds the number; whatever it is, the bound is true."""
    own = Layout.loss.fget
    families = list(rng.choice(CONJUNCTIVE, size=2, replace=False))
    problem = random_problem(rng, 4, projective=True, families=families, forbidden_parts=0.3)
    best = tree_scores(problem)[1].max()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(Layout, "loss", property(lambda self: 7.3 * own(self)))
        for limits in (Limits(), Limits(iterations=10**6)):
            result = gapless.solve(problem, "split-bound", limits=limits)
            assert result.proved
            assert result.verify(problem)
    evidence = result.certificate
    if isinstance(evidence, SplitMultipliers):
        for loss in (0.0, 1.0, 1e9, np.inf, -np.inf, np.nan, -5.0):
            bound = attrs.evolve(evidence, loss=loss).upper_bound(problem, Fixings.none(problem.decisions.count))
            assert bound >= best - 1e-9


def test_the_papers_variant_is_breadth_first_whatever_is_asked():
    """As in the compiled search, so that both count alike."""
    problem = random_problem(np.random.default_rng(6), 6, families=["sibling", "grandchild"], strength=2.0)
    seen = [
        gapless.solve(problem, "split-bound", variant="paper", order=order).stats
        for order in ("best-first", "depth-first", "breadth-first")
    ]
    assert all(a.nodes == b.nodes and a.extra == b.extra for a, b in itertools.pairwise(seen))
    assert seen[0].nodes > 3
    assert not seen[0].extra["enumerated"]
