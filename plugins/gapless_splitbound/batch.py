"""Many sentences by the compiled search; results are made when asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gapless import BatchResult, Budget, InvalidProblem, Limits, Result, Solve, SolveError, Status, Stop
from gapless.core.tolerance import meets
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound import fused, method

COUNTS = ("dp_calls", "nodes", "root_closed", "fixed", "enumerated", "parts_scored", "program")
"""What `BatchResult.arrays` counts for each sentence, where a method tells it."""


def run_many(
    problems: Sequence[ParsingProblem], solve: Solve, *, variant: str = "default", order: str = "best-first",
    backbone: str | None = None, heads_kept: int | None = None, certificate: bool = True,
) -> BatchResult[DependencyTree]:  # fmt: skip
    """Decode sentences one after another; Ctrl-C keeps what is finished.

    Options are those of `gapless_splitbound.method.run`. Without limits but time, no result is built before
    it is asked for where the compiled search takes the sentence: it is then solved again, with its certificate.
    `BatchResult.arrays` holds ``heads``, those of all sentences one after another (-1 where there is no tree), and
    ``offsets``, where each begins; and for each sentence those of `COUNTS`.
    """
    method.check_options(variant, order)
    options: dict[str, Any] = {
        "variant": variant,
        "order": order,
        "backbone": backbone,
        "heads_kept": heads_kept,
        "certificate": certificate,
    }

    def alone(problem: ParsingProblem, solve: Solve) -> Result[DependencyTree]:
        return method.run(problem, solve, **options)

    def begin(problem: ParsingProblem) -> fused.Search | None:
        if heads_kept is None and fused.fits(problem, solve, backbone or method.backbone_needed(problem)):
            return fused.Search(problem, variant, order, keep_proof=False)
        return None

    return decode_many(problems, solve, alone, begin)


def decode_many(
    problems: Sequence[ParsingProblem],
    solve: Solve,
    decode: Callable[[ParsingProblem, Solve], Result[DependencyTree]],
    begin: Callable[[ParsingProblem], fused.Search | None],
) -> BatchResult[DependencyTree]:
    """As `run_many`.

    Parameters
    ----------
    problems, solve
    decode : callable
        Solves one problem.
    begin : callable
        Makes a search without a proof for a problem; None where the compiled search cannot take it.
    """
    limits = solve.budget.limits
    seconds = math.inf if limits.time is None else limits.time
    if solve.every_result or limits != Limits(time=limits.time):
        return _one_by_one(problems, solve, decode)
    total = len(problems)
    offsets = np.concatenate([[0], np.cumsum([p.length for p in problems], dtype=np.int64)])
    heads = np.full(offsets[-1], -1, np.int64)
    values, bounds = np.full(total, np.nan), np.full(total, np.nan)
    statuses: list[Status | None] = [None] * total
    counts = {name: np.zeros(total, np.int64) for name in COUNTS}
    held: dict[int, Result[DependencyTree]] = {}
    errors: dict[int, SolveError] = {}

    def alone(problem: ParsingProblem) -> Result[DependencyTree]:
        return decode(problem, _fresh(solve))

    def take(i: int, result: Result[DependencyTree]) -> None:
        held[i] = result
        statuses[i], bounds[i] = result.status, result.bound
        if result.solutions:
            values[i], heads[offsets[i] : offsets[i + 1]] = result.value, result.best.heads
        for name, count in counts.items():
            count[i] = getattr(result.stats, name, result.stats.extra.get(name, 0))

    try:
        for i, problem in enumerate(problems):
            try:
                search = begin(problem)
                proved = search is not None and search.finish(seconds=seconds)
            except InvalidProblem as error:  # a factor's scores are seen here first
                errors[i], statuses[i] = SolveError(str(error)), Status.NO_SOLUTION
                continue
            except SolveError as error:
                errors[i] = error
                continue
            if search is None:
                try:
                    take(i, alone(problem))
                except SolveError as error:
                    errors[i] = error
                continue
            if search.kernel.rough or (proved and not meets(search.bound, search.value)):
                # Scores cancel: the status depends on what the record of the search proves.
                try:
                    take(i, alone(problem))
                except SolveError as error:
                    errors[i] = error
                continue
            told = {**search.extra, "nodes": search.kernel.nodes, "parts_scored": search.parts_scored}
            for name, count in counts.items():
                count[i] = told.get(name, 0)
            if search.value == -math.inf:
                statuses[i] = Status.INFEASIBLE if proved else Status.NO_SOLUTION
                bounds[i] = search.bound
                continue
            found = search.kernel.heads[1:]
            heads[offsets[i] : offsets[i + 1]] = found
            values[i] = search.value
            statuses[i] = Status.OPTIMAL if proved else Status.FEASIBLE
            bounds[i] = max(search.bound, search.value)
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def make(problems: Sequence[ParsingProblem], i: int) -> Result[DependencyTree]:
        if i in held:
            return held[i]
        if statuses[i] is None:
            return Result.of(problems[i], [], math.inf, Stop.INTERRUPTED, method=solve.method)
        return alone(problems[i])

    def structure(problems: Sequence[ParsingProblem], i: int) -> DependencyTree:
        if np.isnan(values[i]):
            return make(problems, i).best  # raises: there is none
        return problems[i].tree(heads[offsets[i] : offsets[i + 1]])

    return BatchResult(
        values, bounds, statuses, structure, make, errors, {"heads": heads, "offsets": offsets, **counts}, problems
    )


def _fresh(solve: Solve) -> Solve:
    return attrs.evolve(solve, budget=Budget(solve.budget.limits))


def _one_by_one(
    problems: Sequence[ParsingProblem],
    solve: Solve,
    decode: Callable[[ParsingProblem, Solve], Result[DependencyTree]],
) -> BatchResult[DependencyTree]:
    finished: list[Result[DependencyTree] | SolveError] = []
    try:
        for problem in problems:
            try:
                result = decode(problem, _fresh(solve))
            except SolveError as error:
                finished.append(error)
                continue
            finished.append(result)
            if result.stop is Stop.INTERRUPTED:
                break
    except KeyboardInterrupt:
        solve.budget.interrupt()
    return BatchResult.from_results(finished, total=len(problems))
