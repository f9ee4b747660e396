"""Column generation over label domains: from a relaxation and its oracle to a result, for chains and trees."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless import Result, SolveError, Stop
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import meets
from gapless.column_generation import price_and_cut
from gapless.problems.problem import check_start
from gapless.roles import Fixings, InconsistentBound, SolveRequest, Stats
from gapless_chains.column_generation.edge_pricing import LabelPricing
from gapless_chains.column_generation.label_domains import LabelDomains, V
from gapless_chains.node_labelling import NodeLabelling


def generate_labels(
    problem: NodeLabelling,
    request: SolveRequest,
    messages: LabelDomains[V],
    oracle: LabelPricing[V],
    *,
    gap: float | None = None,
) -> Result[IntArray]:
    """Run `price_and_cut` until the pricing gap closes or a limit, a gap or a target ends it.

    Raises `InvalidProblem`: the start structure is infeasible. `SolveError`: see `price_and_cut`; ``error.result``
    says that nothing is known. Also when scores cancel so far that float64 cannot close the gap; ``error.result``
    then holds the answer and its bound. `request`: a start structure joins the first domains. `gap`: wins over the
    gap of the limits.
    """
    budget = request.budget
    limits = budget.limits if gap is None else attrs.evolve(budget.limits, relative_gap=gap)
    early: list[Stop] = []
    first_domains = np.zeros(problem.unary.shape, bool)
    check_start(problem, request.start)
    for structure in request.start:
        first_domains.ravel()[problem.encode(structure)] = True

    def enough(bound: float, attained: float) -> bool:
        if limits.target is not None and attained >= limits.target:
            early.append(Stop.TARGET)
        elif limits.relative_gap > 0 and meets(bound, attained, limits.relative_gap):
            early.append(Stop.GAP)
        return bool(early)

    def stats() -> Stats:
        return Stats(
            seconds=budget.elapsed,
            iterations=budget.iterations,
            oracle_calls=oracle.calls,
            columns=messages.generated,
            scopes_scored=oracle.candidates,
            warm_start_used=bool(request.start),
            extra={
                "mean_domain_size": messages.generated / problem.positions,
                "oracle_candidates": oracle.candidates,
            },
        )

    try:
        relaxed = price_and_cut(
            messages,
            [oracle],
            problem.decisions,
            Fixings.none(problem.decisions.count),
            budget,
            state=first_domains if request.start else None,
            enough=enough,
        )
    except SolveError as error:
        error.result = Result.of(problem, [], math.inf, Stop.ERROR, method=request.method, stats=stats())
        raise
    infeasible = relaxed.bound == -math.inf
    stop = Stop.PROVED if infeasible else early[0] if early else budget.stop_reason() or Stop.PROVED
    # No label is missing, and yet bound and value differ: float64 lost the digits of scores that cancel.
    inexact = stop is Stop.PROVED and not meets(relaxed.bound, relaxed.primal_value)
    result = Result.of(
        problem,
        [] if relaxed.structure is None else [relaxed.structure],
        relaxed.bound,
        Stop.ERROR if inexact else stop,
        certificate=relaxed.certificate,
        method=request.method,
        stats=stats(),
        trace=budget.events,
        explanation=problem.infeasibility() if infeasible else (),
    )
    if inexact:
        failure = InconsistentBound(
            f"float64 cannot prove {result.value:.12g} beside scores this large: "
            f"the bound stays at {result.bound:.12g}"
        )
        failure.result = result
        raise failure
    return result
