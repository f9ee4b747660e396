"""The claim of a search when something stops it, and scores whose size hides a forbidden scope."""

import math

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
import gapless_kernels
from gapless import Limits, Status
from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.roles import Factor
from gapless.search.driver import SearchDriver
from gapless_dependency import ParsingProblem, Sibling
from gapless_dependency.factors import ArcConjunctions
from gapless_dependency.random_problems import random_problem
from gapless_splitbound.tree_search import tree_layout


@pytest.mark.parametrize("variant", ["default", "paper"])
@pytest.mark.parametrize("nodes", [1, 2, 5])
@examples(10)
@given(rng=generators())
def test_a_bound_at_a_node_limit_is_what_the_certificate_proves(rng, variant, nodes):
    problem = random_problem(rng, 5, projective=bool(rng.integers(2)), families=["tri-sibling", "great-grandchild"])
    result = gapless.solve(problem, "split-bound", variant=variant, limits=Limits(nodes=nodes))
    assert result.verify(problem)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="needs the compiled kernels")
@pytest.mark.parametrize(
    "limits", [Limits(), Limits(nodes=1), Limits(nodes=3), Limits(relative_gap=0.1), Limits(target=3.0)]
)
@seeing("steps")
@examples(10)
@given(rng=generators())
def test_telling_what_happens_changes_nothing(seen, rng, limits):
    families = ["tri-sibling", "great-grandchild"]
    problem = random_problem(rng, 6, projective=bool(rng.integers(2)), families=families)
    # A limit on a gap or a value is looked at after every node: so it is when somebody listens.
    plain, traced = (gapless.solve(problem, "split-bound", limits=limits, trace=trace) for trace in (False, True))
    assert (plain.value, plain.bound, plain.stop) == (traced.value, traced.bound, traced.stop)
    assert plain.stats.nodes == traced.stats.nodes
    assert plain.stats.oracle_calls == traced.stats.oracle_calls
    steps = [event for event in traced.trace if event.kind == "step"]
    bounds = [event.bound for event in steps]
    assert bounds == sorted(bounds, reverse=True)
    assert all(event.bound >= traced.value - score_tolerance(traced.value) for event in steps)
    assert all(event.details["free"] <= problem.decisions.count for event in steps)
    seen["steps"] += len(steps)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="needs the compiled kernels")
@pytest.mark.parametrize("seconds", [3e-5, 1e-4, 3e-4, 6e-4, 1e-3])
@examples(8)
@given(rng=generators())
def test_a_search_stopped_inside_a_node_claims_what_it_can_prove(rng, seconds):
    problem = random_problem(rng, 6, projective=True, families=["great-grandchild", "pattern"])
    search = SearchDriver(tree_layout(problem))
    search.kernel.advance(seconds)
    search.kernel.bound_current_node()
    proved = search.certificate().verify(problem).bound
    assert proved <= search.bound + score_tolerance(search.bound)


def test_a_forbidden_scope_is_seen_beside_large_arc_scores():
    scores = np.full((3, 3), 8.7e9)
    problem = ParsingProblem(
        scores, factors=[ArcConjunctions([((0, 1), (1, 2)), ((0, 2), (2, 1))], [-np.inf, -np.inf])]
    )
    assert gapless.solve(problem, "split-bound").status is Status.INFEASIBLE


def test_a_tiny_granularity_rounds_nothing():
    assert round_bound(1e10, 1e-305) == 1e10
    scores = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [0.0, 1.5, 0.0]])
    problem = ParsingProblem(
        scores, factors=[ArcConjunctions([((0, 1), (1, 2))], [3.0])], granularity=math.ulp(0.0)
    )
    assert gapless.solve(problem, "split-bound").value == 5.0


class NotANumber(Factor):
    name = "not a number"

    def scopes(self, decisions):
        return np.array([[0, 3]])

    def score(self, scopes, decisions):
        return np.array([np.nan])

    def upper_bound(self, scopes, decisions):
        return np.array([1.0])


def test_a_sentence_that_is_no_problem_fails_alone_in_a_batch():
    good = ParsingProblem(np.zeros((3, 3)), factors=[ArcConjunctions([((0, 1), (1, 2))], [1.0])])
    batch = gapless.solve_many(
        [good, ParsingProblem(np.zeros((3, 3)), factors=[NotANumber()]), good], "split-bound"
    )
    assert [status is Status.OPTIMAL for status in batch.statuses] == [True, False, True]
    assert list(batch.errors) == [1]


@pytest.mark.parametrize("limits", [Limits(nodes=3), Limits(time=0.3)], ids=repr)
def test_a_batch_with_a_limit_keeps_what_each_sentence_has(limits):
    """Sentences that are done in time are proved; the others have a tree and a true bound."""
    rng = np.random.default_rng(3)
    short = [random_problem(rng, 4, families=["sibling"]) for _ in range(3)]
    shape = (26, 26, 26)
    long = ParsingProblem(rng.normal(size=shape[1:]), factors=[Sibling(rng.normal(size=shape))], projective=True)
    batch = gapless.solve_many([*short[:2], long, short[2]], "split-bound", limits=limits)
    names = [status.name for status in batch.statuses]
    assert names[2] != "OPTIMAL"
    if limits.time is None:  # how far a time limit leads is the machine's business
        assert names == ["OPTIMAL", "OPTIMAL", "FEASIBLE", "OPTIMAL"]
        assert batch[2].stats.nodes > 0
    if names[2] == "FEASIBLE":
        assert batch.bounds[2] > batch.values[2]
        assert long.value(batch.structure(2)) == pytest.approx(batch.values[2])
    nothing = gapless.solve_many([long], "split-bound", limits=Limits(time=0.0))
    assert nothing.statuses[0].name == "NO_SOLUTION"
    assert nothing.bounds[0] == np.inf
