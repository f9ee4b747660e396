"""The two doors: `solve` for one problem, `solve_many` for a corpus."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, TypeVar

from gapless.core.batch_result import BatchResult
from gapless.core.errors import InvalidProblem, MissingDependency, SolveError, UnknownOption
from gapless.core.events import Observer
from gapless.core.limits import NO_LIMITS, Budget, Limits, Stop
from gapless.core.problem import Problem
from gapless.core.problem_batch import ProblemBatch
from gapless.core.result import Result
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method, Solve, check_count

S = TypeVar("S")


def solve(
    problem: Problem[S],
    method: str | None = None,
    *,
    limits: Limits = NO_LIMITS,
    k: int = 1,
    start: S | None = None,
    observers: Sequence[Observer] = (),
    seed: int = 0,
    trace: bool = False,
    **options: Any,
) -> Result[S]:
    """Find the best structure of `problem` and prove it.

    Parameters
    ----------
    problem : Problem
    method : str, optional
        A registered method (``gapless methods`` lists them); by default the problem type's own.
    limits : Limits
        When to stop early.
    k : int
        How many best structures.
    start : structure, optional
        A feasible structure to begin with; ``result.stats.warm_start_used`` says whether it was used.
    observers : sequence of callables
        Receive an `Event` for everything that happens.
    seed : int
        For methods that draw random numbers.
    trace : bool
        Keep the events in ``result.trace``.
    **options
        The method's own options; unknown ones raise.

    Returns
    -------
    Result

    Raises
    ------
    UnknownName, UnknownOption
        Misspelt method or option; the message names the nearest known one.
    SolveError
        An oracle or another role failed; ``error.result`` holds the best answer so far.
    """
    if isinstance(problem, ProblemBatch):
        raise InvalidProblem(f"solve() wants one problem, got {problem!r}: use solve_many")
    if not isinstance(problem, Problem):
        raise InvalidProblem(f"solve() wants a gapless.Problem, got {type(problem).__name__}")
    _check_limits(limits)
    _check_seed(seed)
    plugins = load_plugins()
    chosen = _choose(plugins, problem, method)
    starts = () if start is None else (start,)
    chosen.check(options, k, starts)
    hooked = [o for o in plugins.hook.gapless_observers(problem=problem) if o is not None]
    budget = Budget(limits, observers=(*observers, *hooked), trace=trace)
    result: Result[S] = chosen.run(problem, Solve(budget, k, starts, seed, chosen.name), **options)
    plugins.hook.gapless_finished(problem=problem, result=result)
    return result


def solve_many(
    problems: Iterable[Problem[S]],
    method: str | None = None,
    *,
    jobs: int = 1,
    limits: Limits = NO_LIMITS,
    seed: int = 0,
    **options: Any,
) -> BatchResult[S]:
    """Solve many problems; limits hold for each of them.

    Parameters
    ----------
    problems : iterable of Problem, or ProblemBatch
        A batch goes to the method's batch kernel as it is.
    method, limits, seed, **options
        As in `solve`.
    jobs : int
        Processes, through joblib (extra ``distributed``); 1 stays in this one. So does a `ProblemBatch` whose
        method has a batch kernel: it decodes faster than scores travel between processes.

    Returns
    -------
    BatchResult
        Arrays of values, bounds and statuses; makes a `Result` when one is asked for. A problem that failed
        has stop ERROR and its message in ``errors``. Ctrl-C returns what is finished; the rest is missing.

    Raises
    ------
    InvalidProblem
        The input is no problem: of a batch, whose scores are looked at while they are decoded, one that holds NaN
        or plus infinity ends the whole call. The message names sentence and place.
    UnknownName, UnknownOption
        As in `solve`, also for an empty batch.
    """
    if isinstance(problems, Problem):
        raise InvalidProblem(f"solve_many() wants many problems, got one {type(problems).__name__}: use solve")
    _check_limits(limits)
    _check_seed(seed)
    if not isinstance(jobs, Integral) or isinstance(jobs, bool) or jobs == 0:
        raise UnknownOption(f"jobs is {jobs!r}, expected a number of processes, or -1 for one on each core")
    batched = isinstance(problems, ProblemBatch)
    todo: Sequence[Problem[S]] = problems if isinstance(problems, ProblemBatch) else list(problems)
    plugins = load_plugins()
    if isinstance(problems, ProblemBatch) and not todo:
        plugins.registry.find_method(problems.problem_type, method).check(options, 1, ())
    if todo and (batched or (jobs == 1 and len({type(p) for p in todo}) == 1)):
        chosen = _choose(plugins, todo[0], method)
        if chosen.run_many is not None:
            chosen.check(options, 1, ())
            batch: BatchResult[S] = chosen.run_many(
                todo, Solve(Budget(limits), seed=seed, method=chosen.name), **options
            )
            return batch
    finished: list[Result[S] | SolveError] = []
    with contextlib.suppress(KeyboardInterrupt):
        for outcome in _each(todo, method, jobs, limits, seed, options):
            finished.append(outcome)
            # A solve turns Ctrl-C into a result; whoever pressed it meant all of them.
            result = outcome.result if isinstance(outcome, SolveError) else outcome
            if result is not None and result.stop is Stop.INTERRUPTED:
                break
    return BatchResult.from_results(finished, total=len(todo))


def _each(
    problems: Sequence[Problem[S]],
    method: str | None,
    jobs: int,
    limits: Limits,
    seed: int,
    options: dict[str, Any],
) -> Iterator[Result[S] | SolveError]:
    """Outcomes in the order of the problems, as they become known."""
    if jobs == 1:
        yield from (_one(p, method, limits, seed, options) for p in problems)
        return
    try:
        import joblib  # noqa: PLC0415  an extra: imported when asked for
    except ImportError as error:
        raise MissingDependency("solve_many(jobs=...) needs joblib: pip install 'gapless[distributed]'") from error
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
    yield from parallel(joblib.delayed(_one)(p, method, limits, seed, options) for p in problems)


def _one(
    problem: Problem[S], method: str | None, limits: Limits, seed: int, options: dict[str, Any]
) -> Result[S] | SolveError:
    try:
        return solve(problem, method, limits=limits, seed=seed, **options)
    except SolveError as error:
        return error


def _check_limits(limits: Any) -> None:
    if not isinstance(limits, Limits):
        raise UnknownOption(f"limits is {limits!r}, expected gapless.Limits(...)")


def _check_seed(seed: Any) -> None:
    check_count("seed", seed, 0)
    if seed >= 2**63:
        raise UnknownOption(f"seed is {seed}, it must be below 2**63")


def _choose(plugins: Plugins, problem: Problem[Any], method: str | None) -> Method:
    if method is None:
        method = plugins.hook.gapless_default_method(problem=problem)
    return plugins.registry.find_method(type(problem), method)
