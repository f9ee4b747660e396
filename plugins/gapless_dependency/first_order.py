"""The method ``first-order``: the best trees of a problem without factors, by one call of a tree kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import gapless_kernels
from gapless import BatchResult, InvalidProblem, Result, SolveError, Stop
from gapless.arrays.sparse import IntArray
from gapless.limits.events import Event
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveRequest, Stats
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.proofs.first_order import FirstOrderCertificate
from gapless_dependency.tree import DependencyTree


def run(problem: ParsingProblem, request: SolveRequest) -> Result[DependencyTree]:
    """Parse one sentence by Eisner's algorithm (projective) or Chu-Liu-Edmonds.

    Limits never stop it: it has no bound before it has the answer. Raises `InvalidProblem`: the problem has
    factors.
    """
    _refuse_factors(problem)
    if request.k == 1:
        value, heads = _best(problem)
        trees = [heads[1:]] if value > -math.inf else []
    else:
        search = gapless_kernels.eisner_k_best if problem.projective else gapless_kernels.arborescence_k_best
        values, ranked = search(problem.scores, request.k, problem.single_root)
        value, trees = float(values[0]) if values.size else -math.inf, [heads[1:] for heads in ranked]
    request.budget.emit("stop", value, value)
    return _result(problem, trees, value, request.method, request.budget.elapsed, request.budget.events)


def run_many(problems: Sequence[ParsingProblem], request: SolveRequest) -> BatchResult[DependencyTree]:
    """Parse many sentences; results are built on demand. Ctrl-C keeps the sentences that are finished.

    A sentence whose problem has factors fails alone. Returns BatchResult: with the arrays ``heads`` (all sentences
    one after another, -1 where there is no tree) and ``offsets``.
    """
    offsets = row_offsets(problem.length for problem in problems)
    heads = np.full(offsets[-1], -1, np.int64)
    values = np.full(len(problems), np.nan)
    errors: dict[int, SolveError] = {}
    try:
        for number, problem in enumerate(problems):
            try:
                _refuse_factors(problem)
            except InvalidProblem as error:
                errors[number] = SolveError(str(error))
                continue
            value, best = _best(problem)
            heads[offsets[number] : offsets[number + 1]] = best[1:]
            # Last: a row without a value counts as missing, so that Ctrl-C leaves none half written.
            values[number] = value
    except KeyboardInterrupt:
        request.budget.interrupt()

    def make(problems: Sequence[ParsingProblem], i: int) -> Result[DependencyTree]:
        trees = [heads[offsets[i] : offsets[i + 1]]] if values[i] > -np.inf else []
        return _result(problems[i], trees, float(values[i]), request.method)

    return BatchResult.from_rows(
        problems,
        values,
        values,
        {"heads": heads, "offsets": offsets},
        make,
        errors=errors,
        method=request.method,
        structure_of=lambda problem, row: problem.tree(row),
    )


def _best(problem: ParsingProblem) -> tuple[float, IntArray]:
    kernel = gapless_kernels.eisner if problem.projective else gapless_kernels.arborescence
    return kernel(problem.scores, problem.single_root)


def _refuse_factors(problem: ParsingProblem) -> None:
    if problem.factors:
        named = ", ".join(dict.fromkeys(factor.name for factor in problem.factors))
        raise InvalidProblem(
            f"method 'first-order' sums the scores of arcs only, and this problem has factors ({named}): "
            "use method='split-bound'"
        )


def _result(
    problem: ParsingProblem,
    trees: Sequence[IntArray],
    value: float,
    method: str,
    seconds: float = 0.0,
    trace: Sequence[Event] = (),
) -> Result[DependencyTree]:
    return Result.of(
        problem,
        [problem.tree(heads) for heads in trees],
        value,
        Stop.PROVED,
        certificate=FirstOrderCertificate(),
        method=method,
        stats=Stats(seconds=seconds, oracle_calls=1),
        trace=trace,
        explanation=() if trees else problem.infeasibility(),
    )
