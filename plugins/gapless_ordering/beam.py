"""The method ``beam``: beam search over paths, and how far its answer is from the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gapless import BatchResult, Certificate, Result, Stop
from gapless.core.batch_result import row_offsets
from gapless.core.sparse import IntArray
from gapless.core.tolerance import meets
from gapless.plugins.registry import check_count
from gapless.roles import Budget, NoCertificate, Solve, Stats
from gapless_kernels import path_beam_search
from gapless_ordering import exact
from gapless_ordering.problem import OrderingProblem

_NO_BOUND = NoCertificate("the beam was asked for no bound")


def run(problem: OrderingProblem, solve: Solve, *, width: int = 80, bound: bool = True) -> Result[IntArray]:
    """Find a path by beam search.

    The best `width` prefixes of each length go on to all vertices of classes that they have not visited; of
    prefixes with the same last vertex and the same classes only the better goes on, as the same can follow on both.
    Deshpande, Barzilay, Karger 2007 compare with beams of 1, 80 and 1345 (section 6). The **true gap** comes with
    it; without
    `bound`, it is infinite and nothing is proved. Raises `UnknownOption`: `width` is below 1, or no integer.
    """
    check_count("width", width)
    try:
        found = _found(problem, width, bound, solve.budget)
    except KeyboardInterrupt:
        found = _Found(-math.inf, np.full(problem.length, -1), math.inf, NoCertificate("Ctrl-C"), Stop.INTERRUPTED)
    solve.budget.emit("stop", found.bound, found.value)
    return _result(problem, found, width, solve, solve.budget.elapsed)


def run_many(
    problems: Sequence[OrderingProblem], solve: Solve, *, width: int = 80, bound: bool = True
) -> BatchResult[IntArray]:
    """Find a path through each of many graphs; a `Result` is made only when one is asked for.

    The array ``paths`` of the result holds all paths one after another, -1 where a beam ran dry, and ``offsets``
    where each begins.
    """
    check_count("width", width)
    offsets = row_offsets(problem.length for problem in problems)
    paths = np.full(offsets[-1], -1)
    values, bounds = np.full((2, len(problems)), np.nan)
    found: list[_Found] = []
    try:
        for i, problem in enumerate(problems):
            one = _found(problem, width, bound, Budget(solve.budget.limits))
            found.append(one)
            paths[offsets[i] : offsets[i + 1]] = one.path
            values[i], bounds[i] = one.value, one.bound
            if one.stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def make(problems: Sequence[OrderingProblem], i: int) -> Result[IntArray]:
        return _result(problems[i], found[i], width, solve)

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"paths": paths, "offsets": offsets},
        make,
        proved=np.array([one.stop is Stop.PROVED for one in found] + [False] * (len(problems) - len(found)), bool),
        method=solve.method,
    )


def search(problem: OrderingProblem, width: int) -> tuple[float, IntArray]:
    """The best path that a beam finds, and its value; -inf and vertices -1 if it ran dry."""
    return path_beam_search(problem.start, problem.ordering, problem.end, problem.classes, problem.length, width)


class _Found(NamedTuple):
    """The path of a beam, and a bound on all paths with its evidence."""

    value: float
    path: IntArray
    bound: float
    certificate: Certificate
    stop: Stop


def _found(problem: OrderingProblem, width: int, bound: bool, budget: Budget) -> _Found:
    """The beam's path, and if asked for the bound of ``exact``, which begins with it."""
    value, path = search(problem, width)
    if not bound:
        return _Found(value, path, math.inf, _NO_BOUND, Stop.NODES)
    best = exact.run(problem, Solve(budget, start=[path] if value > -math.inf else []))
    # The width is a limit on what is searched; where the bound meets the answer, it did no harm.
    stop = Stop.PROVED if meets(best.bound, value) else Stop.NODES
    if best.stop is Stop.INTERRUPTED:
        stop = best.stop
    return _Found(value, path, best.bound, best.certificate, stop)


def _result(
    problem: OrderingProblem, found: _Found, width: int, solve: Solve, seconds: float = 0.0
) -> Result[IntArray]:
    dry = found.value == -math.inf
    explanation: Sequence[str] = ()
    if dry and found.stop is Stop.PROVED:
        explanation = problem.infeasibility() or [f"no walk of {problem.length} vertices visits each class once"]
    elif dry and found.stop is Stop.NODES:
        explanation = [f"the beam ran dry: a width of {width} keeps no prefix that can go on"]
    return Result.of(
        problem,
        [] if dry else [found.path],
        found.bound,
        found.stop,
        certificate=found.certificate,
        method=solve.method,
        stats=Stats(seconds=seconds, oracle_calls=1, extra={"width": width}),
        trace=solve.budget.events,
        explanation=explanation,
    )
