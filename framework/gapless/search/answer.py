"""The answer to a problem by the search: the best structure, the k best, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.errors import UnknownOption
from gapless.core.factors.blame import call_problem
from gapless.core.limits import Stop
from gapless.core.result import Result, Stats
from gapless.engine.frontier import ORDERS
from gapless.plugins.call import Solve
from gapless.search.driver import ASKED_FOR_NONE, Search, best, called
from gapless.search.k_best import k_best
from gapless.search.layout import Layout

S = TypeVar("S")


def answer(
    layout: Layout[S],
    solve: Solve,
    begin: Callable[..., Search[S]],
    *,
    certificate: bool,
    variant: str = "default",
    order: str = "best-first",
) -> Result[S]:
    """The best structure, or the k best, with the proof.

    `begin`: makes a search from a layout and the keywords of `Search` ``start``, ``keep_proof`` and ``told``.
    """
    if order not in ORDERS:
        raise UnknownOption(f"order is {order!r}, expected one of {', '.join(ORDERS)}")
    reasons = list(call_problem(layout.problem, layout.problem.infeasibility))
    if reasons:
        shown = layout.evenly() if certificate else NoCertificate(ASKED_FOR_NONE)
        if certificate and layout.backbone.nothing is not None and not _shows_it(shown, layout):
            shown = called(layout, layout.backbone.nothing)
        if certificate and not _shows_it(shown, layout):
            return _searched(best(layout, attrs.evolve(solve, k=1), begin, certificate=True), layout, reasons)
        return _nothing(layout, solve, reasons, shown)
    if solve.k > 1:
        return k_best(layout, solve, begin, certificate=certificate, variant=variant, order=order)
    return best(layout, solve, begin, certificate=certificate)


def _shows_it(evidence: Certificate, layout: Layout[Any]) -> bool:
    """Whether it proves that there is no structure."""
    verdict = evidence.verify(layout.problem)
    return bool(verdict) and verdict.bound == -math.inf


def _searched(found: Result[S], layout: Layout[S], reasons: list[str]) -> Result[S]:
    """No structure is left, as the problem says; a search was for the evidence, and Ctrl-C was for the search."""
    if found.stop is Stop.INTERRUPTED:
        return attrs.evolve(found, explanation=[*reasons, *found.explanation])
    evidence: Certificate = found.certificate
    if layout.problem.sense.turn(found.bound) > -math.inf:
        evidence = NoCertificate(f"the search for evidence ended early ({found.stop.value})")
    return Result.of(
        layout.problem,
        [],
        -math.inf,
        Stop.PROVED,
        certificate=evidence,
        method=found.method,
        stats=found.stats,
        trace=found.trace,
        explanation=reasons,
    )


def _nothing(layout: Layout[S], solve: Solve, reasons: list[str], evidence: Certificate) -> Result[S]:
    """No structure is left before any factor is asked; any multipliers show it."""
    budget = solve.budget
    budget.emit("start", -math.inf, -math.inf)
    budget.emit("stop", -math.inf, -math.inf)
    return Result.of(
        layout.problem,
        [],
        -math.inf,
        Stop.PROVED,
        certificate=evidence,
        method=solve.method,
        stats=Stats(
            seconds=budget.elapsed,
            parts_total=layout.parts,
            extra={"dp_calls": 0, "root_closed": True, "fixed": 0, "enumerated": 0},
        ),
        trace=budget.events,
        explanation=reasons,
    )
