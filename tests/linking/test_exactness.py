"""Every method for linking problems that is registered, on random small instances, against all their structures.

``GAPLESS_RANDOM_LINKS`` says how many instances; the default is what every test run can afford. The method on SCIP,
which is a judge itself, sees fewer. Only costs are unique, so values are compared, never structures.
"""

import os

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeded, seeing
from enumerated import Enumerated, same_as_single_calls
from hypothesis import HealthCheck, assume, given, settings

import gapless
from gapless import Limits, Result, Status, Stop
from gapless.arrays.tolerance import RELATIVE, score_tolerance
from gapless.plugins import load_plugins
from gapless.search.k_best import ROUGH
from gapless_linking import LinkingProblem
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.enumeration import all_structures
from gapless_linking.random_problems import random_problem

LINKS = int(os.environ.get("GAPLESS_RANDOM_LINKS", "80"))
METHODS = load_plugins().registry.methods_for(LinkingProblem)
DRAWS = {"decomposable": random_decomposable}
"""Methods that take some problems only, and where those come from."""
NEED_A_GRAPH = {"degree", "pagerank", "spanning-tree"}
NEED_CONNECTED_SETS = {"spanning-tree"}
EXACT = sorted(name for name, method in METHODS.items() if method.exact)
OTHERS = sorted(name for name, method in METHODS.items() if not method.exact)


class Known(Enumerated):
    """A linking problem with all its structures and their costs."""

    sign = -1

    def __init__(self, problem):
        self.structures, costs = all_structures(problem)
        super().__init__(problem, costs)

    def optimal(self, result, k=1):
        if result.stop is Stop.RELAXED or ROUGH in result.explanation:
            # Costs of 1e9 cancel: float64 loses what remains open.
            lost = 1e-11 * self.largest()
            assert result.value - result.bound <= lost
            last = len(result.solutions) - 1
            assert result.solutions[last].value - self.values[last] <= lost + score_tolerance(self.values[last])
            self.valid(result)
            return
        # The search proves each of a list within the margin; all others are exact.
        super().optimal(result, k, RELATIVE if k > 1 and result.method == "split-bound" else 1e-9)

    def largest(self):
        """The largest cost or length."""
        lengths, own = self.problem.lengths(), self.problem.unary_costs
        return max(np.abs(own[np.isfinite(own)]).max(), lengths[np.isfinite(lengths)].max())


def drawn(rng, method=""):
    """An instance that the method is for."""
    known = Known(DRAWS.get(method, random_problem)(rng))
    assume(known.problem.connection is not None or method not in NEED_CONNECTED_SETS)
    assume(known.problem.graph is not None or method not in NEED_A_GRAPH)
    return known


@pytest.mark.parametrize("method", sorted({*EXACT} - {"ilp"}))
@seeing("feasible", "infeasible")
@examples(LINKS)
@given(rng=generators())
def test_exact_methods_agree_with_enumeration(seen, rng, method):
    known = drawn(rng, method)
    seen["feasible" if known.values.size else "infeasible"] += 1
    known.optimal(gapless.solve(known.problem, method))


@examples(LINKS // 8)
@given(rng=generators())
def test_the_integer_program_agrees_with_enumeration(rng):
    known = drawn(rng)
    known.optimal(gapless.solve(known.problem, "ilp"))


@pytest.mark.parametrize("method", OTHERS)
@settings(suppress_health_check=[HealthCheck.filter_too_much])  # each method takes some kinds of problems only
@given(rng=generators())
def test_other_methods_say_only_what_is_true(rng, method):
    known = drawn(rng, method)
    known.valid(gapless.solve(known.problem, method))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "limits",
    [Limits(time=0.0), Limits(nodes=0), Limits(nodes=2), Limits(nodes=15), Limits(relative_gap=0.2)],
    ids=repr,
)
@examples(8)
@given(rng=generators())
def test_limits_leave_a_true_bound(rng, method, limits):
    known = drawn(rng, method)
    result = gapless.solve(known.problem, method, limits=limits)
    known.valid(result)
    if limits.relative_gap and known.values.size:
        assert result.gap <= limits.relative_gap * max(1.0, abs(result.value)) + score_tolerance(result.value)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.k_best))
@given(rng=generators())
def test_the_k_best_are_the_k_best(rng, method):
    known, k = drawn(rng, method), (2, 5, 40)[rng.integers(3)]
    result = gapless.solve(known.problem, method, k=k)
    if METHODS[method].exact:
        known.optimal(result, k)
    else:
        known.valid(result)


@pytest.mark.parametrize("method", ["exact", "greedy", "local-search"])
@examples(4)
@given(rng=generators())
def test_batches_answer_as_single_calls(rng, method):
    problems = [random_problem(rng) for _ in range(rng.integers(1, 8))]
    batch = gapless.solve_many(problems, method)
    same_as_single_calls(batch, [gapless.solve(problem, method) for problem in problems])


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.warm_start))
@examples(12)
@given(rng=generators())
def test_a_start_is_used_and_does_no_harm(rng, method):
    known = drawn(rng, method)
    worst = max(known.structures, key=known.problem.value, default=None)
    assume(worst is not None)
    cost = known.problem.value(worst)
    result = gapless.solve(known.problem, method, start=worst)
    if method in EXACT:
        known.optimal(result)
    for held in (result, gapless.solve(known.problem, method, start=worst, limits=Limits(time=0.0))):
        known.valid(held)
        assert held.value <= cost + score_tolerance(cost)


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
    lengths, own = problem.lengths(), np.abs(problem.unary_costs)
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
    known = drawn(rng, method)
    if not known.values.size:
        return
    value = known.best
    pairs = [(shuffled(known.problem, rng), value), (scaled(known.problem), 4.0 * value)]
    pairs.append((known.problem.without_graph(), value))
    for problem, expected in pairs:
        value_there = gapless.solve(problem, method).value
        assert value_there == pytest.approx(expected, rel=1e-9, abs=lost(known.problem))
    problem, anchored = with_a_fixed_mention(known.problem)
    more, result = problem.unary_costs[-1], gapless.solve(anchored, method)
    if result.solutions and np.isfinite(more):
        fixed = gapless.solve(problem, method).value
        assert fixed == pytest.approx(result.value + more, rel=1e-9, abs=lost(anchored))
        seen["own"] += fixed != value


# --- the judge and the instances


def test_the_judge_notices_wrong_answers():
    problem = LinkingProblem.from_distances([[0, 1, 2], [1, 0, 1], [2, 1, 0]], [[0, 1], [1, 2]])
    known = Known(problem)
    assert known.values.tolist() == [0.0, 2.0, 2.0, 4.0]
    best, second = np.array([1, 1]), np.array([0, 1])

    def result(structure, bound):
        return Result.of(
            problem, [structure], -bound, Stop.PROVED if bound == problem.value(structure) else Stop.TIME
        )

    known.optimal(result(best, 0.0))
    known.valid(result(second, 0.0))
    for check, wrong in ((known.optimal, result(second, 2.0)), (known.valid, result(second, 1.0))):
        with pytest.raises(AssertionError):
            check(wrong)
    with pytest.raises(AssertionError):
        known.optimal(Result.of(problem, [], -np.inf, Stop.PROVED))


def test_the_instances_are_what_they_should_be():
    """Most of them are not trivial, and every oddity is among them."""
    all_known = [Known(random_problem(np.random.default_rng([2013, number]))) for number in range(100)]
    problems = [known.problem for known in all_known]
    assert np.mean([known.values.size > 5 for known in all_known]) > 0.6
    assert np.mean([known.values.size > 1 and known.values[0] < known.values[1] for known in all_known]) > 0.4
    oddities = {
        "no answer": [not known.values.size for known in all_known],
        "ties": [known.values.size > 1 and known.values[0] == known.values[1] for known in all_known],
        "disjoint": [problem.disjoint and problem.k > 2 for problem in problems],
        "equal sets": [
            problem.k > 2 and len({tuple(one) for one in problem.candidates}) == 1 for problem in problems
        ],
        "one set": [problem.k == 1 for problem in problems],
        "a singleton": [any(one.size == 1 for one in problem.candidates) for problem in problems],
        "a repeated anchor": [len({z for z, _ in problem.anchors}) < len(problem.anchors) for problem in problems],
        "a negative anchor": [any(weight < 0 for _, weight in problem.anchors) for problem in problems],
        "an anchor of no weight": [any(weight == 0 for _, weight in problem.anchors) for problem in problems],
        "forbidden candidates": [np.isinf(problem.unary_costs).any() for problem in problems],
        "unreachable": [np.isinf(problem.lengths()).any() for problem in problems],
        "zero distances": [(problem.lengths() + np.eye(problem.points.size) == 0).any() for problem in problems],
        "no whole numbers": [problem.granularity is None for problem in problems],
        "large": [np.abs(np.where(np.isinf(p.unary_costs), 0, p.unary_costs)).max() > 1e8 for p in problems],
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
