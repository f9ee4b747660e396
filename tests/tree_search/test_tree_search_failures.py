"""Every way in which a role can fail inside `tree_search`: the named error, with a true result."""

import math

import attrs
import numpy as np
import pytest
from role_mocks import BadBrancher, BadRelaxation, Sabotage, change, check_stopped, raiser, returning

from gapless import InvalidProblem, SolveError, Status, Stop, UnknownOption
from gapless.roles import (
    Branch,
    Fixings,
    InconsistentBound,
    MostFractional,
    OracleError,
    RelaxationResult,
    SolveBudget,
    Tightening,
    UncoveredBranching,
)
from gapless.testing.examples import OptimisticBound, Selection
from gapless.tree_search import tree_search

CALLS = [1, 2, 3, 7]


def fails(problem, error, message, *, relaxation=None, brancher=None, **how):
    """Check the error that a search ends with, and the result that it carries, and return the error."""
    with pytest.raises(error, match=message) as caught:
        tree_search(problem, relaxation or OptimisticBound(problem), brancher or MostFractional(), **how)
    assert type(caught.value) is error
    assert caught.value.result is not None
    check_stopped(problem, caught.value.result, caught.value)
    return caught.value


@pytest.mark.parametrize("at", CALLS)
def test_relaxation_that_raises(knapsack, at):
    original = ZeroDivisionError("no pivot")
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(raiser(original), at))
    error = fails(knapsack, OracleError, "BadRelaxation.solve raised ZeroDivisionError: no pivot", relaxation=bad)
    assert error.__cause__ is original


@pytest.mark.parametrize("at", CALLS)
def test_relaxation_that_forgets_to_return(knapsack, at):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(returning(None), at))
    fails(
        knapsack,
        OracleError,
        "BadRelaxation.solve returned NoneType, expected a RelaxationResult",
        relaxation=bad,
    )


def test_relaxation_with_a_bound_of_text(knapsack):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(change(bound="10"), 1))
    error = fails(knapsack, OracleError, "unusable answer: TypeError", relaxation=bad, method="mine")
    assert str(error).startswith("mine:")
    assert isinstance(error.__cause__, TypeError)


@pytest.mark.parametrize("at", CALLS)
def test_relaxation_with_nan(knapsack, at):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(change(bound=math.nan), at))
    fails(knapsack, InconsistentBound, "BadRelaxation returned NaN as a bound", relaxation=bad)


@pytest.mark.parametrize("bound", [9.0, 0.0, -math.inf])
def test_bound_below_a_known_structure(knapsack, bound):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(change(bound=bound), 1))
    fails(
        knapsack,
        InconsistentBound,
        "bounds node 0 by .* (scores 10|costs -10)",
        relaxation=bad,
        start=[(1, 2, 3)],
    )


@pytest.mark.parametrize("at", [2, 4])
def test_bound_below_the_structure_of_the_same_answer(knapsack, at):
    trick = change(bound=1.0, structure=lambda _: (1,))
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(trick, at, ever_after=True))
    fails(
        knapsack,
        InconsistentBound,
        "a feasible structure under its fixings (scores 4|costs -4)",
        relaxation=bad,
    )


def test_bound_of_the_parent_below_a_structure_of_the_child(knapsack):
    """The root lies (5), its children do not: the lie shows when a structure of 10 turns up below."""
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(change(bound=5.0, structure=None), 1))
    fails(knapsack, InconsistentBound, "scores|node", relaxation=bad)


def test_lie_that_shows_only_in_a_settled_node():
    """No relaxation ever offers a structure; the only one left in a leaf is better than its bound."""
    problem = Selection([2.0], [[1.0]], [1.0])
    trick = change(bound=1.0, structure=None)
    bad = BadRelaxation(OptimisticBound(problem), Sabotage(trick, 1, ever_after=True))
    fails(problem, InconsistentBound, "only structure left there scores 2", relaxation=bad)


@pytest.mark.parametrize("at", [2, 3, 7])
def test_bound_that_goes_up_is_ignored(knapsack, at):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(change(bound=1e6), at, ever_after=True))
    result = check_stopped(knapsack, tree_search(knapsack, bad, MostFractional()))
    assert result.status is Status.OPTIMAL
    assert abs(result.bound) == 10.0


def test_infinite_bounds_are_weak_not_wrong(knapsack):
    trick = change(bound=math.inf)
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(trick, 1, ever_after=True))
    result = tree_search(knapsack, bad, MostFractional())
    assert (result.status, abs(result.value)) == (Status.OPTIMAL, 10.0)


def test_infeasible_structures_of_a_relaxation_are_dropped(knapsack):
    trick = change(structure=lambda _: (0, 1, 2, 3, 4, 5))
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(trick, 1, ever_after=True))
    assert abs(check_stopped(knapsack, tree_search(knapsack, bad, MostFractional())).value) == 10.0


BRANCHINGS = {
    "misses a case": ([Branch(on=(0,), off=(1,)), Branch(off=(0,))], "no child covers the case"),
    "names nothing": ([Branch()], "a child fixes nothing new"),
    "repeats the parent": ([Branch(on=(0,)), Branch()], "a child fixes nothing new"),
    "contradicts itself": ([Branch(on=(0,), off=(0,)), Branch(off=(0,))], "no child covers the case item 0 on"),
    "does not exist": ([Branch(on=(6,)), Branch(off=(6,))], "there is no decision 6"),
    "counts from the end": ([Branch(on=(-1,)), Branch(off=(-1,))], "there is no decision -1"),
}


@pytest.mark.parametrize("name", BRANCHINGS)
def test_wrong_branching(knapsack, name):
    branches, message = BRANCHINGS[name]
    bad = BadBrancher(MostFractional(), Sabotage(returning(branches), 1))
    fails(knapsack, UncoveredBranching, message, brancher=bad)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_brancher_that_gives_up(knapsack, at):
    bad = BadBrancher(MostFractional(), Sabotage(returning(()), at))
    fails(knapsack, UncoveredBranching, "gave no children .* decisions are still open", brancher=bad)


@pytest.mark.parametrize("at", CALLS)
def test_brancher_that_raises(knapsack, at):
    bad = BadBrancher(MostFractional(), Sabotage(raiser(KeyError("score")), at))
    fails(knapsack, OracleError, "BadBrancher.split raised KeyError", brancher=bad)


def test_brancher_that_returns_none_means_nothing_is_open(knapsack):
    bad = BadBrancher(MostFractional(), Sabotage(returning(None), 1))
    fails(knapsack, UncoveredBranching, "gave no children", brancher=bad)


def test_brancher_that_returns_garbage(knapsack):
    bad = BadBrancher(MostFractional(), Sabotage(returning([17]), 1))
    fails(knapsack, OracleError, "unusable answer", brancher=bad)


@pytest.mark.parametrize("kind", ["start", "incumbent", "node", "branch"])
def test_observer_that_raises(knapsack, kind):
    seen = []

    def observer(event):
        seen.append(event.kind)
        if event.kind == kind:
            raise RuntimeError("disk full")

    error = fails(knapsack, OracleError, "RuntimeError: disk full", budget=SolveBudget(observers=[observer]))
    assert seen[-1] == kind
    assert isinstance(error.__cause__, RuntimeError)


def test_observer_that_raises_at_a_start_structure(knapsack):
    def observer(_event):
        raise RuntimeError("disk full")

    error = fails(knapsack, OracleError, "disk full", budget=SolveBudget(observers=[observer]), start=[(0, 2)])
    assert abs(error.result.value) == 8.0


def test_rounding_that_raises(knapsack):
    def rounding(_relaxed):
        raise ArithmeticError("odd")

    fails(knapsack, OracleError, "odd", rounding=rounding)


def test_rounding_is_checked_and_used(knapsack):
    result = tree_search(
        knapsack, OptimisticBound(knapsack), MostFractional(), rounding=lambda _: (1, 2, 3), order="breadth-first"
    )
    assert abs(result.value) == 10.0


class Moody(Selection):
    """A problem that breaks its own rules."""

    mood = ""

    def value(self, structure):
        if self.mood == "value":
            raise OSError("scores are gone")
        return math.nan if self.mood == "nan" else super().value(structure)

    def violations(self, structure):
        if self.mood == "violations":
            raise OSError("rules are gone")
        return super().violations(structure)

    def encode(self, structure):
        if self.mood == "encode":
            raise OSError("names are gone")
        return super().encode(structure)

    def decode(self, on_ids):
        if self.mood == "decode":
            raise RuntimeError("shapes are gone")
        return super().decode(on_ids)


@pytest.mark.parametrize(
    ("mood", "error", "message"),
    [
        ("value", OracleError, "scores are gone"),
        ("nan", InconsistentBound, "value returned NaN for a feasible structure"),
        ("violations", OracleError, "rules are gone"),
        ("encode", OracleError, "names are gone"),
        ("decode", OracleError, "shapes are gone"),
    ],
)
@pytest.mark.parametrize("k", [1, 3])
def test_problem_that_fails(mood, error, message, k):
    problem = type("Problem", (Moody,), {"mood": mood})([2.0, 1.0, 3.0], [[1.0, 1.0, 1.0]], [2.0])
    with pytest.raises(error, match=message) as caught:
        tree_search(problem, OptimisticBound(problem), MostFractional(), k=k)
    result = caught.value.result
    assert result.stop is Stop.ERROR
    assert result.bound >= 5.0 or math.isinf(result.bound)


def test_tightening_against_a_score_that_was_never_reached(knapsack):
    """A relaxation that fixes against 99 has thrown everything away; the search must not call that optimal."""
    sound = OptimisticBound(knapsack)
    certificate = sound.solve(Fixings.none(6), SolveBudget()).certificate
    step = Tightening((), tuple(range(6)), certificate)
    trick = change(tightenings=(step,), excluded_bound=18.0)
    bad = BadRelaxation(sound, Sabotage(trick, 1))
    fails(knapsack, InconsistentBound, "excluded structures that may (score 18|cost -18)", relaxation=bad)


def test_tightenings_that_contradict_each_other_close_the_node(knapsack):
    """Nothing beats the incumbent: decision 0 can be neither on nor off."""
    sound = OptimisticBound(knapsack)
    certificate = sound.solve(Fixings.none(6), SolveBudget()).certificate
    steps = (Tightening((), (0,), certificate), Tightening((0,), (), certificate))
    bad = BadRelaxation(sound, Sabotage(change(tightenings=steps, excluded_bound=10.0), 1))
    result = tree_search(knapsack, bad, MostFractional(), start=[(1, 2, 3)])
    assert (result.status, abs(result.bound), result.stats.nodes) == (Status.OPTIMAL, 10.0, 1)


def test_start_that_is_infeasible(knapsack):
    with pytest.raises(InvalidProblem, match=r"start: the structure is infeasible: capacity 0 is 7"):
        tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), start=[(0, 1, 2)])


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one(knapsack, k):
    with pytest.raises(ValueError, match="at least 1"):
        tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), k=k)


def test_unknown_order(knapsack):
    with pytest.raises(UnknownOption, match="best-first, depth-first, breadth-first"):
        tree_search(knapsack, OptimisticBound(knapsack), MostFractional(), order="worst-first")


def test_nothing_feasible():
    problem = Selection([1.0, 1.0], [[3.0, 3.0]], [2.0], ((0, 1),))
    result = tree_search(problem, OptimisticBound(problem), MostFractional())
    assert (result.status, result.stop, result.bound) == (Status.INFEASIBLE, Stop.PROVED, -math.inf)
    check_stopped(problem, result)


def test_relaxation_that_calls_a_feasible_problem_empty_is_caught_by_the_start(knapsack):
    bad = BadRelaxation(
        OptimisticBound(knapsack), Sabotage(returning(RelaxationResult(-math.inf)), 1, ever_after=True)
    )
    fails(knapsack, InconsistentBound, "node 0", relaxation=bad, start=[(5,)])


def test_errors_keep_what_was_found_before(knapsack):
    bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(raiser(OSError("gone")), 30))
    with pytest.raises(SolveError) as caught:
        tree_search(knapsack, bad, MostFractional(), order="depth-first", start=[(0, 2)])
    result = check_stopped(knapsack, caught.value.result, caught.value)
    assert result.solutions
    assert result.stats.warm_start_used
    assert np.isfinite(result.bound)


def test_bound_of_a_node_that_a_child_exceeds(knapsack):
    """A parent could attain it as well: its smaller bound, as of a slack that lies, was wrong."""
    low = OptimisticBound(knapsack).solve(Fixings.none(knapsack.decisions.count), SolveBudget()).bound

    def exceeds(answer):
        return attrs.evolve(answer(), primal_value=low + 0.5)

    for at in (2, 3):
        bad = BadRelaxation(OptimisticBound(knapsack), Sabotage(exceeds, at))
        fails(knapsack, InconsistentBound, r"bounded a node above node \d+ by", relaxation=bad)
