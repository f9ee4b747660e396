"""Decoding of many sentences into arrays; results are made on access."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gapless import BatchResult, InvalidProblem, Limits, Result, SolveError, Status
from gapless.arrays.tolerance import meets
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveBudget, SolveRequest
from gapless.search.driver import SearchDriver
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound import method
from gapless_splitbound.lazy_search import LazySearch
from gapless_splitbound.tree_search import TreeSearch

COUNTS = ("dp_calls", "nodes", "root_closed", "fixed", "enumerated", "scopes_scored", "program")
"""Names of the counts in `BatchResult.arrays`; 0 where a method does not count."""


def run_many(
    problems: Sequence[ParsingProblem],
    request: SolveRequest,
    *,
    variant: str = "default",
    order: str = "best-first",
    backbone: str | None = None,
    max_heads: int | None = None,
    lazy_scores: bool = False,
    certificate: bool = True,
) -> BatchResult[DependencyTree]:
    """Decode sentences one after another; Ctrl-C keeps what is finished.

    Options are those of `gapless_splitbound.method.run`. If time is the only limit, a result is made on first
    access, by solving the sentence again with its certificate. `BatchResult.arrays` holds ``heads``, those of all
    sentences one after another (-1 where there is no tree), and ``offsets``, where each begins; and for each
    sentence those of `COUNTS`.
    """
    driver: type[SearchDriver[DependencyTree]] = LazySearch if lazy_scores else SearchDriver
    search = TreeSearch(variant=variant, order=order, backbone=backbone, driver=driver)
    if max_heads is None:
        return decode_many(problems, request, search, certificate=certificate)

    def restricted(problem: ParsingProblem, request: SolveRequest) -> Result[DependencyTree]:
        return method.restricted(problem, request, max_heads, search, certificate=certificate)

    return decode_many(problems, request, search, certificate=certificate, decode=restricted)


def decode_many(
    problems: Sequence[ParsingProblem],
    request: SolveRequest,
    search: TreeSearch,
    *,
    certificate: bool,
    decode: Callable[[ParsingProblem, SolveRequest], Result[DependencyTree]] | None = None,
) -> BatchResult[DependencyTree]:
    """As `run_many`, but for any search over trees.

    `decode`: solves each sentence in place of `search`.
    """
    limits = request.budget.limits

    def single(problem: ParsingProblem) -> Result[DependencyTree]:
        single_request = attrs.evolve(request, budget=SolveBudget(limits))
        return (
            decode(problem, single_request)
            if decode
            else search.run(problem, single_request, certificate=certificate)
        )

    seconds = math.inf if limits.time is None else limits.time
    # If every result is requested, or limits may end searches, solving again for a result would gain nothing.
    if request.every_result or limits != Limits(time=limits.time):
        return BatchResult.one_by_one(problems, single, request.budget.interrupt)
    total = len(problems)
    offsets = row_offsets(problem.length for problem in problems)
    heads = np.full(offsets[-1], -1, np.int64)
    values, bounds = np.full((2, total), np.nan)
    proofs = np.zeros(total, bool)
    counts = {name: np.zeros(total, np.int64) for name in COUNTS}
    results: dict[int, Result[DependencyTree]] = {}
    errors: dict[int, SolveError] = {}

    def decode_row(i: int, problem: ParsingProblem) -> None:
        driver: SearchDriver[DependencyTree] | None = None
        if decode is None and not problem.infeasibility():
            layout = search.layout(problem)
            driver = search.driver(layout, **search.options(layout), keep_proof=False)
        proved = driver is not None and driver.finish(seconds=seconds)
        # The loss for -inf may be too small: then the status depends on what the record of the search proves.
        is_uncertain = driver is not None and driver.layout.forbids and driver.layout.floor == -math.inf
        if (
            driver is None
            or is_uncertain
            or driver.rounding_may_decide(driver.value)
            or (proved and not meets(driver.bound, driver.value))
        ):
            result = results[i] = single(problem)
            bound, proofs[i] = result.bound, result.status in (Status.OPTIMAL, Status.INFEASIBLE)
            if result.solutions:
                heads[offsets[i] : offsets[i + 1]], values[i] = result.best.heads, result.value
            stats = {name: getattr(result.stats, name, result.stats.extra.get(name, 0)) for name in COUNTS}
        else:
            bound, proofs[i] = max(driver.bound, driver.value), proved
            if driver.value > -math.inf:
                heads[offsets[i] : offsets[i + 1]] = problem.decisions.heads[driver.kernel.on]
                values[i] = driver.value
            stats = {**driver.extra, "nodes": driver.kernel.nodes, "scopes_scored": driver.layout.scopes_scored}
        for name, count in counts.items():
            count[i] = stats.get(name, 0)
        # Last: a row without a bound counts as missing, so that Ctrl-C leaves none half written.
        bounds[i] = bound

    try:
        for i, problem in enumerate(problems):
            try:
                decode_row(i, problem)
            except InvalidProblem as error:  # a factor's scores are first read here, not when the problem is made
                errors[i] = SolveError(str(error))
            except SolveError as error:
                errors[i] = error
    except KeyboardInterrupt:
        request.budget.interrupt()

    def make(problems: Sequence[ParsingProblem], i: int) -> Result[DependencyTree]:
        return results[i] if i in results else single(problems[i])

    return BatchResult.from_rows(
        problems,
        values,
        bounds,
        {"heads": heads, "offsets": offsets, **counts},
        make,
        proved=proofs,
        errors=errors,
        method=request.method,
        structure_of=lambda problem, row: problem.tree(row),
    )
