"""The method ``beam``: beam search over paths, and how far its answer is from the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gapless import BatchResult, Budget, Certificate, NoCertificate, Result, Solve, Stats, Status, Stop
from gapless.core.sparse import IntArray
from gapless.core.tolerance import meets
from gapless.plugins.registry import check_count
from gapless_kernels import path_beam_search
from gapless_ordering import exact
from gapless_ordering.problem import OrderingProblem

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
    count = len(problems)
    offsets = np.concatenate([[0], np.cumsum([problem.length for problem in problems])]).astype(np.int64)
    paths = np.full(offsets[-1], -1)
    found: list[_Found] = []
    try:
        for problem in problems:
            found.append(_found(problem, width, bound, Budget(solve.budget.limits)))
            if found[-1].stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        solve.budget.interrupt()
    for first, one in zip(offsets, found, strict=False):
        paths[first : first + one.path.size] = one.path
    paths.flags.writeable = False

    def make(problems: Sequence[OrderingProblem], i: int) -> Result[IntArray]:
        if i >= len(found):
            return Result.of(problems[i], [], math.inf, Stop.INTERRUPTED, method=solve.method)
        return _result(problems[i], found[i], width, solve)

    def structure(problems: Sequence[OrderingProblem], i: int) -> IntArray:
        if i >= len(found) or found[i].value == -math.inf:
            return make(problems, i).best  # raises: there is none
        return paths[offsets[i] : offsets[i + 1]]

    missing = [math.nan] * (count - len(found))
    return BatchResult(
        np.array([one.value if one.value > -math.inf else math.nan for one in found] + missing),
        np.array([one.bound for one in found] + missing),
        [one.status for one in found] + [None] * len(missing),
        structure,
        make,
        arrays={"paths": paths, "offsets": offsets},
        problems=problems,
    )


def search(problem: OrderingProblem, width: int) -> tuple[float, IntArray]:
    """The best path that a beam finds, and its value; -inf and vertices -1 if it ran dry."""
    return path_beam_search(problem.start, problem.ordering, problem.end, problem.classes, problem.length, width)


class _Found(NamedTuple):
    """What a beam found, and a bound on all paths with its evidence."""

    value: float
    path: IntArray
    bound: float
    certificate: Certificate
    stop: Stop

    @property
    def status(self) -> Status:
        if self.value > -math.inf:
            return Status.OPTIMAL if self.stop is Stop.PROVED else Status.FEASIBLE
        return Status.INFEASIBLE if self.stop is Stop.PROVED else Status.NO_SOLUTION


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
