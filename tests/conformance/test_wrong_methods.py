"""Deliberately wrong methods: wrong optima, wrong evidence, errors swallowed."""

import contextlib
import itertools
import math

import attrs
import numpy as np
import pytest

from gapless import (
    BatchResult,
    Result,
    Stop,
)
from gapless.testing import (
    check_method,
    feasible_structures,
)
from gapless.testing.examples import ChargedCapacities

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


def of(problem, structures, bound, solve, stop=Stop.PROVED, **how):
    return Result.of(problem, structures, bound, stop, method=solve.method, **how)


def ranked(problem):
    return sorted(feasible_structures(problem), key=lambda f: -f.score)


def claims_the_second(problem, solve):
    second = ranked(problem)[1]
    return of(problem, [second.structure], second.score, solve)


def keeps_the_second(problem, solve):
    second = ranked(problem)[1]
    return of(problem, [second.structure], second.score + 50.0, solve, Stop.NODES)


def claims_nothing_is_feasible(problem, solve):
    return of(problem, [], -INF, solve)


def ignores_k(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure], best.score, solve)


def repeats_for_k(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure] * solve.k, best.score, solve)


def skips_the_second(problem, solve):
    found = ranked(problem)
    kept = [found[0], *found[2 : solve.k + 1]]
    return of(problem, [f.structure for f in kept], found[0].score, solve)


def fails_on_time(problem, solve):
    if solve.budget.stop_reason():
        raise TimeoutError("time is up")
    return ignores_k(problem, solve)


def lies_on_time(problem, solve):
    best = ranked(problem)[-1]
    if solve.budget.stop_reason():
        return of(problem, [best.structure], best.score, solve)
    return ignores_k(problem, solve)


def draws(problem, solve):
    call = next(CALLS)
    found = ranked(problem)[0]
    return of(problem, [found.structure], found.score + 1e-13 * call, solve)


def swallows(problem, solve):
    with contextlib.suppress(LookupError):
        solve.budget.emit("node", 1.0, 0.0)
    return ignores_k(problem, solve)


def bad_evidence(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure], best.score, solve, certificate=ChargedCapacities([0.0]))


def infeasible_structures(problem, solve):
    return of(problem, [(0, 2, 4, 5)], 99.0, solve, Stop.NODES)


def anonymous(problem, solve):
    return attrs.evolve(ignores_k(problem, solve), method="x")


def unwritable(problem, solve):
    best = ranked(problem)[0]

    class Own(tuple):
        __slots__ = ()

    result = of(problem, [best.structure], best.score, solve)
    return attrs.evolve(result, explanation=[object()])


def ignores_the_start(problem, solve):
    if solve.budget.stop_reason():
        return of(problem, [], INF, solve, Stop.TIME)
    return ignores_k(problem, solve)


def drops_decimals(problem, solve):
    result = ignores_k(problem, solve)
    return attrs.evolve(
        result,
        solutions=tuple(attrs.evolve(s, value=s.value - 0.25) for s in result.solutions),
        bound=result.bound - 0.25,
    )


METHODS = {
    "second best": (claims_the_second, {}, "bound dominates"),
    "gives up early": (keeps_the_second, {}, "an exact method proves its answer"),
    "gives up, not exact": (keeps_the_second, {"exact": False}, None),
    "calls it infeasible": (claims_nothing_is_feasible, {}, "bound dominates"),
    "infeasible structures": (infeasible_structures, {}, "solutions are feasible"),
    "values of its own": (drops_decimals, {}, "values are the problem's own"),
    "ignores k": (ignores_k, {"k_best": True}, "the k best are the enumerated ones"),
    "repeats for k": (repeats_for_k, {"k_best": True}, "the k best are different"),
    "skips one of k": (skips_the_second, {"k_best": True}, "the k best are the enumerated ones"),
    "fails on time": (fails_on_time, {}, "a solve ends without an error"),
    "lies on time": (lies_on_time, {}, "bound dominates"),
    "draws without the seed": (draws, {}, "a seed fixes the answer"),
    "swallows errors": (swallows, {}, "errors of observers reach the caller"),
    "bad evidence": (bad_evidence, {}, "a certificate verifies"),
    "anonymous": (anonymous, {}, "names the method"),
    "cannot be written": (unwritable, {}, "survives JSON"),
    "ignores the start": (ignores_the_start, {"warm_start": True}, "no worse than the start"),
    "returns nothing": (lambda problem, solve: None, {}, "returns a Result"),
    "raises": (lambda problem, solve: 1 / 0, {}, "a solve ends without an error"),
    "honest": (ignores_k, {"warm_start": True}, None),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(caught, honest, grouped, name):
    run, changes, rule = METHODS[name]
    declared = {"k_best": False, "warm_start": False, **changes}
    method = attrs.evolve(honest.method, run=run, **declared)
    if rule is None:
        check_method(method, [grouped])
    else:
        caught(rule, check_method, method, [grouped])


def many(change):
    def run_many(problems, solve):
        results = [ignores_k(p, solve) for p in problems]
        return change(results)

    return run_many


BATCHES = {
    "loses one": (lambda rs: BatchResult.from_results(rs[:-1], len(rs) - 1), "answers every problem"),
    "turns them round": (lambda rs: BatchResult.from_results(rs[::-1], len(rs)), "as a solve does"),
    "raises": (lambda rs: 1 / 0, "a batch answers"),
    "lies in its arrays": (
        lambda rs: attrs.evolve(BatchResult.from_results(rs, len(rs)), bounds=np.array([r.bound + 1 for r in rs])),
        "as a solve does",
    ),
    "makes others": (
        lambda rs: attrs.evolve(BatchResult.from_results(rs, len(rs)), make=lambda _, i: rs[0]),
        "makes the results it states",
    ),
    "honest": (lambda rs: BatchResult.from_results(rs, len(rs)), None),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batches(caught, honest, grouped, name):
    change, rule = BATCHES[name]
    other = attrs.evolve(grouped, capacities=[4.0])
    method = attrs.evolve(honest.method, run=ignores_k, k_best=False, warm_start=False, run_many=many(change))
    if rule is None:
        check_method(method, [grouped, other])
    else:
        caught(rule, check_method, method, [grouped, other])


def test_batches_of_several(caught, honest, grouped):
    other = attrs.evolve(grouped, capacities=[4.0])

    def run_many(of_one):
        return lambda problems, solve: BatchResult.from_results([of_one(p, solve) for p in problems], len(problems))

    def method(of_one):
        return attrs.evolve(honest.method, run_many=run_many(of_one), batch_k_best=True)

    check_method(method(honest.method.run), [grouped, other])
    caught("a batch finds the k best", check_method, method(ignores_k), [grouped, other])
