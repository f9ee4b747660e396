"""The method ``exact``: bounds from walks, elimination, label setting; see `gapless_kernels.path_search`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from numbers import Real

import numpy as np

from gapless import BatchResult, Result, SolveError, Stop, UnknownOption
from gapless.core.batch_result import row_offsets
from gapless.core.certificate import DeferredCertificate
from gapless.core.limits import NO_LIMITS
from gapless.core.problem import check_start
from gapless.core.sparse import IntArray
from gapless.engine.watch import Watch
from gapless.roles import Budget, Solve, Stats
from gapless_kernels import FoundPaths, path_search
from gapless_ordering.certificate import WalkCertificate
from gapless_ordering.enumerated_paths import EnumeratedPaths  # noqa: F401  read from files
from gapless_ordering.problem import OrderingProblem


def run(problem: OrderingProblem, solve: Solve, *, memory_limit: float = 2.0**31) -> Result[IntArray]:
    """Find the best path, or the k best, and prove it.

    A walk may visit a class twice, a path may not. The best walk that pays a multiplier for each visit of a class
    is found by dynamic programming in O(length n^2) and bounds all paths; subgradient steps lower the bound, and
    vertices through which no walk is better than the best path known are ruled out. What is left of the gap is
    closed by label setting, layer by layer, with the walks' bounds as completions: first narrow, as a guided beam,
    then wider. Hard instances (metric ones, long paths) go on with walks that remember the classes on the cycles
    seen so far, and multipliers for those. Raises `InvalidProblem`: the start path is infeasible. `UnknownOption`:
    `memory_limit` is no number of bytes. `OracleError`: an observer raised; ``error.result`` holds the best answer
    so far. `SolveError`: no memory. `memory_limit`: bytes for labels. A search that would need more ends with its
    bound: stop NODES.
    """
    _check(memory_limit)
    watch = Watch(solve.budget, solve.k)
    found = _search(problem, watch, solve.k, solve.start, memory_limit)
    value = float(found.values[0]) if found.values.size else -math.inf
    return watch.result(
        found.bound, value, lambda stop: _result(problem, found, stop or watch.stop, solve, bool(solve.start))
    )


def run_many(
    problems: Sequence[OrderingProblem], solve: Solve, *, memory_limit: float = 2.0**31
) -> BatchResult[IntArray]:
    """Solve many problems; limits hold for each. A `Result` is made when one is asked for.

    The array ``paths`` of the result holds all paths one after another, -1 where there is none, and ``offsets``
    where each begins.
    """
    _check(memory_limit)
    offsets = row_offsets(problem.length for problem in problems)
    paths = np.full(offsets[-1], -1)
    values, bounds = np.full((2, len(problems)), np.nan)
    outcomes: dict[int, tuple[FoundPaths, Stop]] = {}
    errors: dict[int, SolveError] = {}
    limited = solve.budget.limits != NO_LIMITS
    watch = Watch(Budget(), 1)
    try:
        for i, problem in enumerate(problems):
            if limited:
                watch = Watch(Budget(solve.budget.limits), 1)
            try:
                found = _search(problem, watch, 1, (), memory_limit)
            except SolveError as error:
                errors[i] = error
                continue
            if found.values.size:
                paths[offsets[i] : offsets[i + 1]] = found.paths[0]
                values[i] = found.values[0]
            outcomes[i] = found, watch.stop
            bounds[i] = found.bound
            if watch.stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def make(problems: Sequence[OrderingProblem], i: int) -> Result[IntArray]:
        return _result(problems[i], *outcomes[i], Solve(Budget(solve.budget.limits), method=solve.method), False)

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"paths": paths, "offsets": offsets},
        make,
        proved=np.array([i in outcomes and outcomes[i][0].proved for i in range(len(problems))], bool),
        errors=errors,
        method=solve.method,
    )


def _check(memory_limit: float) -> None:
    if not isinstance(memory_limit, Real) or isinstance(memory_limit, bool) or not memory_limit >= 0:
        raise UnknownOption(f"memory_limit is {memory_limit!r}, it must be a number of bytes, such as 2e9")


def _search(
    problem: OrderingProblem, watch: Watch, wanted: int, start: Sequence[IntArray], memory_limit: float
) -> FoundPaths:
    check_start(problem, start)
    begin = np.array(list(start), np.int32) if len(start) else None
    watch.stop = Stop.NODES  # where nobody says stop, the labels outgrow their memory
    try:
        found = path_search(
            problem.start,
            problem.ordering,
            problem.end,
            problem.classes,
            problem.length,
            wanted=wanted,
            begin=begin,
            pulse=watch,
            memory_limit=memory_limit,
        )
    except MemoryError as error:
        raise SolveError(f"{error}; give a smaller memory_limit") from error
    if found.interrupted:
        watch.budget.interrupt()
        watch.stop = Stop.INTERRUPTED
    elif found.proved:
        watch.stop = Stop.PROVED
    return found


def _result(
    problem: OrderingProblem, found: FoundPaths, stop: Stop, solve: Solve, warm_start: bool
) -> Result[IntArray]:
    explanation: Sequence[str] = ()
    if found.proved and not found.values.size:
        explanation = problem.infeasibility() or [
            f"walks of {problem.length} vertices exist, but each visits a class twice: the search went through all"
        ]
    elif not found.proved and stop is Stop.NODES and not solve.budget.limits.nodes:
        explanation = ["the labels needed more memory than memory_limit allows"]
    return Result.of(
        problem,
        list(found.paths),
        found.bound,
        stop,
        certificate=DeferredCertificate(partial(WalkCertificate.of, found._replace(open=None), solve.k)),
        method=solve.method,
        stats=Stats(
            seconds=solve.budget.elapsed,
            nodes=found.labels,
            iterations=found.steps,
            oracle_calls=found.steps + found.passes,
            warm_start_used=warm_start,
            extra={"vertices_left": found.vertices_left, "passes": found.passes},
        ),
        trace=solve.budget.events,
        explanation=explanation,
        complete=solve.k == 1 or found.proved,
    )
