"""The two doors: `solve` for one problem, `solve_many` for a corpus."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.core.batch_result import BatchResult
from gapless.core.certificate import NoCertificate
from gapless.core.errors import FactorsNotCounted, InvalidProblem, SolveError, UnknownName, UnknownOption
from gapless.core.events import Observer
from gapless.core.given_array import given_sequence
from gapless.core.limits import NO_LIMITS, Budget, Limits, Stop
from gapless.core.problem import Problem
from gapless.core.problem_batch import ProblemBatch
from gapless.core.result import Result
from gapless.core.results.notebook import remember
from gapless.core.verified import verified
from gapless.parallel import AT_ONCE, spread
from gapless.plugins.call import Solve
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method, check_count

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
    verify: bool = False,
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
        Number of best structures.
    start : structure, optional
        A feasible structure to begin with; ``result.stats.warm_start_used`` says whether it was used.
    observers : sequence of callables
        Receive an `Event` for everything that happens.
    seed : int
        For methods that draw random numbers.
    trace : bool
        Keep the events in ``result.trace``.
    verify : bool
        Re-check the answer with `Result.verify` before it is given. Takes time of its own, which `limits` do not
        count; ``result.stats.extra["verify_seconds"]`` says how much.
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
    VerificationFailed
        With `verify`: the answer does not hold, or has no certificate. ``error.result`` holds its feasible
        structures without a bound, ``error.claimed`` the answer as it was, ``error.verdict`` what is wrong.
    """
    if not isinstance(problem, Problem):
        if isinstance(problem, ProblemBatch):
            raise InvalidProblem(f"solve() wants one problem, got {problem!r}: use solve_many")
        given = f"the class {problem.__name__}" if isinstance(problem, type) else type(problem).__name__
        raise InvalidProblem(f"solve() takes an instance of gapless.Problem, got {given}")
    check_call(method, limits, seed, verify)
    check_flag("trace", trace)
    watching = given_sequence(observers, "observers")
    for observer in watching:
        if not callable(observer):
            raise UnknownOption(f"observers holds {observer!r:.80}, expected functions of an Event")
    plugins = load_plugins()
    chosen = choose(plugins, problem, method)
    starts = () if start is None else (start,)
    chosen.check(options, k, starts)
    hooked = [o for o in told(plugins.hook.gapless_observers, problem=problem) if o is not None]
    budget = Budget(limits, observers=(*watching, *hooked), trace=trace, sense=problem.sense)
    result: Result[S] = chosen.run(problem, Solve(budget, k, starts, seed, chosen.name), **options)
    if result.wanted != k:
        result = attrs.evolve(result, wanted=k)
    if verify:
        result = verified(problem, result)
    remember(result, problem)
    told(plugins.hook.gapless_finished, problem=problem, result=result)
    return result


def told(hook: Any, **what: Any) -> Sequence[Any]:
    """The answers of those who implement a hook; mostly nobody does."""
    answers: Sequence[Any] = hook(**what) if hook.get_hookimpls() else ()
    return answers


def solve_many(
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
) -> BatchResult[S]:
    """Solve many problems; limits hold for each of them.

    Parameters
    ----------
    problems : iterable of Problem, or ProblemBatch
        A batch goes to the method's batch kernel as it is.
    method, limits, seed, **options
        As in `solve`.
    k : int
        Number of best structures of each problem; ``batch[i].solutions`` holds them. Batch kernels of chains find
        them for all sentences together, and keep them in ``batch.arrays``.
    jobs : int
        1 stays in this process and this thread. Others need joblib (extra ``distributed``): so many workers, or all
        that there are for -1, of the backend that ``joblib.parallel_config`` names: ``dask`` and ``ray`` are
        clusters. Unless one is named, they are processes, to which problems are sent in chunks; for a
        `ProblemBatch` whose method has a batch kernel they are threads, each with slices of the batch, because it
        decodes faster than scores travel.
    at_once : int
        The most problems in a chunk. Chunks take about 0.2 s; Ctrl-C loses those that are being worked on.
    verify : bool
        Re-check every answer, where it was found, before it is given. All results are then made, and kept. Those
        that fail have a `VerificationFailed` in ``errors``, and are not OPTIMAL.

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
    check_call(method, limits, seed, verify)
    check_jobs(jobs, at_once)
    check_k(k)
    batched = isinstance(problems, ProblemBatch)
    todo: Sequence[Problem[S]]
    todo = problems if isinstance(problems, ProblemBatch) else list(only_problems("solve_many", problems))
    plugins = load_plugins()
    if isinstance(problems, ProblemBatch) and not todo:
        plugins.registry.find_method(problems.problem_type, method).check(options, k, ())
    wanted = Wanted(method, limits, seed, options, k, verify=bool(verify))
    if todo and (batched or len({type(p) for p in todo}) == 1):
        chosen = _common(plugins, todo, method)
        if chosen is not None and chosen.solves_together(k):
            chosen.check(options, k, ())
            wanted = attrs.evolve(wanted, method=chosen.name, together=True)
    if jobs == 1:
        return attrs.evolve(wanted.solve_part(0, todo), problems=todo)
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
    """The request for many problems; sent to workers with each chunk.

    Parameters
    ----------
    k : int
        As in `solve`.
    together : bool
        Whether `method` is one that solves many problems at once, and all have its type.
    verify : bool
        Whether to re-check every answer.
    """

    method: str | None
    limits: Limits
    seed: int
    options: Mapping[str, Any]
    k: int = 1
    together: bool = False
    verify: bool = False

    def solve_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """Solve consecutive problems, the first of which is number `start` of all."""
        if self.together:
            chosen = choose_for(load_plugins(), problems, self.method)
            batch = self.run_many(chosen, problems, self.call(chosen, start, every_result=self.verify))
            return self._checked(batch, problems) if self.verify else batch
        return BatchResult.one_by_one(problems, self.solve_one)

    def send_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """As `solve_part`; the problems, which the caller has, are not sent back."""
        return attrs.evolve(self.solve_part(start, problems), problems=())

    def call(self, chosen: Method, start: int = 0, *, every_result: bool = False) -> Solve:
        """The call of the batch method."""
        return Solve(Budget(self.limits), self.k, (), self.seed, chosen.name, start, every_result)

    def run_many(self, chosen: Method, problems: Sequence[Problem[S]], how: Solve) -> BatchResult[S]:
        """Solve problems by the batch method."""
        assert chosen.run_many is not None
        batch: BatchResult[S] = chosen.run_many(problems, how, **self.options)
        return batch

    def solve_one(self, problem: Problem[S]) -> Result[S] | SolveError:
        """Solve one problem; a failure is an outcome like others."""
        try:
            return solve(
                problem,
                self.method,
                limits=self.limits,
                k=self.k,
                seed=self.seed,
                verify=self.verify,
                **self.options,
            )
        except FactorsNotCounted as error:  # the others may have none
            failed = SolveError(str(error))
            failed.result = Result.of(
                problem, [], math.inf, Stop.ERROR, certificate=NoCertificate(str(error)), method=self.method or ""
            )
            return failed
        except SolveError as error:
            return error

    def outcome_of(self, batch: BatchResult[S], i: int, problem: Problem[S]) -> Result[S] | SolveError:
        """Outcome of problem i of a batch, re-checked on request; raises Ctrl-C again where it came first."""
        if i in batch.errors:
            return batch.errors[i]
        if batch.statuses[i] is None:
            raise KeyboardInterrupt
        try:
            return verified(problem, batch[i]) if self.verify else batch[i]
        except SolveError as error:
            return error

    def _checked(self, batch: BatchResult[S], problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """The batch with what the check of each answer leaves of it."""
        checked = BatchResult.one_by_one(range(len(batch)), lambda i: self.outcome_of(batch, i, problems[i]))
        return attrs.evolve(checked, arrays=batch.arrays, problems=problems)


def only_problems(door: str, problems: Any) -> Iterator[Problem[Any]]:
    """The problems of an iterable, one by one.

    Raises `InvalidProblem`: it is none, which is said at once, or brings something else, which has its number.
    """
    try:
        given = iter(problems)
    except TypeError as error:
        said = f"{door}() wants problems, a list for instance, got {problems!r:.80}"
        raise InvalidProblem(said) from error
    return _checked_problems(door, given)


def _checked_problems(door: str, given: Iterator[Any]) -> Iterator[Problem[Any]]:
    for number, problem in enumerate(given):
        if not isinstance(problem, Problem):
            given_type = type(problem).__name__
            raise InvalidProblem(f"problem {number} of {door}() is no gapless.Problem, got {given_type}")
        yield problem


def check_call(method: Any, limits: Any, seed: Any, verify: Any) -> None:
    """Refuse what no door can take, whatever the method."""
    if method is not None and not isinstance(method, str):
        raise UnknownName(f"method is {method!r:.80}, expected the name of a method, or None for the default")
    check_limits(limits)
    check_seed(seed)
    check_flag("verify", verify)


def check_flag(name: str, value: Any) -> None:
    """Raise `UnknownOption` unless `value` is true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise UnknownOption(f"{name} is {value!r:.80}, expected True or False")


def check_jobs(jobs: Any, at_once: Any) -> None:
    """Refuse what is no number of workers, or of problems in a chunk."""
    if not isinstance(jobs, Integral) or isinstance(jobs, bool) or jobs == 0:
        raise UnknownOption(f"jobs is {jobs!r}, expected a number of processes, or -1 for one on each core")
    check_count("at_once", at_once)


def check_limits(limits: Any) -> None:
    """Refuse what is no `Limits`."""
    if not isinstance(limits, Limits):
        raise UnknownOption(f"limits is {limits!r}, expected gapless.Limits(...)")


def check_k(k: Any) -> None:
    """Raise `UnknownOption` unless `k` is a number of structures; "all of them" may be any large number."""
    check_count("k", k, below=math.inf)


def check_seed(seed: Any) -> None:
    """Raise `UnknownOption` unless `seed` is a whole number that every method can take."""
    check_count("seed", seed, 0)


def choose(plugins: Plugins, problem: Problem[Any], method: str | None) -> Method:
    """The named method, or the one for `problem`."""
    if method is None:
        method = plugins.hook.gapless_default_method(problem=problem)
    return plugins.registry.find_method(type(problem), method, factors=problem.factors)


def _common(plugins: Plugins, problems: Sequence[Problem[Any]], method: str | None) -> Method | None:
    """As `choose_for`; None where problems with factors and those without have no method in common."""
    try:
        if isinstance(problems, ProblemBatch):
            return choose_for(plugins, problems, method)
        kinds = {bool(getattr(problem, "factors", ())): [problem] for problem in reversed(problems)}
        first, *others = (choose_for(plugins, kind, method) for kind in kinds.values())
    except FactorsNotCounted:
        return None
    return first if all(other is first for other in others) else None


def choose_for(plugins: Plugins, problems: Sequence[Problem[Any]], method: str | None) -> Method:
    """As `choose`, for problems of one type; a batch that is told the method makes no problem for it."""
    if method is None or not isinstance(problems, ProblemBatch):
        return choose(plugins, problems[0], method)
    return plugins.registry.find_method(problems.problem_type, method)
