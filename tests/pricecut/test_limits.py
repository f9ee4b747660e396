"""Early ends of a relaxation, its message then, and answers that are no optimum."""

import itertools

import numpy as np
import pytest
from parsing_cases import best_score

import gapless
from gapless import InvalidProblem, Limits, SolveError, Status, Stop, UnknownOption
from gapless.arrays.tolerance import score_tolerance
from gapless.column_generation.master import LinearProgram
from gapless.roles import InconsistentBound, SolveBudget
from gapless_dependency import Grandchild, ParsingProblem, Sibling
from gapless_dependency.backbones import Arborescence
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem

WAYS = [
    ("price-and-cut", {}),
    ("price-and-cut", {"fix": False}),
    ("price-and-cut", {"variant": "paper"}),
    ("lp-full", {}),
    ("lp-full", {"tree": "flow"}),
]


@pytest.fixture
def hard():
    """A sentence whose relaxation has a gap, and its best score."""
    problem = random_problem(np.random.default_rng(4), 6, families=("grandchild", "sibling"), strength=2.0)
    return problem, best_score(problem)


@pytest.mark.parametrize(("method", "options"), WAYS)
def test_a_gap_is_said_to_be_the_relaxations(hard, method, options):
    problem, best = hard
    result = gapless.solve(problem, method, **options)
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.RELAXED)
    assert result.value <= best < result.bound
    assert result.verify(problem)
    extra = result.stats.extra
    assert extra["rounds"] >= 1
    assert not extra["integral"]
    assert extra["objective"] >= best


@pytest.mark.parametrize(("method", "options"), WAYS)
@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(time=0.0), Stop.TIME),
        (Limits(nodes=0), Stop.NODES),
        (Limits(iterations=0), Stop.ITERATIONS),
        (Limits(relative_gap=10.0), Stop.GAP),
        (Limits(target=-1e6), Stop.TARGET),
    ],
)
def test_every_limit_leaves_a_tree_and_a_true_bound(hard, method, options, limits, stop):
    problem, best = hard
    result = gapless.solve(problem, method, limits=limits, **options)
    assert result.stop is stop
    assert result.value <= best <= result.bound
    assert result.verify(problem)
    assert "objective" not in result.stats.extra


def test_a_program_that_outlasts_the_time_is_not_solved_again(hard, monkeypatch):
    problem, best = hard
    given, now = [], [0.0]

    def outlasts(program, seconds, *, fresh=False):
        given.append(seconds)
        now[0] += seconds + 0.01
        return False

    monkeypatch.setattr(LinearProgram, "optimise", outlasts)
    monkeypatch.setattr(SolveBudget, "elapsed", property(lambda budget: now[0]))
    result = gapless.solve(problem, "price-and-cut", limits=Limits(time=0.2))
    assert result.stop is Stop.TIME
    assert result.value <= best <= result.bound
    assert len(given) == 1


@pytest.mark.parametrize(("method", "options"), WAYS[:3])
def test_ctrl_c_leaves_a_tree_and_a_true_bound(hard, method, options):
    problem, best = hard

    def interrupt(event):
        raise KeyboardInterrupt

    result = gapless.solve(problem, method, observers=[interrupt], **options)
    assert result.stop is Stop.INTERRUPTED
    assert result.value <= best <= result.bound
    assert result.verify(problem)


def test_an_observer_that_raises_ends_in_an_error_with_what_is_known(hard):
    problem, best = hard

    def refuse(event):
        raise LookupError("no")

    with pytest.raises(SolveError) as caught:
        gapless.solve(problem, "price-and-cut", observers=[refuse])
    result = caught.value.result
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.ERROR)
    assert result.bound >= best - score_tolerance(best)


def test_rounds_are_reported_with_true_bounds(hard):
    problem, best = hard
    result = gapless.solve(problem, "price-and-cut", trace=True)
    rounds = [event for event in result.trace if event.kind == "round"]
    assert len(rounds) == result.stats.extra["rounds"] == result.stats.iterations
    assert all(event.bound >= best - score_tolerance(best) for event in rounds)
    assert all(a.bound >= b.bound for a, b in itertools.pairwise(rounds))


@pytest.mark.parametrize(("method", "options"), WAYS)
def test_a_start_is_kept_until_something_is_better(hard, method, options):
    problem, best = hard
    heads, scores = tree_scores(problem)
    start = problem.tree(heads[scores.argmax()])
    result = gapless.solve(problem, method, start=start, **options)
    assert result.value == pytest.approx(best)
    assert result.stats.warm_start_used
    wrong = problem.tree(np.zeros(problem.length, int))
    with pytest.raises(InvalidProblem, match="start"):
        gapless.solve(problem, method, start=wrong, **options)


@pytest.mark.parametrize(
    ("method", "option", "value", "nearest"),
    [
        ("price-and-cut", "variant", "papre", "paper"),
        ("lp-full", "rows", "leam", "lean"),
        ("lp-full", "tree", "flaw", "flow"),
        ("branch-price-and-cut", "tree", "scop", "scip"),
        ("branch-price-and-cut", "order", "best", "best-first"),
    ],
)
def test_misspelt_options_are_answered_with_the_nearest(hard, method, option, value, nearest):
    with pytest.raises(UnknownOption, match=nearest):
        gapless.solve(hard[0], method, **{option: value})


@pytest.mark.parametrize("method", ["price-and-cut", "lp-full", "branch-price-and-cut", "ilp"])
def test_sentences_without_a_tree_are_infeasible_and_say_why(method):
    scores = np.zeros((3, 3))
    scores[:, 2] = -np.inf
    result = gapless.solve(ParsingProblem(scores, factors=[Grandchild(np.zeros((3, 3, 3)))]), method)
    assert result.status is Status.INFEASIBLE
    assert "word 2" in result.explanation[0]


@pytest.mark.parametrize("method", ["price-and-cut", "lp-full", "branch-price-and-cut"])
def test_sentences_whose_trees_are_all_forbidden_are_infeasible(method):
    table = np.full((4, 4, 4), -np.inf)
    problem = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(table), Sibling(table)])
    result = gapless.solve(problem, method)
    assert result.status is Status.INFEASIBLE
    assert "forbids" in result.explanation[0]
    if method != "branch-price-and-cut":
        assert result.verify(problem)


def test_an_oracle_that_bounds_too_low_is_found_out(hard, monkeypatch):
    problem, _ = hard
    honest = Arborescence.max_marginals

    def low(self, weights):
        value, heads, through = honest(self, weights)
        return value - 50.0, heads, through - 50.0

    monkeypatch.setattr(Arborescence, "max_marginals", low)
    with pytest.raises(InconsistentBound, match="one of them scores"):
        gapless.solve(problem, "price-and-cut")


def test_a_scorer_that_raises_is_not_swallowed():
    def scores(g, h, m):
        raise LookupError("no such feature")

    problem = ParsingProblem(np.zeros((4, 4)), factors=[Grandchild(scores)])
    for method in ("price-and-cut", "lp-full", "branch-price-and-cut"):
        with pytest.raises(LookupError, match="no such feature"):
            gapless.solve(problem, method)
