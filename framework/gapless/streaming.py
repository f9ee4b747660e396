"""The third door: `solve_stream`, for corpora that are larger than memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from gapless.core.batch_result import interrupted
from gapless.core.errors import FactorsNotCounted, InvalidProblem, SolveError
from gapless.core.limits import NO_LIMITS, Limits
from gapless.core.problem import Problem
from gapless.core.result import Result
from gapless.parallel import AT_ONCE, spread_in_order
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method
from gapless.solving import Wanted, check_call, check_jobs, check_k, choose, only_problems

S = TypeVar("S")


def solve_stream(
    problems: Iterable[Problem[S]],
    method: str | None = None,
    *,
    jobs: int = 1,
    limits: Limits = NO_LIMITS,
    k: int = 1,
    seed: int = 0,
    at_once: int = AT_ONCE,
    verify: bool = False,
    **options: Any,
) -> Iterator[Result[S] | SolveError]:
    """Solve problems one after another as they come; the outcomes come in their order.

    Nothing is kept: problems are taken from the iterable in this thread, only when they are needed, and never more
    than ``4 * at_once`` for each worker ahead of the outcome that was last taken.

    Parameters
    ----------
    problems : iterable of Problem
        A generator, for instance. What it raises is raised after the outcomes of the problems before.
    method, limits, k, seed, **options
        As in `solve`; limits hold for each problem.
    jobs : int
        As in `solve_many`: 1 is this process, else workers of joblib's backend (processes, Dask, Ray). They also
        make the results, with their certificates.
    at_once : int
        The most problems that are solved together. It is about 0.2 seconds' worth of them, so that only large
        problems need a smaller number, for memory's sake.
    verify : bool
        Re-check every answer, where it was found, before it is yielded; in the place of one that fails comes a
        `VerificationFailed`.

    Yields
    ------
    Result or SolveError
        A problem that failed, or turned out to be invalid while it was solved, yields the error; ``error.result``
        may hold the best answer so far.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C: what was finished in order has been yielded before.
    InvalidProblem
        The iterable brought something else; the message has its number, from 0.
    UnknownName, UnknownOption, MissingDependency
        As in `solve_many`.
    SolveError
        A worker process was killed.
    """
    if isinstance(problems, Problem):
        raise InvalidProblem(f"solve_stream() wants many problems, got one {type(problems).__name__}: use solve")
    check_call(method, limits, seed, verify)
    check_k(k)
    check_jobs(jobs, at_once)
    wanted = Wanted(method, limits, seed, options, k, verify=bool(verify))
    return _outcomes(wanted, only_problems("solve_stream", problems), int(jobs), at_once)


def _outcomes(
    wanted: Wanted, problems: Iterator[Problem[S]], jobs: int, at_once: int
) -> Iterator[Result[S] | SolveError]:
    work = partial(_solve_chunk, wanted)
    for done in spread_in_order(work, problems, jobs, at_once):
        for outcome in done.outcome:
            if isinstance(outcome, KeyboardInterrupt):
                raise outcome
            yield outcome


def _solve_chunk(
    wanted: Wanted, _: int, problems: Sequence[Problem[S]]
) -> list[Result[S] | SolveError | KeyboardInterrupt]:
    """Outcomes of a chunk; where Ctrl-C came, those that are finished, and the interrupt."""
    plugins = load_plugins()
    outcomes: list[Result[S] | SolveError | KeyboardInterrupt] = []
    try:
        # Neighbours of one type and method make a batch.
        ways = [(type(problem), _chosen(plugins, problem, wanted)) for problem in problems]
        for (_, chosen), group in itertools.groupby(zip(ways, problems, strict=True), lambda pair: pair[0]):
            for outcome in _solve_alike(wanted, chosen, [problem for _, problem in group]):
                if interrupted(outcome):
                    raise KeyboardInterrupt
                outcomes.append(outcome)
    except KeyboardInterrupt:
        outcomes.append(KeyboardInterrupt())
    return outcomes


def _chosen(plugins: Plugins, problem: Problem[S], wanted: Wanted) -> Method | None:
    """The method; None where it cannot take the problem, so that solving it says so."""
    try:
        return choose(plugins, problem, wanted.method)
    except FactorsNotCounted:
        return None


def _solve_alike(
    wanted: Wanted, chosen: Method | None, problems: Sequence[Problem[S]]
) -> Iterator[Result[S] | SolveError]:
    if chosen is not None and chosen.solves_together(wanted.k):
        chosen.check(wanted.options, wanted.k, ())
        how = wanted.call(chosen, every_result=True)
        try:
            batch = wanted.run_many(chosen, problems, how)
        except InvalidProblem:
            pass  # one of them: the others can be solved
        else:
            yield from (wanted.outcome_of(batch, i, problem) for i, problem in enumerate(problems))
            if how.budget.interrupted:  # when all was finished: whoever pressed Ctrl-C still meant the stream
                raise KeyboardInterrupt
            return
    for problem in problems:
        try:
            yield wanted.solve_one(problem)
        except InvalidProblem as error:
            yield SolveError(str(error))
