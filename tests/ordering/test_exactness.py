"""Every method for ordering problems that is registered, on random small instances, against all their paths.

``GAPLESS_RANDOM_PATHS`` says how many instances; the default is what every test run can afford. The methods on
SCIP, which are judges themselves, see a share of them. Only scores are unique, so values are compared, never paths.
"""

import os

import numpy as np
import pytest

import gapless
from gapless import Limits, Status, Stop
from gapless.core.tolerance import margin, meets
from gapless.plugins import load_plugins
from gapless.roles import NoCertificate
from gapless_ordering import OrderingProblem
from gapless_ordering.enumeration import all_paths
from gapless_ordering.random_problems import FAMILIES, metric, random_problem

PATHS = int(os.environ.get("GAPLESS_RANDOM_PATHS", "400"))
SHARDS = 8
METHODS = load_plugins().registry.methods_for(OrderingProblem)
WAYS = [
    *((name, {}) for name, method in sorted(METHODS.items()) if method.exact),
    ("ilp-cuts", {"tree": "own"}),
]
SHARE = {"ilp": 10, "ilp-cuts": 5}
"""Of so many instances such a method sees one."""


class Judged:
    """A problem with what enumeration says of it: scores, largest first."""

    def __init__(self, problem):
        self.problem = problem
        self.scores = -np.sort(-all_paths(problem)[1])

    @property
    def best(self):
        return self.scores[0] if self.scores.size else -np.inf

    def optimal(self, result, k=1):
        """The result is proved, right, and its certificate, if it has one, proves it again."""
        assert result.status is (Status.OPTIMAL if self.scores.size else Status.INFEASIBLE), result
        self.held(result)
        assert [solution.value for solution in result.solutions] == pytest.approx(
            self.scores[:k].tolist(), rel=1e-9, abs=1e-9
        )
        if not isinstance(result.certificate, NoCertificate):
            verdict = result.verify(self.problem)
            assert verdict, verdict
            assert verdict.bound >= self.best - margin(self.best)
            if k == 1:
                assert meets(verdict.bound, self.best), verdict

    def valid(self, result):
        """Of what is not exact, or was stopped: the truth lies between value and bound."""
        self.held(result)
        assert result.bound >= self.best - margin(self.best)
        for solution, score in zip(result.solutions, self.scores, strict=False):
            assert solution.value <= score + margin(score)
        if result.status is Status.OPTIMAL:
            assert result.value == pytest.approx(self.best, rel=1e-9, abs=1e-9)
        if result.status is Status.INFEASIBLE:
            assert not self.scores.size

    def held(self, result):
        """Paths that are allowed and differ, at their true values."""
        assert len(result.solutions) <= self.scores.size
        for solution in result.solutions:
            assert not self.problem.violations(solution.structure)
            assert solution.value == self.problem.value(solution.structure)
        assert len({tuple(solution.structure) for solution in result.solutions}) == len(result.solutions)


def instances(shard, stride=1):
    """Every `stride`-th of a shard's instances, each from a seed of its own."""
    for number in range(shard * stride, PATHS, SHARDS * stride):
        yield Judged(random_problem(np.random.default_rng([2007, number])))


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize(("method", "options"), WAYS, ids=["-".join([n, *o.values()]) for n, o in WAYS])
def test_exact_methods_agree_with_enumeration(method, options, shard):
    for judged in instances(shard, SHARE.get(method, 1)):
        judged.optimal(gapless.solve(judged.problem, method, **options))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if not method.exact))
def test_other_methods_say_only_what_is_true(method):
    for judged in instances(1, 2):
        judged.valid(gapless.solve(judged.problem, method))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.k_best))
def test_the_k_best_are_the_k_best(method):
    for number, judged in enumerate(instances(2, 2)):
        k = (2, 5, 40)[number % 3]
        result = gapless.solve(judged.problem, method, k=k)
        if METHODS[method].exact:
            judged.optimal(result, k)
        else:
            judged.valid(result)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.run_many))
def test_batches_answer_as_single_calls(method):
    drawn = [judged.problem for judged in instances(3, 2)]
    batch = gapless.solve_many(drawn, method)
    for number, problem in enumerate(drawn):
        single, one = gapless.solve(problem, method), batch[number]
        assert one.status is single.status
        assert [s.value for s in one.solutions] == pytest.approx([s.value for s in single.solutions], rel=1e-12)
        assert one.bound == pytest.approx(single.bound, rel=1e-9)


@pytest.mark.parametrize(("method", "options"), WAYS, ids=["-".join([n, *o.values()]) for n, o in WAYS])
def test_a_start_is_used_and_does_no_harm(method, options):
    if not METHODS[method].warm_start:
        pytest.skip("takes no start")
    for judged in instances(4, 2 * SHARE.get(method, 1)):
        paths, scores = all_paths(judged.problem)
        for row in (scores.argmin(), scores.argmax()) if scores.size else ():
            judged.optimal(gapless.solve(judged.problem, method, start=paths[row], **options))
            stopped = gapless.solve(judged.problem, method, start=paths[row], limits=Limits(time=0.0), **options)
            judged.valid(stopped)
            assert stopped.value >= scores[row] - margin(scores[row])


# --- larger instances, against each other


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_exact_methods_agree_with_each_other(family, seed):
    rng = np.random.default_rng([seed, len(family)])
    problem = FAMILIES[family](int(rng.integers(12, 25)), int(rng.integers(3, 7)), seed)
    judge = gapless.solve(problem, "ilp-cuts", tree="own")
    assert judge.status is Status.OPTIMAL
    assert judge.verify(problem)
    for name, method in METHODS.items():
        result = gapless.solve(problem, name, limits=Limits(time=0.5 if name == "ilp" else None))
        assert not any(problem.violations(solution.structure) for solution in result.solutions)
        if method.exact and result.stop is not Stop.TIME:
            assert result.status is Status.OPTIMAL
            assert result.value == pytest.approx(judge.value, rel=1e-9, abs=1e-9)
            assert isinstance(result.certificate, NoCertificate) or result.verify(problem)
        else:
            assert all(solution.value <= judge.value + margin(judge.value) for solution in result.solutions)
            assert result.bound >= judge.value - margin(judge.value)


def test_nothing_is_ruled_out_and_walks_remember():
    """Walks from both ends over the graph as it was given."""
    problem = metric(24, 12, 0)
    result = gapless.solve(problem, "exact")
    assert result.stats.extra["vertices_left"] == problem.vertices
    assert result.status is Status.OPTIMAL
    assert result.verify(problem)
    assert gapless.solve(reversed_(problem), "exact").value == pytest.approx(result.value, rel=1e-9)


def shuffled(problem, order):
    return OrderingProblem(
        problem.start[order],
        problem.ordering[np.ix_(order, order)],
        problem.end[order],
        problem.length,
        classes=problem.classes[order],
    )


def reversed_(problem):
    return OrderingProblem(problem.end, problem.ordering.T, problem.start, problem.length, classes=problem.classes)


def shifted(problem):
    """Three more on each edge but the last: 3 k more on each path."""
    return OrderingProblem(
        problem.start + 3.0, problem.ordering + 3.0, problem.end, problem.length, classes=problem.classes
    )


def scaled(problem):
    return OrderingProblem(
        4.0 * problem.start, 4.0 * problem.ordering, 4.0 * problem.end, problem.length, classes=problem.classes
    )


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize(
    "method", sorted(name for name, method in METHODS.items() if method.exact and name != "ilp")
)
def test_answers_follow_from_each_other(method, family):
    problem = FAMILIES[family](12, 4, 11)
    value = gapless.solve(problem, method).value
    order = np.random.default_rng(0).permutation(12)
    expected = [value, value, value + 12.0, 4.0 * value]
    changed = [shuffled(problem, order), reversed_(problem), shifted(problem), scaled(problem)]
    assert [gapless.solve(other, method).value for other in changed] == pytest.approx(expected, rel=1e-9, abs=1e-9)
