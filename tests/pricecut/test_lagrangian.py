"""The Lagrangian with lazily scored parts: against enumeration, by its certificates, and how little it scores."""

import itertools
import os
from types import SimpleNamespace

import numpy as np
import pytest
from drawn import always_the_same, examples, generators, numbers, seeded, seeing
from hypothesis import given
from parsing_cases import BoundedScorer, best_score

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.arrays.tolerance import meets
from gapless.roles import InconsistentBound
from gapless.search import layout
from gapless_dependency import ArcConjunctions, Grandchild, GreatGrandchild, ParsingProblem, Sibling
from gapless_pricecut import lagrangian
from gapless_pricecut.lagrangian import LagrangianSearch
from gapless_splitbound import TreeSplitCertificate, lazy_search
from gapless_splitbound.tree_search import tree_layout

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the lazy search is compiled")
SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "20"))
"""For each of the four ways; --long draws ten times as many."""
ORDERS = ("best-first", "depth-first", "breadth-first")


def draw(rng, ties, shape):
    return rng.integers(-3, 4, shape).astype(float) if ties else rng.normal(0, 1.5, shape)


def scorer(rng, ties, shape, forbidden=0.0):
    table = draw(rng, ties, shape)
    table[rng.random(shape) < forbidden] = -np.inf
    loose = np.abs(rng.normal(0, rng.choice([0.3, 1.0, 3.0]), shape)) * rng.integers(0, 2, shape)
    return BoundedScorer(table, np.where(np.isinf(table), rng.choice([0.0, 5.0]), loose))


def listed(rng, n, ties):
    """Pairs and triples of arcs into different words."""
    width = int(rng.integers(2, min(n, 3) + 1))
    sets = set()
    for _ in range(4):
        words = np.sort(rng.permutation(n)[:width] + 1)
        sets.add(tuple((int(rng.choice([h for h in range(n + 1) if h != m])), int(m)) for m in words))
    return ArcConjunctions(sorted(sets), draw(rng, ties, len(sets)))


def sentence(rng, n):
    """Parts of both signs, lazily scored or not, listed conjunctions, forced and forbidden arcs."""
    ties = bool(rng.integers(2))
    arcs = draw(rng, ties, (n + 1, n + 1))
    arcs[rng.random(arcs.shape) < rng.choice([0.0, 0.2])] = -np.inf
    heads = np.ones(arcs.shape, bool)
    if rng.random() < 0.3:  # a forced arc
        word = int(rng.integers(1, n + 1))
        heads[:, word] = False
        heads[int(rng.choice([h for h in range(n + 1) if h != word])), word] = True
    forbidden = float(rng.choice([0.0, 0.0, 0.05]))
    factors = []
    if rng.random() < 0.9:
        factors.append(Grandchild(scorer(rng, ties, (n + 1,) * 3, forbidden)))
    if rng.random() < 0.6:
        factors.append(Sibling(scorer(rng, ties, (n + 1,) * 3, forbidden)))
    if rng.random() < 0.2:
        factors.append(Grandchild(draw(rng, ties, (n + 1,) * 3)))
    if rng.random() < 0.2:
        factors.append(GreatGrandchild(scorer(rng, ties, (n + 1,) * 4)))
    if rng.random() < 0.2 and n > 1:
        factors.append(listed(rng, n, ties))
    return {
        "arc_scores": arcs,
        "factors": factors,
        "heads": heads,
        "projective": bool(rng.integers(2)),
        "single_root": bool(rng.integers(2)),
    }


def check(problem, result, best):
    verdict = result.verify(problem)
    assert verdict, verdict
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert result.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert meets(verdict.bound, best)


@pytest.fixture(params=[(0, 60), (0, 1), (30, 60), (1 << 14, 60)], ids=str)
def way(request, monkeypatch):
    """Choices of heads that are enumerated, and nodes before a linear program."""
    monkeypatch.setattr(layout, "CHOICES", request.param[0])
    monkeypatch.setattr(lagrangian, "PROGRAM_AFTER", request.param[1])


@pytest.mark.usefixtures("way")
@examples(SENTENCES)
@given(rng=generators())
def test_agrees_with_enumeration_and_proves_it(rng):
    """With and without enumeration of small nodes, and with a linear program after the first node."""
    parts = sentence(rng, int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.05, 0.1, 0.2, 0.3, 0.25, 0.1])))
    result = gapless.solve(ParsingProblem(**parts), "lagrangian-cut", order=ORDERS[rng.integers(3)])
    fresh = ParsingProblem(**parts)  # whoever verifies scores everything anew
    check(fresh, result, best_score(fresh))


LAZILY = pytest.mark.parametrize(
    ("method", "options"), [("lagrangian-cut", {}), ("split-bound", {"lazy_scores": True})]
)


@LAZILY
@examples(15)
@given(rng=generators())
def test_lazy_and_eager_searches_give_one_answer(rng, method, options):
    parts = sentence(rng, int(rng.integers(1, 8)))
    lazy = gapless.solve(ParsingProblem(**parts), method, **options)
    eager = gapless.solve(ParsingProblem(**parts), "split-bound")
    assert lazy.status is eager.status
    if lazy.solutions:
        assert lazy.value == pytest.approx(eager.value, rel=1e-9, abs=1e-9)


@LAZILY
@seeing("scored")
@examples(4)
@given(rng=generators())
def test_many_sentences_at_once(seen, rng, method, options):
    sentences = [sentence(rng, int(rng.integers(1, 6))) for _ in range(rng.integers(1, 11))]
    batch = gapless.solve_many([ParsingProblem(**parts) for parts in sentences], method, **options)
    for i, parts in enumerate(sentences):
        problem = ParsingProblem(**parts)
        check(problem, batch[i], best_score(problem))
        if batch.statuses[i] is Status.OPTIMAL:
            assert batch.values[i] == pytest.approx(batch[i].value, rel=1e-12)
    seen["scored"] += int(batch.arrays["scopes_scored"].sum())


def easy(n=14, seed=3):
    """Arcs that decide nearly everything, parts of little weight with tight bounds."""
    rng = np.random.default_rng(seed)
    arcs = rng.normal(0, 3, (n + 1, n + 1))
    scores = BoundedScorer(rng.normal(0, 0.2, (n + 1,) * 3), np.full((n + 1,) * 3, 0.05))
    return arcs, scores


def test_only_what_matters_is_scored_and_counted():
    arcs, scores = easy()
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    result = gapless.solve(problem, "lagrangian-cut")
    total = len(problem.conjunctions[0].scopes)
    assert result.status is Status.OPTIMAL
    assert result.stats.scopes_total == total
    assert 0 < result.stats.scopes_scored == scores.asked < 0.25 * total
    assert result.stats.extra["lazy"]
    every = gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores.table)]), "lagrangian-cut")
    assert every.stats.scopes_scored == every.stats.scopes_total == total
    assert every.value == pytest.approx(result.value, rel=1e-12)


def test_lazy_scores_need_the_default_variant():
    arcs, scores = easy()
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    with pytest.raises(gapless.UnknownOption, match="lazy_scores is True, but variant='paper' asks for all"):
        gapless.solve(problem, "split-bound", variant="paper", lazy_scores=True)
    lazily = gapless.solve(problem, "split-bound", lazy_scores=True)
    assert lazily.stats.scopes_scored < lazily.stats.scopes_total
    assert lazily.stats.extra["lazy"]


def test_a_score_above_its_bound_is_refused():
    arcs, scores = easy()
    scores.slack = np.full_like(scores.table, -0.01)
    with pytest.raises(gapless.InvalidProblem, match=r"upper_bound\(\) promised at most"):
        gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores)]), "lagrangian-cut")


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (lambda g, h, m: np.full(g.size, np.nan), "is NaN"),
        (lambda g, h, m: np.zeros(3), "came with shape"),
    ],
)
def test_bounds_that_are_none_are_refused(bounds, words):
    arcs, scores = easy()
    scores.upper_bound = bounds
    with pytest.raises(gapless.InvalidProblem, match=words):
        gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores)]), "lagrangian-cut")


def test_infinite_bounds_are_no_bounds():
    arcs, scores = easy(6)
    scores.upper_bound = lambda *positions: np.full(positions[0].size, np.inf)
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    check(problem, gapless.solve(problem, "lagrangian-cut"), best_score(problem))


def failing(scores, error, after):
    calls = itertools.count()

    class Failing:
        upper_bound = staticmethod(scores.upper_bound)

        def __call__(self, *positions):
            if next(calls) >= after:
                raise error
            return scores(*positions)

    return Failing()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_error_in_a_scorer_never_ends_as_an_answer(after):
    arcs, scores = easy()
    problem = ParsingProblem(arcs, factors=[Grandchild(failing(scores, ZeroDivisionError("mine"), after))])
    with pytest.raises(ZeroDivisionError, match="mine"):
        gapless.solve(problem, "lagrangian-cut")


@pytest.mark.parametrize("after", [1, 2, 3])
def test_ctrl_c_while_scoring_gives_a_true_bound(after):
    rng = np.random.default_rng(1)
    arcs, table = rng.normal(size=(7, 7)), rng.normal(0, 2, (7, 7, 7))
    scores = BoundedScorer(table, np.abs(rng.normal(0, 1, table.shape)))
    broken = ParsingProblem(arcs, factors=[Grandchild(failing(scores, KeyboardInterrupt(), after))])
    result = gapless.solve(broken, "lagrangian-cut")
    assert result.stop is Stop.INTERRUPTED
    whole = ParsingProblem(arcs, factors=[Grandchild(table)])
    assert result.bound >= best_score(whole) - 1e-9
    if np.isfinite(result.bound):
        assert result.verify(whole)


@seeing("stopped")
@examples(6)
@given(rng=generators())
def test_ctrl_c_at_any_call_leaves_a_tree_that_scores_what_is_said(seen, rng):
    """A tree whose scores were interrupted is no incumbent: bounds stand for some of them."""
    arcs, scores = hard(6, rng)
    best = best_score(ParsingProblem(arcs, factors=[Grandchild(scores.table)]))
    for after in itertools.count(1):
        broken = failing(scores, KeyboardInterrupt(), after)
        result = gapless.solve(ParsingProblem(arcs, factors=[Grandchild(broken)]), "lagrangian-cut")
        if result.stop is not Stop.INTERRUPTED:
            break
        assert result.bound >= best - 1e-9
        assert all(solution.value <= best + 1e-9 for solution in result.solutions)
    seen["stopped"] += after - 1


def hard(n, seed=0):
    """Parts that weigh as much as arcs."""
    rng = numbers(seed)
    table = rng.normal(0, 1.5, (n + 1,) * 3)
    loose = np.abs(rng.normal(0, 0.5, table.shape))
    return rng.normal(0, 1, (n + 1, n + 1)), BoundedScorer(table, loose)


@pytest.mark.usefixtures("bounds_alone")
@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_limits_leave_a_true_bound_that_can_be_checked(nodes):
    arcs, scores = hard(9)
    best = gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores.table)]), "split-bound").value
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    result = gapless.solve(problem, "lagrangian-cut", limits=Limits(nodes=nodes))
    assert result.bound >= best - 1e-9
    assert result.value <= best + 1e-9
    assert result.verify(problem)


@pytest.mark.usefixtures("bounds_alone")
@pytest.mark.parametrize("keep_proof", [False, True])
@examples(4)
@given(rng=seeded())
def test_a_search_may_begin_again_from_any_multipliers(rng, keep_proof):
    arcs, scores = hard(8, rng)
    problem = ParsingProblem(arcs, factors=[Grandchild(scores), Sibling(hard(8, rng)[1])])
    best = gapless.solve(problem, "split-bound", certificate=False).value
    lazy = ParsingProblem(arcs, factors=problem.factors)
    search = LagrangianSearch(tree_layout(lazy, lazily=True), keep_proof=keep_proof)
    for nodes in (1, 4, 9):
        if search.advance(10.0, nodes) is Stop.PROVED:
            break
        search.kernel.restart(rng.normal(0, 1, len(search.kernel.slots()[0])))
        search.kernel.bound_current_node()
        assert search.bound >= best - 1e-9
    assert search.finish()
    assert search.value == pytest.approx(best, rel=1e-9)
    if keep_proof:
        verdict = search.certificate().verify(problem)
        assert verdict
        assert meets(verdict.bound, best)


@pytest.fixture
def a_program_at_once(monkeypatch):
    monkeypatch.setattr(lagrangian, "PROGRAM_AFTER", 1)
    monkeypatch.setattr(lazy_search, "ROOT_STEPS", 3)


@pytest.mark.usefixtures("bounds_alone", "a_program_at_once")
@seeing("closed")
@examples(12)
@given(rng=seeded())
def test_a_linear_program_closes_what_stalls(seen, rng):
    """Its prices prove what it proves: an integral relaxation leaves nothing to branch on."""
    arcs, scores = hard(10, rng)
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    result = gapless.solve(problem, "lagrangian-cut")
    assert result.status is Status.OPTIMAL
    assert result.verify(problem)
    if not result.stats.extra["program"]:
        return
    relaxed = gapless.solve(problem, "price-and-cut", fix=False)
    if relaxed.status is Status.OPTIMAL:
        assert result.stats.nodes == 2  # the root, and the root again
        assert result.stats.scopes_added > 0
        assert not result.stats.extra["root_closed"]
        seen["closed"] += 1


def stalling(monkeypatch, error):
    """A sentence whose search asks for a linear program, which raises `error`; and a list of the times it did."""
    asked = []

    def raises(*arguments, **options):
        asked.append(error)
        raise error

    monkeypatch.setattr(layout, "CHOICES", 0)
    monkeypatch.setattr(lagrangian, "PROGRAM_AFTER", 1)
    monkeypatch.setattr(lazy_search, "ROOT_STEPS", 3)
    monkeypatch.setattr(lagrangian, "restricted_relaxation", raises)
    return *hard(10, 1), asked


def test_a_linear_program_that_fails_is_done_without(monkeypatch):
    arcs, scores, asked = stalling(monkeypatch, gapless.SolveError("no optimum"))
    result = gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores)]), "lagrangian-cut")
    best = gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores.table)]), "split-bound").value
    assert result.status is Status.OPTIMAL
    assert result.value == pytest.approx(best, rel=1e-9)
    assert len(asked) == 1


@pytest.fixture
def an_unfinished_program(monkeypatch):
    def unfinished(problem, kept, *, parts, **options):
        """No time for a round: a tree, and prices that prove little."""
        found = gapless.solve(problem, "price-and-cut").best
        proof = SimpleNamespace(bound=np.inf, multipliers=np.zeros(parts.size), tree=found)
        return SimpleNamespace(proof=proof, program=SimpleNamespace(added=0))

    monkeypatch.setattr(lagrangian, "PROGRAM_AFTER", 4)
    monkeypatch.setattr(lagrangian, "restricted_relaxation", unfinished)


@pytest.mark.usefixtures("bounds_alone", "an_unfinished_program")
@seeing("reached")
@always_the_same(6)  # others: the relaxation alone may stumble upon a better tree
@given(rng=seeded())
def test_an_unfinished_linear_program_takes_no_bound_away(seen, rng):
    arcs, scores = hard(10, rng)
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    search = LagrangianSearch(tree_layout(problem, lazily=True))
    search.program_due = False
    if search.advance(10.0, 4) is Stop.PROVED:
        return
    bound, search.program_due = search.bound, True
    assert search.advance(10.0, 5) is not Stop.PROVED
    assert search.program_solved
    assert search.bound <= bound
    assert search.value >= gapless.solve(problem, "price-and-cut").value - 1e-9
    assert search.finish()
    assert search.certificate().verify(problem)
    seen["reached"] += 1


def test_a_contradiction_in_a_linear_program_is_no_failure_to_go_on_after(monkeypatch):
    arcs, scores, asked = stalling(monkeypatch, InconsistentBound("a bound below a tree"))
    with pytest.raises(InconsistentBound) as caught:
        gapless.solve(ParsingProblem(arcs, factors=[Grandchild(scores)]), "lagrangian-cut")
    assert caught.value.result.status is not Status.OPTIMAL
    batch = gapless.solve_many([ParsingProblem(arcs, factors=[Grandchild(scores)])] * 2, "lagrangian-cut")
    assert sorted(batch.errors) == [0, 1]
    assert len(asked) == 3


@examples(20)
@given(rng=generators())
def test_any_numbers_make_a_true_certificate(rng):
    parts = sentence(rng, 4)
    problem = ParsingProblem(**parts)
    best = best_score(problem)
    search = LagrangianSearch(tree_layout(ParsingProblem(**parts), lazily=True))
    if not search.lazy:
        return
    scopes, places = search.kernel.slots()
    owned = np.flatnonzero(scopes >= 0)
    values = rng.choice([0.0, 1e300, -1e300, np.nan, np.inf, 0.5, -0.5, 2.0], owned.size)
    ways, sets = search.kernel.record()["orientation"], [scored.scopes for scored in problem.conjunctions]
    widths = np.concatenate([np.full(len(each), each.shape[1]) for each in sets])
    at = (np.cumsum(widths) - widths)[scopes[owned]] + places[owned]
    evidence = TreeSplitCertificate(ways, values, places=at, loss=float(rng.choice([0.0, 1e300])))
    verdict = evidence.verify(problem)
    assert not verdict or verdict.bound >= best - 1e-9


@pytest.mark.parametrize("value", [-1e300, -np.inf, np.nan, 1e300])
def test_wild_charges_of_negative_scores_neither_warn_nor_prove_too_much(value):
    sets = [((0, 1), (0, 2)), ((0, 1), (1, 2))]
    for score in (-1e-9, -np.inf):
        problem = ParsingProblem(np.zeros((3, 3)), factors=[ArcConjunctions(sets, [score, score])])
        verdict = TreeSplitCertificate([0], [value, value], places=[0, 2]).verify(problem)
        assert verdict.bound >= best_score(problem)


def test_certificates_survive_json_and_do_not_fit_other_problems():
    arcs, scores = easy(8)
    problem = ParsingProblem(arcs, factors=[Grandchild(scores)])
    result = gapless.solve(problem, "lagrangian-cut")
    again = gapless.Result.from_json(result.to_json())
    assert again.verify(problem)
    other = ParsingProblem(arcs, factors=[Grandchild(scores), Sibling(scores)])
    assert not again.verify(other)


def test_it_is_the_default_for_grandchildren_and_lazy_scores():
    rng = np.random.default_rng(0)
    arcs, table = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 5))
    lazy = BoundedScorer(table, np.ones_like(table))

    def method(*factors):
        return gapless.solve(ParsingProblem(arcs, factors=factors)).method

    for factors in ([Grandchild(table)], [Sibling(lazy)], [Sibling(table), Grandchild(lazy)]):
        assert method(*factors) == "lagrangian-cut"
    for factors in ([], [Sibling(table)], [Grandchild(table), Sibling(table)]):
        assert method(*factors) == "split-bound"
