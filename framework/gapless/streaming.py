"""Entry point `solve_stream`, for corpora that are larger than memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from gapless.errors import FactorsNotSupported, InvalidProblem, SolveError
from gapless.limits.limits import NO_LIMITS, Limits
from gapless.parallel import CHUNK_SIZE, map_chunks_ordered
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method
from gapless.problems.problem import Problem
from gapless.results.batch_result import interrupted
from gapless.results.result import Result
from gapless.solving import BatchRequest, check_call, check_many, choose, only_problems

S = TypeVar("S")


def solve_stream(
    problems: Iterable[Problem[S]],
    method: str | None = None,
    *,
    jobs: int = 1,
    limits: Limits = NO_LIMITS,
    k: int = 1,
    seed: int = 0,
    chunk_size: int = CHUNK_SIZE,
    verify: bool = False,
    **options: Any,
) -> Iterator[Result[S] | SolveError]:
    """Solve problems of an iterable lazily; yield the outcomes in the same order.

    Nothing is stored: problems are taken from the iterable in this thread, only when they are needed, and at most
    ``4 * chunk_size`` per worker ahead of the last outcome taken.

    Parameters
    ----------
    problems : iterable of Problem
        A generator, for instance. Its exceptions are raised after the outcomes of the previous problems.
    method, limits, k, seed, **options
        As in `solve`; limits apply to each problem.
    jobs : int
        As in `solve_many`: 1 is this process, else workers of joblib's backend (processes, Dask, Ray). They also
        build the results, with their certificates.
    chunk_size : int
        Limit on the problems that are solved together. Chunks take about 0.2 seconds, so that only large problems
        need a smaller number, to save memory.
    verify : bool
        If True, check every answer in the worker that found it; yield a `VerificationFailed` instead of an answer
        that fails.

    Yields
    ------
    Result or SolveError
        A problem that failed, or proved invalid during its solve, yields the error; ``error.result`` may hold the
        best answer so far.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, after the finished outcomes in order.
    InvalidProblem
        An item is not a problem; the message states its number, from 0.
    UnknownName, UnknownOption, MissingDependency
        As in `solve_many`.
    SolveError
        A worker process was killed.
    """
    if isinstance(problems, Problem):
        raise InvalidProblem(f"solve_stream() wants many problems, got one {type(problems).__name__}: use solve")
    check_call(method, limits, seed, verify)
    check_many(jobs, chunk_size, k)
    request = BatchRequest(method, limits, seed, options, k, verify=bool(verify))
    # A generator of its own, so that wrong arguments raise at the call instead of at the first outcome.
    return _outcomes(request, only_problems("solve_stream", problems), int(jobs), chunk_size)


def _outcomes(
    request: BatchRequest, problems: Iterator[Problem[S]], jobs: int, chunk_size: int
) -> Iterator[Result[S] | SolveError]:
    work = partial(_solve_chunk, request)
    for done in map_chunks_ordered(work, problems, jobs, chunk_size):
        for outcome in done.outcome:
            if isinstance(outcome, KeyboardInterrupt):  # a raised one would lose the finished outcomes of its chunk
                raise outcome
            yield outcome


def _solve_chunk(
    request: BatchRequest, _: int, problems: Sequence[Problem[S]]
) -> list[Result[S] | SolveError | KeyboardInterrupt]:
    """Return the outcomes of a chunk; after Ctrl-C the finished ones, followed by the interrupt."""
    plugins = load_plugins()
    outcomes: list[Result[S] | SolveError | KeyboardInterrupt] = []
    try:
        # Consecutive problems of one type and method form a batch.
        keys = [(type(problem), _method_of(plugins, problem, request)) for problem in problems]
        for (_, method), group in itertools.groupby(zip(keys, problems, strict=True), lambda pair: pair[0]):
            for outcome in _solve_alike(request, method, [problem for _, problem in group]):
                if interrupted(outcome):
                    raise KeyboardInterrupt
                outcomes.append(outcome)
    except KeyboardInterrupt:
        outcomes.append(KeyboardInterrupt())
    return outcomes


def _method_of(plugins: Plugins, problem: Problem[S], request: BatchRequest) -> Method | None:
    """Return the method; None if it does not accept the problem, whose solve then returns the error."""
    try:
        return choose(plugins, problem, request.method)
    except FactorsNotSupported:
        return None


def _solve_alike(
    request: BatchRequest, method: Method | None, problems: Sequence[Problem[S]]
) -> Iterator[Result[S] | SolveError]:
    if method is not None and method.has_batch_kernel_for(request.k):
        method.check(request.options, request.k, ())
        call = request.call(method, every_result=True)
        try:
            batch = request.run_many(method, problems, call)
        except InvalidProblem:
            pass  # in one of the problems: solve them separately, so that only that one fails
        else:
            yield from (request.outcome_of(batch, i, problem) for i, problem in enumerate(problems))
            if call.budget.interrupted:  # all are finished, but the user wanted to end the stream
                raise KeyboardInterrupt
            return
    for problem in problems:
        try:
            yield request.solve_one(problem)
        except InvalidProblem as error:
            yield SolveError(str(error))
