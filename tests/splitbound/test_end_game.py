"""Ends of a search that bounds alone do not end: propagation of -inf, and small nodes enumerated."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from parsing_cases import best_scores, random_case, trees_under

import gapless
from gapless import Limits, Result, Status, Stop
from gapless.roles import Fixings
from gapless.search.layout import SearchInput
from gapless_dependency import AdjacentSibling, ParsingProblem, Valency
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem
from gapless_splitbound import EnumeratedTrees, TreeSplitCertificate


def some_problem(rng, longest=5):
    """With factors of all kinds, a third with a factor that only a backbone can take."""
    number, n = int(rng.integers(12)), int(rng.integers(1, longest + 1))
    families = ["valency", "any-of", *rng.choice(FAMILIES, size=2)]
    shares = {"forbidden": [0.0, 0.3], "forbidden_parts": [0.0, 0.3]}
    projective = number % 3 == 0 or bool(rng.integers(2))
    problem = random_case(rng, n, families, projective=projective, ties=number % 4 == 0, **shares)
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


@examples(40)
@given(rng=generators())
def test_a_small_node_is_bounded_by_its_best_tree(rng):
    problem = some_problem(rng)
    fixings = Fixings(np.where(rng.random(problem.decisions.count) < 0.3, 0, -1).astype(np.int8))
    best = trees_under(problem, fixings)[1].max(initial=-np.inf)
    assert EnumeratedTrees().upper_bound(problem, fixings) == pytest.approx(best, rel=1e-12, abs=1e-12)


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


@pytest.mark.usefixtures("choices")
@pytest.mark.parametrize(("choices", "some"), [(0, False), (12, True), (1 << 14, True)], indirect=["choices"])
@seeing("as expected")
@examples(15)
@given(rng=generators())
def test_searches_that_enumerate_find_the_optimum(seen, rng, some):
    problem, k = some_problem(rng, longest=4), 1 + 2 * int(rng.integers(2))
    best = best_scores(problem)[:k]
    result = gapless.solve(problem, "split-bound", k=k)
    assert [s.value for s in result.solutions] == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert result.status is (Status.OPTIMAL if best.size else Status.INFEASIBLE)
    assert Result.from_json(result.to_json()).verify(problem)
    enumerated = bool(result.stats.extra["enumerated"])
    assert some or not enumerated
    seen["as expected"] += enumerated is some


@examples(15)
@given(rng=generators())
def test_solver_and_checker_need_not_agree_on_what_stands_for_minus_infinity(rng):
    """The certificate holds the number; whatever it is, the bound is true."""
    own = SearchInput.loss.fget
    families = list(rng.choice(CONJUNCTIVE, size=2, replace=False))
    problem = random_problem(rng, 4, projective=True, families=families, forbidden_parts=0.3)
    best = tree_scores(problem)[1].max()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(SearchInput, "loss", property(lambda self: 7.3 * own(self)))
        for limits in (Limits(), Limits(iterations=10**6)):
            result = gapless.solve(problem, "split-bound", limits=limits)
            assert result.proved
            assert result.verify(problem)
    evidence = result.certificate
    if isinstance(evidence, TreeSplitCertificate):
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
