"""Every method for ordering problems that is registered, on random small instances, against all their paths.

``GAPLESS_RANDOM_PATHS`` says how many instances; the default is what every test run can afford. The methods on
SCIP, which are judges themselves, see fewer. Only scores are unique, so values are compared, never paths.
"""

import os

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from enumerated import Enumerated, same_as_single_calls
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop
from gapless.arrays.tolerance import score_tolerance
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


def enumerated(problem):
    return Enumerated(problem, all_paths(problem)[1])


@pytest.mark.parametrize(
    "method", sorted(name for name, method in METHODS.items() if method.exact and name not in ON_SCIP)
)
@seeing("feasible", "infeasible")
@examples(PATHS)
@given(rng=generators())
def test_exact_methods_agree_with_enumeration(seen, rng, method):
    known = enumerated(random_problem(rng))
    seen["feasible" if known.values.size else "infeasible"] += 1
    known.optimal(gapless.solve(known.problem, method))


@pytest.mark.parametrize("options", [option for name, option in WAYS if name == "ilp-cuts"], ids=str)
@examples(PATHS // 5)
@given(rng=generators())
def test_cuts_agree_with_enumeration(rng, options):
    known = enumerated(random_problem(rng))
    known.optimal(gapless.solve(known.problem, "ilp-cuts", **options))


@examples(PATHS // 10)
@given(rng=generators())
def test_the_integer_program_agrees_with_enumeration(rng):
    known = enumerated(random_problem(rng))
    known.optimal(gapless.solve(known.problem, "ilp"))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if not method.exact))
@given(rng=generators())
def test_other_methods_say_only_what_is_true(rng, method):
    known = enumerated(random_problem(rng))
    known.valid(gapless.solve(known.problem, method))


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.k_best))
@given(rng=generators())
def test_the_k_best_are_the_k_best(rng, method):
    known, k = enumerated(random_problem(rng)), (2, 5, 40)[rng.integers(3)]
    result = gapless.solve(known.problem, method, k=k)
    if METHODS[method].exact:
        known.optimal(result, k)
    else:
        known.valid(result)


@pytest.mark.parametrize("method", sorted(name for name, method in METHODS.items() if method.run_many))
@examples(4)
@given(rng=generators())
def test_batches_answer_as_single_calls(rng, method):
    drawn = [random_problem(rng) for _ in range(rng.integers(1, 11))]
    batch = gapless.solve_many(drawn, method)
    same_as_single_calls(batch, [gapless.solve(problem, method) for problem in drawn])


@pytest.mark.parametrize(
    ("method", "options"), [(name, options) for name, options in WAYS if METHODS[name].warm_start], ids=str
)
@examples(6)
@given(rng=generators())
def test_a_start_is_used_and_does_no_harm(rng, method, options):
    known = enumerated(random_problem(rng))
    paths, scores = all_paths(known.problem)
    for row in (scores.argmin(), scores.argmax()) if scores.size else ():
        known.optimal(gapless.solve(known.problem, method, start=paths[row], **options))
        stopped = gapless.solve(known.problem, method, start=paths[row], limits=Limits(time=0.0), **options)
        known.valid(stopped)
        assert stopped.value >= scores[row] - score_tolerance(scores[row])


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
            assert all(
                solution.value <= judge.value + score_tolerance(judge.value) for solution in result.solutions
            )
            assert result.bound >= judge.value - score_tolerance(judge.value)


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
        edges = problem.encode(problem.backbone().initial_structure())
        problem = attrs.evolve(problem, factors=[Conjunctions([edges[:2].tolist()], [-np.inf])])
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.OPTIMAL
    assert result.stats.nodes < 500
    assert result.verify(problem)
