"""Entry points `solve` for one problem and `solve_many` for a corpus."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.arrays.array_input import given_sequence
from gapless.certificates.certificate import NoCertificate
from gapless.errors import FactorsNotSupported, InvalidProblem, SolveError, UnknownName, UnknownOption
from gapless.limits.events import Observer
from gapless.limits.limits import NO_LIMITS, Limits, SolveBudget, Stop
from gapless.notebook import remember
from gapless.parallel import CHUNK_SIZE, map_chunks
from gapless.plugins.call import SolveRequest
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method, check_count
from gapless.problems.problem import Problem
from gapless.problems.problem_batch import ProblemBatch
from gapless.results.batch_result import BatchResult
from gapless.results.result import Result
from gapless.results.verification import require_verified

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
        Limits at which to stop early.
    k : int
        Number of best structures.
    start : structure, optional
        A feasible structure to start from; ``result.stats.warm_start_used`` is True if it was used.
    observers : sequence of callables
        Called with each `Event` of the search.
    seed : int
        Seed of methods that use random numbers.
    trace : bool
        If True, store the events in ``result.trace``.
    verify : bool
        If True, check the answer with `Result.verify` before returning it. `limits` do not include that time;
        ``result.stats.extra["verify_seconds"]`` states it.
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
        structures without a bound, ``error.claimed`` the original answer, ``error.verdict`` the fault.
    """
    if not isinstance(problem, Problem):
        if isinstance(problem, ProblemBatch):
            raise InvalidProblem(f"solve() wants one problem, got {problem!r}: use solve_many")
        noun = f"the class {problem.__name__}" if isinstance(problem, type) else type(problem).__name__
        raise InvalidProblem(f"solve() takes an instance of gapless.Problem, got {noun}")
    check_call(method, limits, seed, verify)
    check_flag("trace", trace)
    user_observers = given_sequence(observers, "observers")
    for observer in user_observers:
        if not callable(observer):
            raise UnknownOption(f"observers holds {observer!r:.80}, expected functions of an Event")
    plugins = load_plugins()
    selected = choose(plugins, problem, method)
    starts = () if start is None else (start,)
    selected.check(options, k, starts)
    hooked = [o for o in hook_results(plugins.hook.gapless_observers, problem=problem) if o is not None]
    budget = SolveBudget(limits, observers=(*user_observers, *hooked), trace=trace, sense=problem.sense)
    request = SolveRequest(budget, k, starts, seed, selected.name)
    result: Result[S] = selected.run(problem, request, **options)
    # Not every method states it, and `Result.of` then records 1.
    if result.requested_k != k:
        result = attrs.evolve(result, requested_k=k)
    if verify:
        result = require_verified(problem, result)
    remember(result, problem)
    hook_results(plugins.hook.gapless_finished, problem=problem, result=result)
    return result


def hook_results(hook: Any, **arguments: Any) -> Sequence[Any]:
    """Call all implementations of a hook and return their results."""
    # Usually there is none, and pluggy's call costs more than this test.
    results: Sequence[Any] = hook(**arguments) if hook.get_hookimpls() else ()
    return results


def solve_many(
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
) -> BatchResult[S]:
    """Solve many problems; limits apply to each of them.

    Parameters
    ----------
    problems : iterable of Problem, or ProblemBatch
        A batch is passed to the method's batch kernel unchanged.
    method, limits, seed, **options
        As in `solve`.
    k : int
        Number of best structures of each problem; ``batch[i].solutions`` holds them. Batch kernels of chains
        compute them for all sentences together, and store them in ``batch.arrays``.
    jobs : int
        Number of workers; 1 solves in this thread, -1 uses all workers. Others than 1 need joblib (extra
        ``distributed``), whose ``joblib.parallel_config`` names the backend; ``dask`` and ``ray`` are clusters.
        By default workers are processes, to which problems are sent in chunks; for a `ProblemBatch` whose method
        has a batch kernel they are threads with slices of the batch: decoding takes less time than sending.
    chunk_size : int
        Limit on the problems in a chunk. Chunks take about 0.2 s; Ctrl-C loses the unfinished ones.
    verify : bool
        If True, check every answer in the worker that found it. All results are then built, and stored. An answer
        that fails has a `VerificationFailed` in ``errors``, and is not OPTIMAL.

    Returns
    -------
    BatchResult
        Arrays of values, bounds and statuses; builds a `Result` on access, in this process (if every `Result` is
        needed, `solve_stream` builds them in the workers). A problem that failed has stop ERROR and its message in
        ``errors``. After Ctrl-C the unfinished problems have no result.

    Raises
    ------
    InvalidProblem
        The input is not a problem. Scores of a batch are checked while they are decoded, so that NaN or plus
        infinity in one problem ends the whole call; the message names sentence and position.
    UnknownName, UnknownOption
        As in `solve`, also for an empty batch.
    SolveError
        A worker process was killed.
    """
    if isinstance(problems, Problem):
        raise InvalidProblem(f"solve_many() wants many problems, got one {type(problems).__name__}: use solve")
    check_call(method, limits, seed, verify)
    check_many(jobs, chunk_size, k)
    batched = isinstance(problems, ProblemBatch)
    todo: Sequence[Problem[S]]
    todo = problems if isinstance(problems, ProblemBatch) else list(only_problems("solve_many", problems))
    plugins = load_plugins()
    if isinstance(problems, ProblemBatch) and not todo:
        plugins.registry.find_method(problems.problem_type, method).check(options, k, ())
    request = BatchRequest(method, limits, seed, options, k, verify=bool(verify))
    if todo and (batched or len({type(p) for p in todo}) == 1):
        selected = _common(plugins, todo, method)
        if selected is not None and selected.has_batch_kernel_for(k):
            selected.check(options, k, ())
            request = attrs.evolve(request, method=selected.name, uses_batch_kernel=True)
    if jobs == 1:
        return attrs.evolve(request.solve_part(0, todo), problems=todo)
    parts: dict[int, BatchResult[S]] = {}
    # After Ctrl-C the finished chunks are the answer.
    with contextlib.suppress(KeyboardInterrupt):
        # Kernels hold no interpreter lock, and decoding takes less time than sending (decision 014).
        threads = batched and request.uses_batch_kernel
        for done in map_chunks(request.send_part, todo, int(jobs), chunk_size, threads=threads):
            parts[done.start] = done.outcome
            if not done.outcome.is_complete:
                break
    return BatchResult.joined(parts, todo)


@attrs.frozen
class BatchRequest:
    """Request for many problems, sent to workers with each chunk.

    Parameters
    ----------
    k : int
        As in `solve`.
    uses_batch_kernel : bool
        Whether `method` solves many problems at once, and all have its type.
    verify : bool
        Whether to check every answer.
    """

    method: str | None
    limits: Limits
    seed: int
    options: Mapping[str, Any]
    k: int = 1
    uses_batch_kernel: bool = False
    verify: bool = False

    def solve_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """Solve consecutive problems, of which the first has number `start`."""
        if self.uses_batch_kernel:
            method = choose_for(load_plugins(), problems, self.method)
            batch = self.run_many(method, problems, self.call(method, start, every_result=self.verify))
            return self._checked(batch, problems) if self.verify else batch
        return BatchResult.one_by_one(problems, self.solve_one)

    def send_part(self, start: int, problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """As `solve_part`, but do not send the problems back, which the caller has (decision 014)."""
        return attrs.evolve(self.solve_part(start, problems), problems=())

    def call(self, method: Method, start: int = 0, *, every_result: bool = False) -> SolveRequest:
        """Make the request to a batch method."""
        return SolveRequest(SolveBudget(self.limits), self.k, (), self.seed, method.name, start, every_result)

    def run_many(self, method: Method, problems: Sequence[Problem[S]], request: SolveRequest) -> BatchResult[S]:
        """Solve problems by a batch method."""
        assert method.run_many is not None
        batch: BatchResult[S] = method.run_many(problems, request, **self.options)
        return batch

    def solve_one(self, problem: Problem[S]) -> Result[S] | SolveError:
        """Solve one problem; return the error of a role instead of raising it."""
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
        except FactorsNotSupported as error:  # the other problems may have none, so this is no error of the call
            failed = SolveError(str(error))
            failed.result = Result.of(
                problem, [], math.inf, Stop.ERROR, certificate=NoCertificate(str(error)), method=self.method or ""
            )
            return failed
        except SolveError as error:
            return error

    def outcome_of(self, batch: BatchResult[S], i: int, problem: Problem[S]) -> Result[S] | SolveError:
        """Return the outcome of problem i, verified on request; without one raise `KeyboardInterrupt`."""
        if i in batch.errors:
            return batch.errors[i]
        if batch.statuses[i] is None:
            raise KeyboardInterrupt
        try:
            return require_verified(problem, batch[i]) if self.verify else batch[i]
        except SolveError as error:
            return error

    def _checked(self, batch: BatchResult[S], problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """Replace the results of a batch by their verified outcomes."""
        checked = BatchResult.one_by_one(range(len(batch)), lambda i: self.outcome_of(batch, i, problems[i]))
        return attrs.evolve(checked, arrays=batch.arrays, problems=problems)


def only_problems(door: str, problems: Any) -> Iterator[Problem[Any]]:
    """Yield the problems of an iterable.

    Raises `InvalidProblem`: at once if it is no iterable, and with its number if an item is no problem.
    """
    # Not in the generator, which would raise only when its first item is taken.
    try:
        items = iter(problems)
    except TypeError as error:
        message = f"{door}() wants problems, a list for instance, got {problems!r:.80}"
        raise InvalidProblem(message) from error
    return _checked_problems(door, items)


def _checked_problems(door: str, items: Iterator[Any]) -> Iterator[Problem[Any]]:
    for number, problem in enumerate(items):
        if not isinstance(problem, Problem):
            kind = type(problem).__name__
            raise InvalidProblem(f"problem {number} of {door}() is no gapless.Problem, got {kind}")
        yield problem


def check_call(method: Any, limits: Any, seed: Any, verify: Any) -> None:
    """Check the arguments that do not depend on the method."""
    if method is not None and not isinstance(method, str):
        raise UnknownName(f"method is {method!r:.80}, expected the name of a method, or None for the default")
    if not isinstance(limits, Limits):
        raise UnknownOption(f"limits is {limits!r}, expected gapless.Limits(...)")
    check_count("seed", seed, 0)
    check_flag("verify", verify)


def check_flag(name: str, value: Any) -> None:
    """Raise `UnknownOption` unless `value` is true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise UnknownOption(f"{name} is {value!r:.80}, expected True or False")


def check_many(jobs: Any, chunk_size: Any, k: Any) -> None:
    """Check a number of workers, of problems in a chunk, and of best structures."""
    if not isinstance(jobs, Integral) or isinstance(jobs, bool) or jobs == 0:
        raise UnknownOption(f"jobs is {jobs!r}, expected a number of processes, or -1 for one on each core")
    check_count("chunk_size", chunk_size)
    check_count("k", k, below=math.inf)  # "all of them" may be any large number


def choose(plugins: Plugins, problem: Problem[Any], method: str | None) -> Method:
    """Select the named method, or the default one for `problem`."""
    if method is None:
        method = plugins.hook.gapless_default_method(problem=problem)
    return plugins.registry.find_method(type(problem), method, factors=problem.factors)


def _common(plugins: Plugins, problems: Sequence[Problem[Any]], method: str | None) -> Method | None:
    """As `choose_for`, but return None if problems with and without factors have no method in common."""
    try:
        if isinstance(problems, ProblemBatch):
            return choose_for(plugins, problems, method)
        # One problem of each kind: `find_method` reads only the type, and whether there are factors.
        kinds = {bool(getattr(problem, "factors", ())): [problem] for problem in reversed(problems)}
        first, *others = (choose_for(plugins, kind, method) for kind in kinds.values())
    except FactorsNotSupported:
        return None
    return first if all(other is first for other in others) else None


def choose_for(plugins: Plugins, problems: Sequence[Problem[Any]], method: str | None) -> Method:
    """As `choose`, but for problems of one type; a batch with a named method builds no problem for the choice."""
    if method is None or not isinstance(problems, ProblemBatch):
        return choose(plugins, problems[0], method)
    return plugins.registry.find_method(problems.problem_type, method)
