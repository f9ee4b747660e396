"""The method ``exact``: bounds from walks, elimination, label setting; see `gapless_kernels.path_search`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from numbers import Real

import numpy as np

from gapless import BatchResult, Result, SolveError, Stop, UnknownOption
from gapless.arrays.sparse import IntArray
from gapless.certificates.certificate import DeferredCertificate
from gapless.limits.limits import NO_LIMITS
from gapless.problems.problem import check_start
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveBudget, SolveRequest, Stats
from gapless.search.search_callback import SearchCallback
from gapless_kernels import PathSearchResult, path_search
from gapless_ordering.certificate import WalkCertificate
from gapless_ordering.path_problem import PathProblem


def run(problem: PathProblem, request: SolveRequest, *, memory_limit: float = 2.0**31) -> Result[IntArray]:
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
    watch = SearchCallback(request.budget, request.k)
    outcome = _search(problem, watch, request.k, request.start, memory_limit)
    value = float(outcome.values[0]) if outcome.values.size else -math.inf
    return watch.result(
        outcome.bound,
        value,
        lambda stop: _result(problem, outcome, stop or watch.stop, request, bool(request.start)),
    )


def run_many(
    problems: Sequence[PathProblem], request: SolveRequest, *, memory_limit: float = 2.0**31
) -> BatchResult[IntArray]:
    """Solve many problems; limits hold for each. Results are made on demand.

    The array ``paths`` of the result holds all paths one after another, -1 where there is none, and ``offsets``
    where each begins.
    """
    _check(memory_limit)
    offsets = row_offsets(problem.length for problem in problems)
    paths = np.full(offsets[-1], -1)
    values, bounds = np.full((2, len(problems)), np.nan)
    outcomes: dict[int, tuple[PathSearchResult, Stop]] = {}
    errors: dict[int, SolveError] = {}
    limited = request.budget.limits != NO_LIMITS
    watch = SearchCallback(SolveBudget(), 1)
    try:
        for i, problem in enumerate(problems):
            # Limits hold for each problem; without any, a single watch serves all and saves its making.
            if limited:
                watch = SearchCallback(SolveBudget(request.budget.limits), 1)
            try:
                outcome = _search(problem, watch, 1, (), memory_limit)
            except SolveError as error:
                errors[i] = error
                continue
            if outcome.values.size:
                paths[offsets[i] : offsets[i + 1]] = outcome.paths[0]
                values[i] = outcome.values[0]
            outcomes[i] = outcome, watch.stop
            bounds[i] = outcome.bound
            if watch.stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        request.budget.interrupt()

    def make(problems: Sequence[PathProblem], i: int) -> Result[IntArray]:
        return _result(
            problems[i],
            *outcomes[i],
            SolveRequest(SolveBudget(request.budget.limits), method=request.method),
            False,
        )

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"paths": paths, "offsets": offsets},
        make,
        proved=np.array([i in outcomes and outcomes[i][0].proved for i in range(len(problems))], bool),
        errors=errors,
        method=request.method,
    )


def _check(memory_limit: float) -> None:
    if not isinstance(memory_limit, Real) or isinstance(memory_limit, bool) or not memory_limit >= 0:
        raise UnknownOption(f"memory_limit is {memory_limit!r}, it must be a number of bytes, such as 2e9")


def _search(
    problem: PathProblem, watch: SearchCallback, wanted: int, start: Sequence[IntArray], memory_limit: float
) -> PathSearchResult:
    check_start(problem, start)
    # The kernel numbers vertices by int32.
    begin = np.array(list(start), np.int32) if len(start) else None
    watch.stop = Stop.NODES  # the kernel stops by itself only if labels outgrow `memory_limit`
    try:
        outcome = path_search(
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
    # Ctrl-C inside the kernel: the best path so far and its bound are returned as usual.
    if outcome.interrupted:
        watch.budget.interrupt()
        watch.stop = Stop.INTERRUPTED
    elif outcome.proved:
        watch.stop = Stop.PROVED
    return outcome


def _result(
    problem: PathProblem, outcome: PathSearchResult, stop: Stop, request: SolveRequest, warm_start: bool
) -> Result[IntArray]:
    explanation: Sequence[str] = ()
    if outcome.proved and not outcome.values.size:
        explanation = problem.infeasibility() or [
            f"walks of {problem.length} vertices exist, but each visits a class twice: the search went through all"
        ]
    elif not outcome.proved and stop is Stop.NODES and not request.budget.limits.nodes:
        explanation = ["the labels needed more memory than memory_limit allows"]
    return Result.of(
        problem,
        list(outcome.paths),
        outcome.bound,
        stop,
        # Without `open`, tables over all vertices and positions, a stored result stays small.
        certificate=DeferredCertificate(partial(WalkCertificate.of, outcome._replace(open=None), request.k)),
        method=request.method,
        stats=Stats(
            seconds=request.budget.elapsed,
            nodes=outcome.labels,
            iterations=outcome.steps,
            oracle_calls=outcome.steps + outcome.passes,
            warm_start_used=warm_start,
            extra={"vertices_left": outcome.vertices_left, "passes": outcome.passes},
        ),
        trace=request.budget.events,
        explanation=explanation,
        complete=request.k == 1 or outcome.proved,
    )
