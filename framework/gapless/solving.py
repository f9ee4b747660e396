"""The two doors: `solve` for one problem, `solve_many` for a corpus."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

import attrs

from gapless.core.batch_result import BatchResult
from gapless.core.errors import InvalidProblem, SolveError, UnknownOption
from gapless.core.events import Observer
from gapless.core.limits import NO_LIMITS, Budget, Limits, Stop
from gapless.core.problem import Problem
from gapless.core.problem_batch import ProblemBatch
from gapless.core.result import Result
from gapless.parallel import AT_ONCE, spread
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
    check_limits(limits)
    check_seed(seed)
    plugins = load_plugins()
    chosen = choose(plugins, problem, method)
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
    at_once: int = AT_ONCE,
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
        1 stays in this process and this thread. Others need joblib (extra ``distributed``): so many workers, or all
        that there are for -1, of the backend that ``joblib.parallel_config`` names: ``dask`` and ``ray`` are
        clusters. Unless one is named, they are processes, to which problems are sent in chunks; for a
        `ProblemBatch` whose method has a batch kernel they are threads, each with slices of the batch, because it
        decodes faster than scores travel.
    at_once : int
        The most problems in a chunk. Chunks take about 0.2 s; Ctrl-C loses those that are being worked on.

    Returns
    -------
    BatchResult
        Arrays of values, bounds and statuses; makes a `Result` when one is asked for, in this process (where every
        `Result` is wanted, `solve_stream` makes them in the workers). A problem that failed has stop ERROR and its
        message in ``errors``. Ctrl-C returns what is finished; the rest is missing.

    Raises
    ------
    InvalidProblem
        The input is no problem: of a batch, whose scores are looked at while they are decoded, one that holds NaN
        or plus infinity ends the whole call. The message names sentence and place.
    UnknownName, UnknownOption
        As in `solve`, also for an empty batch.
    SolveError
        A worker process was killed.
    """
    if isinstance(problems, Problem):
        raise InvalidProblem(f"solve_many() wants many problems, got one {type(problems).__name__}: use solve")
    check_limits(limits)
    check_jobs(jobs, at_once)
    check_seed(seed)
    batched = isinstance(problems, ProblemBatch)
    todo: Sequence[Problem[S]] = problems if isinstance(problems, ProblemBatch) else list(problems)
    plugins = load_plugins()
    if isinstance(problems, ProblemBatch) and not todo:
        plugins.registry.find_method(problems.problem_type, method).check(options, 1, ())
    wanted = Wanted(method, limits, seed, options)
    if todo and (batched or len({type(p) for p in todo}) == 1):
        chosen = choose_for(plugins, todo, method)
        if chosen.run_many is not None:
            chosen.check(options, 1, ())
            wanted = attrs.evolve(wanted, method=chosen.name, together=True)
    if jobs == 1:
        return wanted.solve_part(0, todo)
    parts: dict[int, BatchResult[S]] = {}
    with contextlib.suppress(KeyboardInterrupt):
        threads = batched and wanted.together
        for done in spread(wanted.send_part, todo, int(jobs), at_once, threads=threads):
            parts[done.start] = done.outcome
            if not done.outcome.reached:
                break
    return BatchResult.joined(parts, todo)


@attrs.frozen
class Wanted:
    """What many problems are asked; workers are sent it with each chunk.

    Parameters
    ----------
    method : str or None
    limits : Limits
    seed : int
    options : mapping
        As in `solve`.
    together : bool
        Whether `method` is one that solves many problems at once, and all have its type.
    """

    method: str | None
    limits: Limits
    seed: int
    options: Mapping[str, Any]
    together: bool = False

    def solve_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """Solve consecutive problems, the first of which is number `start` of all."""
        if self.together:
            chosen = choose_for(load_plugins(), problems, self.method)
            return self.run_many(chosen, problems, start)
        finished: list[Result[S] | SolveError] = []
        with contextlib.suppress(KeyboardInterrupt):
            for problem in problems:
                finished.append(self.solve_one(problem))
                if interrupted(finished[-1]):
                    break
        return BatchResult.from_results(finished, total=len(problems))

    def send_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """As `solve_part`; the problems, which the caller has, are not sent back."""
        return attrs.evolve(self.solve_part(start, problems), problems=())

    def run_many(
        self, chosen: Method, problems: Sequence[Problem[S]], start: int = 0, *, every_result: bool = False
    ) -> BatchResult[S]:
        """Solve problems by the batch method."""
        how = Solve(Budget(self.limits), 1, (), self.seed, chosen.name, start, every_result)
        assert chosen.run_many is not None
        batch: BatchResult[S] = chosen.run_many(problems, how, **self.options)
        return batch

    def solve_one(self, problem: Problem[S]) -> Result[S] | SolveError:
        """Solve one problem; a failure is an outcome like others."""
        try:
            return solve(problem, self.method, limits=self.limits, seed=self.seed, **self.options)
        except SolveError as error:
            return error


def interrupted(outcome: Result[S] | SolveError) -> bool:
    """Whether Ctrl-C came: a solve turns it into a result, and whoever pressed it meant all of them."""
    result = outcome.result if isinstance(outcome, SolveError) else outcome
    return result is not None and result.stop is Stop.INTERRUPTED


def check_jobs(jobs: Any, at_once: Any) -> None:
    """Refuse what is no number of workers, or of problems in a chunk."""
    if not isinstance(jobs, Integral) or isinstance(jobs, bool) or jobs == 0:
        raise UnknownOption(f"jobs is {jobs!r}, expected a number of processes, or -1 for one on each core")
    check_count("at_once", at_once)


def check_limits(limits: Any) -> None:
    """Refuse what is no `Limits`."""
    if not isinstance(limits, Limits):
        raise UnknownOption(f"limits is {limits!r}, expected gapless.Limits(...)")


def check_seed(seed: Any) -> None:
    """Raise `UnknownOption` unless `seed` is a whole number that every method can take."""
    check_count("seed", seed, 0)


def choose(plugins: Plugins, problem: Problem[Any], method: str | None) -> Method:
    """The named method, or the one for `problem`."""
    if method is None:
        method = plugins.hook.gapless_default_method(problem=problem)
    return plugins.registry.find_method(type(problem), method)


def choose_for(plugins: Plugins, problems: Sequence[Problem[Any]], method: str | None) -> Method:
    """As `choose`, for problems of one type; a batch that is told the method makes no problem for it."""
    if method is None or not isinstance(problems, ProblemBatch):
        return choose(plugins, problems[0], method)
    return plugins.registry.find_method(problems.problem_type, method)
