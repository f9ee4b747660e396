"""Many sentences by the compiled search; results are made when asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gapless import BatchResult, InvalidProblem, Limits, Result, SolveError, Status
from gapless.core.batch_result import row_offsets
from gapless.core.tolerance import meets
from gapless.roles import Budget, Solve
from gapless.search.driver import Search
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import backbone_needed
from gapless_splitbound import method
from gapless_splitbound.tree_layout import tree_layout
from gapless_splitbound.tree_search import possible

COUNTS = ("dp_calls", "nodes", "root_closed", "fixed", "enumerated", "parts_scored", "program")
"""Counts of `BatchResult.arrays` for each sentence, where a method has them."""


def run_many(
    problems: Sequence[ParsingProblem], solve: Solve, *, variant: str = "default", order: str = "best-first",
    backbone: str | None = None, heads_kept: int | None = None, certificate: bool = True,
) -> BatchResult[DependencyTree]:  # fmt: skip
    """Decode sentences one after another; Ctrl-C keeps what is finished.

    Options are those of `gapless_splitbound.method.run`. Without limits but time, no result is built before
    it is asked for where the search takes the sentence: it is then solved again, with its certificate.
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

    def begin(problem: ParsingProblem) -> Search[DependencyTree] | None:
        if heads_kept is not None or problem.infeasibility():
            return None
        layout = tree_layout(problem, backbone or backbone_needed(problem))
        able, ordered = possible(layout, variant, order)
        return Search(layout, variant=able, order=ordered, keep_proof=False)

    return decode_many(problems, solve, alone, begin)


def decode_many(
    problems: Sequence[ParsingProblem],
    solve: Solve,
    decode: Callable[[ParsingProblem, Solve], Result[DependencyTree]],
    begin: Callable[[ParsingProblem], Search[DependencyTree] | None],
) -> BatchResult[DependencyTree]:
    """As `run_many`.

    `begin`: makes a search without a proof for a problem; None where the search cannot take it.
    """
    limits = solve.budget.limits

    def alone(problem: ParsingProblem) -> Result[DependencyTree]:
        return decode(problem, attrs.evolve(solve, budget=Budget(limits)))

    seconds = math.inf if limits.time is None else limits.time
    if solve.every_result or limits != Limits(time=limits.time):
        return BatchResult.one_by_one(problems, alone, solve.budget.interrupt)
    total = len(problems)
    offsets = row_offsets(problem.length for problem in problems)
    heads = np.full(offsets[-1], -1, np.int64)
    values, bounds = np.full((2, total), np.nan)
    proofs = np.zeros(total, bool)
    counts = {name: np.zeros(total, np.int64) for name in COUNTS}
    held: dict[int, Result[DependencyTree]] = {}
    errors: dict[int, SolveError] = {}

    def take(i: int, problem: ParsingProblem) -> None:
        search = begin(problem)
        proved = search is not None and search.finish(seconds=seconds)
        # Where scores cancel, the status depends on what the record of the search proves.
        unsure = search is not None and search.layout.forbids and search.layout.floor == -math.inf
        if search is None or unsure or search.rough(search.value) or (proved and not meets(search.bound, search.value)):
            result = held[i] = alone(problem)
            bound, proofs[i] = result.bound, result.status in (Status.OPTIMAL, Status.INFEASIBLE)
            if result.solutions:
                heads[offsets[i] : offsets[i + 1]], values[i] = result.best.heads, result.value
            told = {name: getattr(result.stats, name, result.stats.extra.get(name, 0)) for name in COUNTS}
        else:
            bound, proofs[i] = max(search.bound, search.value), proved
            if search.value > -math.inf:
                heads[offsets[i] : offsets[i + 1]] = problem.decisions.heads[search.kernel.on]
                values[i] = search.value
            told = {**search.extra, "nodes": search.kernel.nodes, "parts_scored": search.layout.parts_scored}
        for name, count in counts.items():
            count[i] = told.get(name, 0)
        bounds[i] = bound

    try:
        for i, problem in enumerate(problems):
            try:
                take(i, problem)
            except InvalidProblem as error:  # a factor's scores are seen here first
                errors[i] = SolveError(str(error))
            except SolveError as error:
                errors[i] = error
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def make(problems: Sequence[ParsingProblem], i: int) -> Result[DependencyTree]:
        return held[i] if i in held else alone(problems[i])

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"heads": heads, "offsets": offsets, **counts},
        make,
        proved=proofs,
        errors=errors,
        method=solve.method,
        structure_of=lambda problem, row: problem.tree(row),
    )
