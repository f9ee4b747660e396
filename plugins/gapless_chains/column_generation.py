"""The method ``column-generation``: `price_and_cut` over label domains and a reduced-cost oracle."""

from __future__ import annotations

import math

import numpy as np

from gapless import Fixings, InconsistentBound, InvalidProblem, Limits, Result, Solve, SolveError, Stats, Stop
from gapless.core.sparse import IntArray
from gapless.core.tolerance import meets
from gapless.engine import price_and_cut
from gapless_chains.messages import DomainMessages
from gapless_chains.problem import ChainProblem
from gapless_chains.reduced_cost import ReducedCostOracle


def run(
    problem: ChainProblem,
    solve: Solve,
    *,
    first: str = "greedy",
    reduced_cost: str = "both",
    centred: bool = True,
    prune: bool = True,
    gap: float | None = None,
) -> Result[IntArray]:
    """Decode one chain by column generation.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4,
    by default with the reduced cost of both directions (eq. 12). Every round has an answer and a true bound, so any
    limit may end it: `gap` is the paper's termination by duality gap (section 5, appendix A.2).

    Parameters
    ----------
    first : {"greedy", "local"}
        First domains, see `DomainMessages`. A start structure joins them.
    reduced_cost : {"both", "alpha", "alpha+theta"}
        Eq. 12, 8 or 9, see `Formulation`.
    centred : bool
        Whether each label's mean transition scores are moved to the label first, which changes no labelling's score
        and makes the search faster by far; False is the paper's plain form.
    prune : bool
        Whether labels that eq. 14 rules out are kept from the oracle.
    gap : float, optional
        Stop once ``bound - value <= gap * max(1, |value|)``; the same as ``Limits(gap=...)``, and wins over it.

    Raises
    ------
    InvalidProblem
        The start structure is infeasible.
    SolveError
        See `price_and_cut`; ``error.result`` says that nothing is known. Also when scores cancel so far that
        float64 cannot close the gap; ``error.result`` then holds the answer and its bound.
    """
    budget = solve.budget
    limits = budget.limits
    enough_gap = limits.gap if gap is None else Limits(gap=gap).gap
    messages = DomainMessages(problem, first=first, reduced_cost=reduced_cost, centred=centred, prune=prune)
    oracle = ReducedCostOracle(problem, reduced_cost=reduced_cost, centred=centred)
    early: list[Stop] = []
    known = np.zeros(problem.unary.shape, bool)
    for structure in solve.start:
        broken = problem.violations(structure)
        if broken:
            raise InvalidProblem(f"start: the structure is infeasible: {broken[0]}")
        known.ravel()[problem.encode(structure)] = True

    def enough(bound: float, attained: float) -> bool:
        if limits.target is not None and attained >= limits.target:
            early.append(Stop.TARGET)
        elif enough_gap > 0 and meets(bound, attained, enough_gap):
            early.append(Stop.GAP)
        return bool(early)

    def stats() -> Stats:
        return Stats(
            seconds=budget.elapsed,
            iterations=budget.iterations,
            oracle_calls=oracle.calls,
            columns=messages.generated,
            parts_scored=oracle.candidates,
            warm_start_used=bool(solve.start),
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
            state=known if solve.start else None,
            enough=enough,
        )
    except SolveError as error:
        error.result = Result.of(problem, [], math.inf, Stop.ERROR, method=solve.method, stats=stats())
        raise
    infeasible = relaxed.bound == -math.inf
    stop = Stop.PROVED if infeasible else early[0] if early else budget.spent() or Stop.PROVED
    inexact = stop is Stop.PROVED and not meets(relaxed.bound, relaxed.attained)
    result = Result.of(
        problem,
        [] if relaxed.structure is None else [relaxed.structure],
        relaxed.bound,
        Stop.ERROR if inexact else stop,
        certificate=relaxed.certificate,
        method=solve.method,
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
