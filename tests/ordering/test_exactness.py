"""Every method for ordering problems that is registered, on random small instances, against all their paths.

``GAPLESS_RANDOM_PATHS`` says how many instances; the default is what every test run can afford. The methods on
SCIP, which are judges themselves, see fewer. Only scores are unique, so values are compared, never paths.
"""

import os

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop
from gapless.core.tolerance import margin, meets
from gapless.plugins import load_plugins
from gapless.roles import Conjunctions, NoCertificate
from gapless_ordering import OrderingProblem
from gapless_ordering.enumeration import all_paths
from gapless_ordering.random_problems import FAMILIES, metric, random_problem

PATHS = int(os.environ.get("GAPLESS_RANDOM_PATHS", "100"))
METHODS = load_plugins().registry.methods_for(OrderingProblem)
WAYS = [
    *((name, {}) for name, method in sorted(METHODS.items()) if method.exact),
    ("ilp-cuts", {"tree": "own"}),
]
ON_SCIP = ("ilp", "ilp-cuts")


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


@pytest.mark.parametrize(
    "method", sorted(name for name, method in METHODS.items() if method.exact and name not in ON_SCIP)
)
@seeing("feasible", "infeasible")
@examples(PATHS)
@given(rng=generators())
def test_exact_methods_agree_with_enumeration(seen, rng, method):
    judged = Judged(random_problem(rng))
    seen["feasible" if judged.scores.size else "infeasible"] += 1
    judged.optimal(gapless.solve(judged.problem, method))


@pytest.mark.parametrize("options", [option for name, option in WAYS if name == "ilp-cuts"], ids=str)
@examples(PATHS // 5)
@given(rng=generators())
def test_cuts_agree_with_enumeration(rng, options):
    judged = Judged(random_problem(rng))
    judged.optimal(gapless.solve(judged.problem, "ilp-cuts", **options))


@examples(PATHS // 10)
@given(rng=generators())
def test_the_integer_program_agrees_with_enumeration(rng):
    judged = Judged(random_problem(rng))
    judged.optimal(gapless.solve(judged.problem, "ilp"))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if not method.exact))
@given(rng=generators())
def test_other_methods_say_only_what_is_true(rng, method):
    judged = Judged(random_problem(rng))
    judged.valid(gapless.solve(judged.problem, method))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.k_best))
@given(rng=generators())
def test_the_k_best_are_the_k_best(rng, method):
    judged, k = Judged(random_problem(rng)), (2, 5, 40)[rng.integers(3)]
    result = gapless.solve(judged.problem, method, k=k)
    if METHODS[method].exact:
        judged.optimal(result, k)
    else:
        judged.valid(result)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.run_many))
@examples(4)
@given(rng=generators())
def test_batches_answer_as_single_calls(rng, method):
    drawn = [random_problem(rng) for _ in range(rng.integers(1, 11))]
    batch = gapless.solve_many(drawn, method)
    for number, problem in enumerate(drawn):
        single, one = gapless.solve(problem, method), batch[number]
        assert one.status is single.status
        assert [s.value for s in one.solutions] == pytest.approx([s.value for s in single.solutions], rel=1e-12)
        assert one.bound == pytest.approx(single.bound, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "options"), [(name, options) for name, options in WAYS if METHODS[name].warm_start], ids=str
)
@examples(6)
@given(rng=generators())
def test_a_start_is_used_and_does_no_harm(rng, method, options):
    judged = Judged(random_problem(rng))
    paths, scores = all_paths(judged.problem)
    for row in (scores.argmin(), scores.argmax()) if scores.size else ():
        judged.optimal(gapless.solve(judged.problem, method, start=paths[row], **options))
        stopped = gapless.solve(judged.problem, method, start=paths[row], limits=Limits(time=0.0), **options)
        judged.valid(stopped)
        assert stopped.value >= scores[row] - margin(scores[row])


# --- larger instances, against each other


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_exact_methods_agree_with_each_other(family, seed):
    rng = np.random.default_rng([seed, len(family)])
    problem = FAMILIES[family](int(rng.integers(12, 25)), int(rng.integers(3, 7)), seed)
    judge = gapless.solve(problem, "ilp-cuts", tree="own")
    assert judge.status is Status.OPTIMAL
    assert judge.verify(problem)
    for name, method in METHODS.items():
        result = gapless.solve(problem, name, limits=Limits(time=0.1 if name == "ilp" else None))
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


@pytest.mark.parametrize(("n", "length"), [(9, 7), (9, 9), (12, 10)])
@pytest.mark.parametrize("known", [True, False])
def test_equal_scores_need_few_nodes(n, length, known):
    """The first bound is the value of every path; it was forgotten before a path was found, after 155,000 nodes."""
    problem = OrderingProblem(np.zeros(n), np.zeros((n, n)), np.zeros(n), length)
    if not known:  # what a beam finds is forbidden
        edges = problem.encode(problem.backbone().guess())
        problem = attrs.evolve(problem, factors=[Conjunctions([edges[:2].tolist()], [-np.inf])])
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.OPTIMAL
    assert result.stats.nodes < 500
    assert result.verify(problem)
