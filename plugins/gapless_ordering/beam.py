"""The method ``beam``: beam search over paths, and how far its answer is from the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gapless import BatchResult, Certificate, NoCertificate, Result, Solve, Stats, Status, Stop
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import meets
from gapless.plugins.registry import check_count
from gapless_kernels import path_beam_search
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.walks import walk_bounds

_NO_BOUND = NoCertificate("the beam was asked for no bound")


def run(problem: OrderingProblem, solve: Solve, *, width: int = 80, bound: bool = True) -> Result[IntArray]:
    """Find a path by beam search.

    The best `width` prefixes of each length go on to all vertices of classes that they have not visited; of
    prefixes with the same last vertex and the same classes only the better goes on, as the same can follow on both.
    Deshpande, Barzilay, Karger 2007 compare with beams of 1, 80 and 1345 (section 6). The **true gap** comes with
    it.

    Parameters
    ----------
    width : int
        At least 1.
    bound : bool
        Whether to bound the best value. Without it the bound is infinite and nothing is proved.

    Raises
    ------
    UnknownOption
        `width` is below 1, or no integer.
    """
    check_count("width", width)
    value, path = search(problem, width)
    best, certificate = _bounded(problem, value, path, solve) if bound else (math.inf, _NO_BOUND)
    solve.budget.emit("stop", best, value)
    return _result(problem, value, path, best, certificate, width, solve, solve.budget.elapsed)


def run_many(
    problems: Sequence[OrderingProblem], solve: Solve, *, width: int = 80, bound: bool = True
) -> BatchResult[IntArray]:
    """Find a path through each of many graphs; a `Result` is made only when one is asked for.

    The array ``paths`` of the result holds all paths one after another, -1 where a beam ran dry, and ``offsets``
    where each begins.
    """
    check_count("width", width)
    count = len(problems)
    offsets = np.concatenate([[0], np.cumsum([problem.length for problem in problems])]).astype(np.int64)
    paths = np.full(offsets[-1], -1)
    values, bounds = np.full(count, np.nan), np.full(count, np.nan)
    certificates: list[Certificate] = []
    try:
        for i, problem in enumerate(problems):
            value, path = search(problem, width)
            best, certificate = _bounded(problem, value, path, solve) if bound else (math.inf, _NO_BOUND)
            paths[offsets[i] : offsets[i + 1]] = path
            values[i], bounds[i] = value, best
            certificates.append(certificate)
    except KeyboardInterrupt:
        solve.budget.interrupt()
    paths.flags.writeable = False

    def make(i: int) -> Result[IntArray]:
        if i >= len(certificates):
            return Result.of(problems[i], [], math.inf, Stop.INTERRUPTED, method=solve.method)
        path = paths[offsets[i] : offsets[i + 1]]
        return _result(problems[i], values[i], path, float(bounds[i]), certificates[i], width, solve)

    def structure(i: int) -> IntArray:
        if not values[i] > -np.inf:
            return make(i).best  # raises: there is none
        return paths[offsets[i] : offsets[i + 1]]

    return BatchResult(
        np.where(values > -np.inf, values, np.nan),
        bounds,
        _statuses(values, bounds, len(certificates)),
        structure,
        make,
        arrays={"paths": paths, "offsets": offsets},
    )


def search(problem: OrderingProblem, width: int) -> tuple[float, IntArray]:
    """The best path that a beam finds, and its value; -inf and vertices -1 if it ran dry."""
    return path_beam_search(problem.start, problem.ordering, problem.end, problem.classes, problem.length, width)


def _bounded(problem: OrderingProblem, value: float, path: IntArray, solve: Solve) -> tuple[float, Certificate]:
    """A bound on the best value, and the evidence."""
    if value == -math.inf and problem.infeasibility():
        return -math.inf, NoCertificate()
    return walk_bounds(problem, path, value).bound, NoCertificate()


def _result(
    problem: OrderingProblem,
    value: float,
    path: IntArray,
    best: float,
    certificate: Certificate,
    width: int,
    solve: Solve,
    seconds: float = 0.0,
) -> Result[IntArray]:
    found = value > -math.inf
    infeasible = best == -math.inf
    if infeasible:
        explanation = problem.infeasibility()
    else:
        explanation = () if found else [f"the beam ran dry: a width of {width} keeps no prefix that can go on"]
    return Result.of(
        problem,
        [path] if found else [],
        best,
        # The width is a limit on what is searched; where the bound meets the answer, it did no harm.
        Stop.PROVED if infeasible or (found and meets(best, value)) else Stop.NODES,
        certificate=certificate,
        method=solve.method,
        stats=Stats(seconds=seconds, oracle_calls=1, extra={"width": width}),
        trace=solve.budget.events,
        explanation=explanation,
    )


def _statuses(values: FloatArray, bounds: FloatArray, reached: int) -> list[Status | None]:
    def status(value: float, bound: float) -> Status:
        if value > -math.inf:
            return Status.OPTIMAL if meets(bound, value) else Status.FEASIBLE
        return Status.INFEASIBLE if bound == -math.inf else Status.NO_SOLUTION

    settled = [status(*pair) for pair in zip(values[:reached].tolist(), bounds[:reached].tolist(), strict=True)]
    return [*settled, *[None] * (len(values) - reached)]
