"""The method ``beam``: beam search over paths, with the true gap of its answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gapless import BatchResult, Certificate, Result, Stop
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import meets
from gapless.plugins.registry import check_count
from gapless.results.batch_result import row_offsets
from gapless.roles import NoCertificate, SolveBudget, SolveRequest, Stats
from gapless_kernels import path_beam_search
from gapless_ordering import exact
from gapless_ordering.problem import OrderingProblem

_NO_BOUND = NoCertificate("the beam was asked for no bound")


def run(
    problem: OrderingProblem, request: SolveRequest, *, width: int = 80, bound: bool = True
) -> Result[IntArray]:
    """Find a path by beam search.

    The best `width` prefixes of each length go on to all vertices of classes that they have not visited; of
    prefixes with the same last vertex and the same classes only the better goes on, as the same can follow on both.
    Deshpande, Barzilay, Karger 2007 compare with beams of 1, 80 and 1345 (section 6). The **true gap** comes with
    it; without `bound`, it is infinite and nothing is proved. Raises `UnknownOption`: `width` is below 1, or no
    integer.
    """
    check_count("width", width)
    try:
        outcome = _found(problem, width, bound, request.budget)
    except KeyboardInterrupt:
        outcome = _Found(
            -math.inf, np.full(problem.length, -1), math.inf, NoCertificate("Ctrl-C"), Stop.INTERRUPTED
        )
    request.budget.emit("stop", outcome.bound, outcome.value)
    return _result(problem, outcome, width, request, request.budget.elapsed)


def run_many(
    problems: Sequence[OrderingProblem], request: SolveRequest, *, width: int = 80, bound: bool = True
) -> BatchResult[IntArray]:
    """Find a path through each of many graphs; results are made on demand.

    The array ``paths`` of the result holds all paths one after another, -1 where a beam ran dry, and ``offsets``
    where each begins.
    """
    check_count("width", width)
    offsets = row_offsets(problem.length for problem in problems)
    paths = np.full(offsets[-1], -1)
    values, bounds = np.full((2, len(problems)), np.nan)
    outcomes: list[_Found] = []
    try:
        for i, problem in enumerate(problems):
            outcome = _found(problem, width, bound, SolveBudget(request.budget.limits))
            outcomes.append(outcome)
            paths[offsets[i] : offsets[i + 1]] = outcome.path
            values[i], bounds[i] = outcome.value, outcome.bound
            if outcome.stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        request.budget.interrupt()

    def make(problems: Sequence[OrderingProblem], i: int) -> Result[IntArray]:
        return _result(problems[i], outcomes[i], width, request)

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"paths": paths, "offsets": offsets},
        make,
        proved=np.array(
            [outcome.stop is Stop.PROVED for outcome in outcomes] + [False] * (len(problems) - len(outcomes)), bool
        ),
        method=request.method,
    )


def search(problem: OrderingProblem, width: int) -> tuple[float, IntArray]:
    """Find the best path of a beam; returns its value and it, or -inf and vertices -1 if the beam ran dry."""
    return path_beam_search(problem.start, problem.ordering, problem.end, problem.classes, problem.length, width)


class _Found(NamedTuple):
    """The path of a beam, and a bound on all paths with its evidence."""

    value: float
    path: IntArray
    bound: float
    certificate: Certificate
    stop: Stop


def _found(problem: OrderingProblem, width: int, bound: bool, budget: SolveBudget) -> _Found:
    """Run the beam, and if `bound` also ``exact``, which starts from the beam's path."""
    value, path = search(problem, width)
    if not bound:
        return _Found(value, path, math.inf, _NO_BOUND, Stop.NODES)
    # The beam's path as a start lets `exact` drop everything that cannot beat it.
    best = exact.run(problem, SolveRequest(budget, start=[path] if value > -math.inf else []))
    # The width is a limit on what is searched; where the bound meets the answer, it did no harm.
    stop = Stop.PROVED if meets(best.bound, value) else Stop.NODES
    if best.stop is Stop.INTERRUPTED:
        stop = best.stop
    return _Found(value, path, best.bound, best.certificate, stop)


def _result(
    problem: OrderingProblem, outcome: _Found, width: int, request: SolveRequest, seconds: float = 0.0
) -> Result[IntArray]:
    dry = outcome.value == -math.inf
    explanation: Sequence[str] = ()
    if dry and outcome.stop is Stop.PROVED:
        explanation = problem.infeasibility() or [f"no walk of {problem.length} vertices visits each class once"]
    elif dry and outcome.stop is Stop.NODES:
        explanation = [f"the beam ran dry: a width of {width} keeps no prefix that can go on"]
    return Result.of(
        problem,
        [] if dry else [outcome.path],
        outcome.bound,
        outcome.stop,
        certificate=outcome.certificate,
        method=request.method,
        stats=Stats(seconds=seconds, oracle_calls=1, extra={"width": width}),
        trace=request.budget.events,
        explanation=explanation,
    )
