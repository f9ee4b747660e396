"""Every method for linking problems that is registered, on random small instances, against all their structures.

``GAPLESS_RANDOM_LINKS`` says how many instances; the default is what every test run can afford. The method on SCIP,
which is a judge itself, sees fewer. Only costs are unique, so values are compared, never structures.
"""

import os

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeded, seeing
from hypothesis import HealthCheck, assume, given, settings

import gapless
from gapless import Limits, Result, Status, Stop
from gapless.core.tolerance import RELATIVE, margin, meets
from gapless.plugins import load_plugins
from gapless.roles import NoCertificate
from gapless.search.k_best import ROUGH
from gapless_linking import LinkingProblem
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.enumeration import all_structures
from gapless_linking.random_problems import random_problem

LINKS = int(os.environ.get("GAPLESS_RANDOM_LINKS", "120"))
METHODS = load_plugins().registry.methods_for(LinkingProblem)
DRAWS = {"decomposable": random_decomposable}
"""Methods that take some problems only, and where those come from."""
NEED_A_GRAPH = {"degree", "pagerank", "spanning-tree"}
NEED_CONNECTED_SETS = {"spanning-tree"}
EXACT = sorted(name for name, method in METHODS.items() if method.exact)
OTHERS = sorted(name for name, method in METHODS.items() if not method.exact)


class Judged:
    """A problem with what enumeration says of it: costs, least first."""

    def __init__(self, problem):
        self.problem = problem
        self.structures, costs = all_structures(problem)
        self.costs = np.sort(costs)

    @property
    def least(self):
        return self.costs[0] if self.costs.size else np.inf

    def optimal(self, result, k=1):
        """The result is proved, right, and its certificate, if it has one, proves it again."""
        if result.stop is Stop.RELAXED or ROUGH in result.explanation:
            # Costs of 1e9 cancel: what is open is what float64 lost.
            lost = 1e-11 * self.largest()
            assert result.value - result.bound <= lost
            last = len(result.solutions) - 1
            assert result.solutions[last].value - self.costs[last] <= lost + margin(self.costs[last])
            self.valid(result)
            return
        assert result.status is (Status.OPTIMAL if self.costs.size else Status.INFEASIBLE), result
        self.held(result)
        found = np.array([solution.value for solution in result.solutions])
        assert found.size == min(k, self.costs.size)
        # The search proves each of a list within the margin; all others are exact.
        relative = RELATIVE if k > 1 and result.method == "split-bound" else 1e-9
        assert found.tolist() == pytest.approx(self.costs[:k].tolist(), rel=relative, abs=relative)
        if not isinstance(result.certificate, NoCertificate):
            verdict = result.verify(self.problem)
            assert verdict, verdict
            assert verdict.bound >= -self.least - margin(self.least)
            if k == 1:
                assert meets(verdict.bound, -self.least), verdict

    def largest(self):
        """The largest cost or length."""
        lengths, own = self.problem.lengths(), self.problem.own_costs
        return max(np.abs(own[np.isfinite(own)]).max(), lengths[np.isfinite(lengths)].max())

    def valid(self, result):
        """Of what is not exact, or was stopped: the truth lies between bound and value."""
        self.held(result)
        assert result.bound <= self.least + margin(self.least)
        for solution, cost in zip(result.solutions, self.costs, strict=False):
            assert solution.value >= cost - margin(cost)
        if result.status is Status.OPTIMAL:
            assert result.value == pytest.approx(self.least, rel=1e-9, abs=1e-9)
        if result.status is Status.INFEASIBLE:
            assert not self.costs.size
        if not isinstance(result.certificate, NoCertificate):
            assert result.verify(self.problem)

    def held(self, result):
        """Structures that are allowed and differ, at their true costs."""
        assert len(result.solutions) <= self.costs.size
        for solution in result.solutions:
            assert not self.problem.violations(solution.structure)
            assert solution.value == self.problem.value(solution.structure)
        assert len({tuple(solution.structure) for solution in result.solutions}) == len(result.solutions)


def drawn(rng, method=""):
    """An instance that the method is for."""
    judged = Judged(DRAWS.get(method, random_problem)(rng))
    assume(judged.problem.connection is not None or method not in NEED_CONNECTED_SETS)
    assume(judged.problem.graph is not None or method not in NEED_A_GRAPH)
    return judged


@pytest.mark.parametrize("method", sorted({*EXACT} - {"ilp"}))
@seeing("feasible", "infeasible")
@examples(LINKS)
@given(rng=generators())
def test_exact_methods_agree_with_enumeration(seen, rng, method):
    judged = drawn(rng, method)
    seen["feasible" if judged.costs.size else "infeasible"] += 1
    judged.optimal(gapless.solve(judged.problem, method))


@examples(LINKS // 8)
@given(rng=generators())
def test_the_integer_program_agrees_with_enumeration(rng):
    judged = drawn(rng)
    judged.optimal(gapless.solve(judged.problem, "ilp"))


@pytest.mark.parametrize("method", OTHERS)
@settings(suppress_health_check=[HealthCheck.filter_too_much])  # each method takes some kinds of problems only
@given(rng=generators())
def test_other_methods_say_only_what_is_true(rng, method):
    judged = drawn(rng, method)
    judged.valid(gapless.solve(judged.problem, method))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "limits", [Limits(time=0.0), Limits(nodes=0), Limits(nodes=2), Limits(nodes=15), Limits(gap=0.2)], ids=repr
)
@examples(8)
@given(rng=generators())
def test_limits_leave_a_true_bound(rng, method, limits):
    judged = drawn(rng, method)
    result = gapless.solve(judged.problem, method, limits=limits)
    judged.valid(result)
    if limits.gap and judged.costs.size:
        assert result.gap <= limits.gap * max(1.0, abs(result.value)) + margin(result.value)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.k_best))
@given(rng=generators())
def test_the_k_best_are_the_k_best(rng, method):
    judged, k = drawn(rng, method), (2, 5, 40)[rng.integers(3)]
    result = gapless.solve(judged.problem, method, k=k)
    if METHODS[method].exact:
        judged.optimal(result, k)
    else:
        judged.valid(result)


@pytest.mark.parametrize("method", ["exact", "greedy", "local-search"])
@examples(4)
@given(rng=generators())
def test_batches_answer_as_single_calls(rng, method):
    problems = [random_problem(rng) for _ in range(rng.integers(1, 8))]
    batch = gapless.solve_many(problems, method)
    for number, problem in enumerate(problems):
        single, one = gapless.solve(problem, method), batch[number]
        assert one.status is single.status
        assert [s.value for s in one.solutions] == pytest.approx([s.value for s in single.solutions], rel=1e-12)
        assert one.bound == pytest.approx(single.bound, rel=1e-9)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.warm_start))
@examples(12)
@given(rng=generators())
def test_a_start_is_used_and_does_no_harm(rng, method):
    judged = drawn(rng, method)
    worst = max(judged.structures, key=judged.problem.value, default=None)
    assume(worst is not None)
    cost = judged.problem.value(worst)
    result = gapless.solve(judged.problem, method, start=worst)
    if method in EXACT:
        judged.optimal(result)
    for held in (result, gapless.solve(judged.problem, method, start=worst, limits=Limits(time=0.0))):
        judged.valid(held)
        assert held.value <= cost + margin(cost)


# --- what follows from each other


def shuffled(problem, rng):
    """Sets, candidates and anchors in another order."""
    sets = rng.permutation(problem.k).tolist()
    within = [rng.permutation(problem.candidates[i].size) for i in sets]
    prior = problem.prior and [problem.prior[i][order] for i, order in zip(sets, within, strict=True)]
    return attrs.evolve(
        problem,
        candidates=[problem.candidates[i][order] for i, order in zip(sets, within, strict=True)],
        prior=prior,
        anchors=problem.anchors[::-1],
    )


def lost(problem):
    """Bound on the loss of float64 from large costs that cancel, when they are added up in another order."""
    lengths, own = problem.lengths(), np.abs(problem.own_costs)
    farthest, largest = (np.max(costs, where=np.isfinite(costs), initial=0.0) for costs in (lengths, own))
    size = largest + farthest * sum(abs(weight) for _, weight in problem.anchors)
    return max(1e-9, 1e-15 * problem.k * size)


def scaled(problem):
    """All distances, and the weight of the prior, four times as large."""
    alone = problem.without_graph()
    return attrs.evolve(alone, distance_matrix=4.0 * alone.distance_matrix, prior_weight=4.0 * problem.prior_weight)


def with_a_fixed_mention(problem):
    """With one more set of one candidate; and with an anchor of weight 2 there, which costs the same."""
    vertex = problem.points[:1]
    fixed = attrs.evolve(
        problem,
        candidates=[*problem.candidates, vertex],
        prior=problem.prior and [*problem.prior, np.zeros(1)],
    )
    return fixed, attrs.evolve(problem, anchors=[*problem.anchors, (int(vertex[0]), 2.0)])


@pytest.mark.parametrize("method", sorted({*EXACT} - {*DRAWS}))
@seeing("own")
@examples(15)
@given(rng=generators())
def test_answers_follow_from_each_other(seen, rng, method):
    judged = drawn(rng, method)
    if not judged.costs.size:
        return
    value = judged.least
    pairs = [(shuffled(judged.problem, rng), value), (scaled(judged.problem), 4.0 * value)]
    pairs.append((judged.problem.without_graph(), value))
    for problem, expected in pairs:
        value_there = gapless.solve(problem, method).value
        assert value_there == pytest.approx(expected, rel=1e-9, abs=lost(judged.problem))
    problem, anchored = with_a_fixed_mention(judged.problem)
    more, result = problem.own_costs[-1], gapless.solve(anchored, method)
    if result.solutions and np.isfinite(more):
        fixed = gapless.solve(problem, method).value
        assert fixed == pytest.approx(result.value + more, rel=1e-9, abs=lost(anchored))
        seen["own"] += fixed != value


# --- the judge and the instances


def test_the_judge_notices_wrong_answers():
    problem = LinkingProblem.from_distances([[0, 1, 2], [1, 0, 1], [2, 1, 0]], [[0, 1], [1, 2]])
    judged = Judged(problem)
    assert judged.costs.tolist() == [0.0, 2.0, 2.0, 4.0]
    best, second = np.array([1, 1]), np.array([0, 1])

    def result(structure, bound):
        return Result.of(
            problem, [structure], -bound, Stop.PROVED if bound == problem.value(structure) else Stop.TIME
        )

    judged.optimal(result(best, 0.0))
    judged.valid(result(second, 0.0))
    for check, wrong in ((judged.optimal, result(second, 2.0)), (judged.valid, result(second, 1.0))):
        with pytest.raises(AssertionError):
            check(wrong)
    with pytest.raises(AssertionError):
        judged.optimal(Result.of(problem, [], -np.inf, Stop.PROVED))


def test_the_instances_are_what_they_should_be():
    """Most of them are not trivial, and every oddity is among them."""
    judged_ones = [Judged(random_problem(np.random.default_rng([2013, number]))) for number in range(100)]
    problems = [judged.problem for judged in judged_ones]
    assert np.mean([judged.costs.size > 5 for judged in judged_ones]) > 0.6
    assert np.mean([judged.costs.size > 1 and judged.costs[0] < judged.costs[1] for judged in judged_ones]) > 0.4
    oddities = {
        "no answer": [not judged.costs.size for judged in judged_ones],
        "ties": [judged.costs.size > 1 and judged.costs[0] == judged.costs[1] for judged in judged_ones],
        "disjoint": [problem.disjoint and problem.k > 2 for problem in problems],
        "equal sets": [
            problem.k > 2 and len({tuple(one) for one in problem.candidates}) == 1 for problem in problems
        ],
        "one set": [problem.k == 1 for problem in problems],
        "a singleton": [any(one.size == 1 for one in problem.candidates) for problem in problems],
        "a repeated anchor": [len({z for z, _ in problem.anchors}) < len(problem.anchors) for problem in problems],
        "a negative anchor": [any(weight < 0 for _, weight in problem.anchors) for problem in problems],
        "an anchor of no weight": [any(weight == 0 for _, weight in problem.anchors) for problem in problems],
        "forbidden candidates": [np.isinf(problem.own_costs).any() for problem in problems],
        "unreachable": [np.isinf(problem.lengths()).any() for problem in problems],
        "zero distances": [(problem.lengths() + np.eye(problem.points.size) == 0).any() for problem in problems],
        "no whole numbers": [problem.granularity is None for problem in problems],
        "large": [np.abs(np.where(np.isinf(p.own_costs), 0, p.own_costs)).max() > 1e8 for p in problems],
        "a connection": [problem.connection is not None for problem in problems],
        "edges with lengths": [
            problem.graph is not None and problem.graph.weights is not None for problem in problems
        ],
    }
    assert [oddity for oddity, seen in oddities.items() if not any(seen)] == []


def test_a_seed_fixes_an_instance():
    first, second = (random_problem(np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first.lengths(), second.lengths())
    np.testing.assert_array_equal(first.members, second.members)


def test_what_is_asked_for_is_drawn():
    rng = np.random.default_rng(0)
    for kind in ("graph", "lengths", "ties", "huge"):
        problem = random_problem(rng, 3, kind=kind, feasible=True)
        assert problem.k == 3
        assert (problem.graph is not None) == (kind in ("graph", "lengths"))
        assert all_structures(problem)[1].size == np.prod([one.size for one in problem.candidates])


@examples(4)
@given(rng=seeded())
def test_without_limits_nested_searches_go_on_to_the_proof(rng):
    """Too large for sweeps alone; the first look at the limits used to come before there was a value to look at."""
    lengths = np.triu(rng.integers(1, 7, (60, 60)), 1)
    problem = LinkingProblem.from_distances(lengths + lengths.T, np.arange(60).reshape(10, 6))
    result = gapless.solve(problem)
    assert (result.status, result.stop) == (Status.OPTIMAL, Stop.PROVED)
    assert result.verify(problem)
    assert gapless.solve(problem, k=2).value == result.value
    assert gapless.solve(problem, limits=Limits(target=result.value - 1)).stop is Stop.PROVED
    assert gapless.solve(problem, limits=Limits(target=result.value + 20)).stop in (Stop.TARGET, Stop.PROVED)
