"""Every exact method against enumeration, Viterbi and an independent solver. Scores are compared, not paths."""

import numpy as np
import pytest

import gapless
from gapless import Status
from gapless.core.tolerance import meets
from gapless.scip import solve_monolithic
from gapless_chains import ChainProblem

# Instances of every kind: 20,000 chains in all for each method, a fifth for a variant of one.
METHODS = [
    ("viterbi", {}, 33),
    ("dominance", {}, 33),
    ("column-generation", {}, 33),
    ("column-generation", {"first": "local"}, 7),
]


@pytest.mark.parametrize(("method", "options", "each"), METHODS)
def test_agrees_with_enumeration_and_proves_it(chain_batches, method, options, each):
    instances = infeasible = 0
    for batch in chain_batches(seed=11, each=each):
        for problem, best in zip(batch.problems(), batch.best, strict=True):
            result = gapless.solve(problem, method, **options)
            verdict = result.verify(problem)
            assert verdict, verdict
            instances += 1
            if best == -np.inf:
                infeasible += 1
                assert result.status is Status.INFEASIBLE
                assert result.bound == verdict.bound == -np.inf
                assert result.explanation
            else:
                assert result.status is Status.OPTIMAL
                assert result.value == pytest.approx(best, rel=1e-12, abs=1e-9)
                assert meets(verdict.bound, result.value)
                assert verdict.bound >= result.value - 1e-12
    assert instances >= 20_000 * each // 33
    assert infeasible > 500 * each // 33


def test_batches_give_what_single_solves_give(chain_batches):
    for batch in chain_batches(seed=5, each=6):
        problems = list(batch.problems())
        shared = [with_transitions_of(problems[0], p) for p in problems]
        for group in (problems, shared):
            many = gapless.solve_many(group)
            for number, problem in enumerate(group):
                single, result = gapless.solve(problem), many[number]
                assert many.statuses[number] is single.status
                assert result.bound == single.bound == many.bounds[number]
                assert result.verify(problem)
                if single.status is Status.OPTIMAL:
                    assert result.value == single.value == many.values[number]
                    # Of several best paths either may come back: a batch may be decoded densely, one chain not.
                    assert problem.value(many.structure(number)) == single.value
                else:
                    assert np.isnan(many.values[number])


def with_transitions_of(model, problem):
    return ChainProblem(problem.unary, model.transition, initial=problem.initial, final=problem.final)


@pytest.mark.parametrize("sharpness", [0.0, 0.5, 3.0, 10.0])
@pytest.mark.parametrize("forbidden", [0.0, 0.3, 0.7])
def test_column_generation_equals_viterbi_on_larger_chains(sharpness, forbidden):
    rng = np.random.default_rng(3)
    for _ in range(25):
        n, k = rng.integers(1, 30), rng.integers(1, 40)
        transition = rng.normal(size=(k, k))
        transition[rng.random((k, k)) < forbidden] = -np.inf
        problem = ChainProblem(sharpness * rng.normal(size=(n, k)), transition)
        exact, result = gapless.solve(problem), gapless.solve(problem, "column-generation")
        assert result.status is exact.status
        assert result.verify(problem)
        if exact.status is Status.OPTIMAL:
            assert result.value == pytest.approx(exact.value, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("varying", [False, True])
def test_tagging_constraints(varying):
    """Begin-inside-outside labels: an inside label only after the same type; most pairs are forbidden."""
    rng = np.random.default_rng(8)
    types = 6
    k = 1 + 2 * types
    allowed = np.ones((k, k), bool)
    for t in range(types):
        inside = 2 + 2 * t
        allowed[:, inside] = False
        allowed[[inside - 1, inside], inside] = True
    start = np.where(np.arange(k) % 2 == 0, -np.inf, 0.0)
    start[0] = 0.0
    for _ in range(100):
        n = int(rng.integers(2, 15))
        shape = (n - 1, k, k) if varying else (k, k)
        transition = np.where(allowed, rng.normal(size=shape), -np.inf)
        problem = ChainProblem(rng.normal(size=(n, k)) * 2, transition, initial=start)
        exact, result = gapless.solve(problem), gapless.solve(problem, "column-generation")
        assert result.status is exact.status is Status.OPTIMAL
        assert result.value == pytest.approx(exact.value, abs=1e-9)
        assert result.verify(problem)


def test_agrees_with_the_linear_program(chain_batches):
    """The local polytope of eq. 4, solved by SCIP: an independent judge of the model as well as of the methods."""
    for number, batch in enumerate(chain_batches(seed=23, each=1)):
        if number % 2:
            continue
        (problem,) = batch.problems()
        result = solve_monolithic(problem)
        if batch.best[0] == -np.inf:
            assert result.status is Status.INFEASIBLE
        else:
            assert result.value == pytest.approx(batch.best[0], abs=1e-6)
