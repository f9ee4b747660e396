"""Every exact method against enumeration, Viterbi and an independent solver. Scores are compared, not paths."""

import itertools

import numpy as np
import pytest
from all_labellings import best_values
from drawn import examples, generators, seeing
from hypothesis import given
from small_trees import drawn_tree

import gapless
from gapless import Status
from gapless.arrays.tolerance import meets
from gapless.scip import solve_monolithic
from gapless_chains import ChainProblem

METHODS = [
    ("viterbi", {}),
    ("dominance", {}),
    ("column-generation", {}),
    ("column-generation", {"first": "local"}),
]
every_method = pytest.mark.parametrize(("method", "options"), METHODS)


def proves(problem, best, method, options):
    """The method says what enumeration says, and its proof holds."""
    result = gapless.solve(problem, method, **options)
    verdict = result.verify(problem)
    assert verdict, verdict
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
        assert result.bound == verdict.bound == -np.inf
        assert result.explanation
    else:
        assert result.status is Status.OPTIMAL
        assert result.value == pytest.approx(best, rel=1e-12, abs=1e-9)
        assert meets(verdict.bound, result.value)
        assert verdict.bound >= result.value - 1e-12
    return best > -np.inf


def drawn(kind, rng, drawn_chain):
    """A small chain or tree of any kind and its best value."""
    return drawn_chain(rng) if kind == "chain" else drawn_tree(rng)


@pytest.mark.parametrize(
    ("kind", "method", "options"),
    [*(("chain", *way) for way in METHODS), *(("tree", *way) for way in METHODS if not way[1])],
)
@seeing("infeasible", "feasible")
@examples(100)
@given(rng=generators())
def test_agrees_with_enumeration_and_proves_it(seen, rng, drawn_chain, kind, method, options):
    feasible = proves(*drawn(kind, rng, drawn_chain), method, options)
    seen["feasible" if feasible else "infeasible"] += 1


@pytest.mark.long
@every_method
def test_agrees_with_enumeration_on_thousands(chain_batches, method, options):
    """Instances of every kind: 20,000 chains in all for each method, a fifth for a variant of one."""
    each = 7 if options else 33
    answers = [
        proves(problem, best, method, options)
        for batch in chain_batches(seed=11, each=each)
        for problem, best in zip(batch.problems(), batch.best, strict=True)
    ]
    assert len(answers) >= 20_000 * each // 33
    assert answers.count(False) > 500 * each // 33


def test_batches_give_what_single_solves_give(chain_batches):
    for batch in itertools.islice(chain_batches(seed=5, each=6), 0, None, 13):
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
@given(rng=generators())
def test_column_generation_equals_viterbi_on_larger_chains(rng, sharpness, forbidden):
    n, k = rng.integers(1, 30), rng.integers(1, 40)
    transition = rng.normal(size=(k, k))
    transition[rng.random((k, k)) < forbidden] = -np.inf
    problem = ChainProblem(sharpness * rng.normal(size=(n, k)), transition)
    exact, result = gapless.solve(problem), gapless.solve(problem, "column-generation")
    assert result.status is exact.status
    assert result.verify(problem)
    if exact.status is Status.OPTIMAL:
        assert result.value == pytest.approx(exact.value, rel=1e-12, abs=1e-9)


@examples(20)
@given(rng=generators())
def test_tagging_constraints(rng):
    """Begin-inside-outside labels: an inside label only after the same type; most pairs are forbidden."""
    types = 2 if rng.integers(2) else 6
    k = 1 + 2 * types
    allowed = np.ones((k, k), bool)
    for inside in range(2, k, 2):
        allowed[:, inside] = False
        allowed[[inside - 1, inside], inside] = True
    start = np.where(np.arange(k) % 2 == 0, -np.inf, 0.0)
    start[0] = 0.0
    n = int(rng.integers(2, 5 if types == 2 else 15))
    shape = (n - 1, k, k) if rng.integers(2) else (k, k)
    transition = np.where(allowed, rng.normal(size=shape), -np.inf)
    problem = ChainProblem(2 * rng.normal(size=(n, k)), transition, initial=start)
    best = best_values(problem, 1)[0] if types == 2 else gapless.solve(problem, "viterbi").value
    for method, options in METHODS:
        assert proves(problem, best, method, options)


@pytest.mark.parametrize("kind", ["chain", "tree"])
@examples(40)
@given(rng=generators())
def test_agrees_with_the_linear_program(rng, drawn_chain, kind):
    """The local polytope of eq. 4, solved by SCIP: an independent reference for the model and for the methods."""
    problem, best = drawn(kind, rng, drawn_chain)
    result = solve_monolithic(problem)
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
    else:
        assert result.value == pytest.approx(best, abs=1e-6)
