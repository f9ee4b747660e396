"""From a problem and a request to a result: the best structure, the k best, or the reasons why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import attrs

from gapless.arrays.tolerance import meets
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.errors import OracleError, UnknownOption
from gapless.factors.error_notes import call_problem
from gapless.limits.limits import Stop
from gapless.plugins.call import SolveRequest
from gapless.problems.backbone import Backbone
from gapless.problems.problem import Problem, check_start, score_of
from gapless.results.result import Result, Solution, Stats
from gapless.search.driver import SearchDriver, attach_result, name_role_errors
from gapless.search.k_best import KBestSearch
from gapless.search.layout import SearchInput
from gapless.tree_search.frontier import ORDERS
from gapless.tree_search.role_calls import call_role, encoded

S = TypeVar("S")
MakeDriver = Callable[..., SearchDriver[S]]

CERTIFICATE_OFF = "none was asked for (certificate=False)"
OUTGROWN = (
    "the record of the search outgrew its memory, so that its bound cannot be checked; "
    "a limit on nodes or time that ends it before gives a checkable, weaker bound"
)
INFEASIBLE = "every structure has a factor that forbids it"


def solve_problem(
    problem: Problem[S], request: SolveRequest, *, order: str = "best-first", certificate: bool = True
) -> Result[S]:
    """Find the best structure of any problem with a backbone, or the k best, and prove it.

    Parameters
    ----------
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    backbone = call_problem(problem, problem.backbone)
    if not isinstance(backbone, Backbone):
        raise OracleError(
            f"{type(problem).__name__}.backbone returned a {type(backbone).__name__}, expected a "
            "gapless.roles.Backbone: its maximiser, and a weight for each decision"
        )
    return solve(SearchInput(problem=problem, backbone=backbone), request, certificate=certificate, order=order)


def solve(
    layout: SearchInput[S],
    request: SolveRequest,
    driver: type[SearchDriver[S]] = SearchDriver,
    *,
    certificate: bool,
    variant: str = "default",
    order: str = "best-first",
) -> Result[S]:
    """Find the best structure, or the k best, and prove it.

    Parameters
    ----------
    layout : SearchInput
    request : SolveRequest
    driver : type of SearchDriver
        Runs the search for the best structure. The rest of a list of k takes a plain `SearchDriver`.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    variant, order : str
        As of `SearchDriver`.
    """
    if order not in ORDERS:
        raise UnknownOption(f"order is {order!r}, expected one of {', '.join(ORDERS)}")
    make = partial(driver, variant=variant, order=order)
    reasons = list(call_problem(layout.problem, layout.problem.infeasibility))
    if reasons:
        return _prove_infeasible(layout, request, reasons, make, certificate)
    if request.k > 1:
        find_best = partial(_find_best, layout, make=make, certificate=certificate)
        return KBestSearch(layout, request, find_best, partial(SearchDriver, variant=variant, order=order)).run()
    return _find_best(layout, request, make, certificate)


def _find_best(layout: SearchInput[S], request: SolveRequest, make: MakeDriver[S], certificate: bool) -> Result[S]:
    """Search, and search again with a larger loss for -inf if the first search met forbidden structures only."""
    result = _search(layout, request, make, certificate)
    if result.solutions or result.stop is not Stop.GAP:
        return result
    # A layout with lazily asked scores does not know which of them are -inf.
    complete = attrs.evolve(layout, lazily=False)
    if not complete.forbids or complete.floor > -math.inf:
        return result
    return _search(attrs.evolve(complete, harsh=True), request, make, certificate)


def _search(layout: SearchInput[S], request: SolveRequest, make: MakeDriver[S], certificate: bool) -> Result[S]:
    problem, budget = layout.problem, request.budget
    check_start(problem, request.start)
    candidates = request.start or _initial_structures(layout)
    start = max(candidates, key=lambda structure: score_of(problem, structure), default=None)
    on = None if start is None else encoded(problem, start)
    make = partial(make, layout, record_events=bool(budget.observers or budget.trace))
    with name_role_errors(layout):
        search = make(start=on, keep_proof=certificate)
    try:
        try:
            call_role(budget, budget.emit, "start", math.inf, search.value)
            stop = search.run(request)
            if stop is Stop.PROVED and not certificate and search.rounding_may_decide(search.exact):
                # Only the verifier can tell what is proved, and it needs a record, which was not kept.
                on = search.kernel.on if search.value > -math.inf else on
                search = make(start=on, keep_proof=True)
                stop = search.run(request)
        except KeyboardInterrupt:
            budget.interrupt()
            stop = Stop.INTERRUPTED
        # A node in progress may hold a better bound than the open nodes: evaluate it before bounds are read.
        with name_role_errors(layout):
            search.kernel.bound_current_node()
        call_role(budget, budget.emit, "stop", max(search.bound, search.value), search.value)
    except Exception as error:
        attach_result(error, partial(_result, search, request, Stop.ERROR, certificate))
        raise
    return _result(search, request, stop, certificate)


def _initial_structures(layout: SearchInput[S]) -> list[S]:
    """The structure that the backbone offers, unless a factor forbids it."""
    problem, backbone = layout.problem, layout.backbone
    if backbone.initial_structure is None:
        return []
    structure = call_problem(backbone, backbone.initial_structure)
    if structure is None or list(call_problem(problem, problem.violations, structure)):
        return []
    return [structure]


def _result(search: SearchDriver[S], request: SolveRequest, stop: Stop, certificate: bool) -> Result[S]:
    """The result as of now, with the bound that the certificate proves if that is another."""
    problem, budget, layout = search.problem, request.budget, search.layout
    if stop is not Stop.ERROR:
        search.kernel.bound_current_node()
    bound, structure = search.bound, search.structure
    exact = -math.inf if structure is None else score_of(problem, structure)
    structure = structure if exact > -math.inf else None
    if search.uses_python_maximiser and structure is not None:
        search.check_structure(structure)
    budget.nodes += int(search.kernel.nodes)
    rounding_may_decide = search.rounding_may_decide(exact)
    evidence: Certificate = NoCertificate(CERTIFICATE_OFF)
    if bound == math.inf:
        evidence = NoCertificate("nothing was bounded yet")
    elif search.kernel.proof_dropped and not rounding_may_decide:
        evidence = NoCertificate(OUTGROWN)
    elif certificate or rounding_may_decide:
        evidence, bound = _proof(search, bound, exact, rounding_may_decide)
    explanation = [INFEASIBLE] if bound == -math.inf else []
    if not certificate:
        evidence = NoCertificate(CERTIFICATE_OFF)
    elif evidence == NoCertificate(OUTGROWN):
        explanation.append(OUTGROWN)
    if structure is not None:
        bound_of_sums = search.with_rounding_error(bound, exact)
        bound = bound if rounding_may_decide else bound_of_sums  # the verifier's bound includes rounding
    if stop is Stop.PROVED and not meets(bound, exact):
        # The scores are so much larger than their sum that float64 cannot close the rest of the gap.
        stop = Stop.GAP
        explanation = [f"all was ruled out or scored, but for what float64 rounds away: {bound - exact:.3g}"]
    return Result.of(
        problem,
        [] if structure is None else [Solution(structure, problem.sense.turn(exact))],
        max(bound, exact),
        stop,
        certificate=evidence,
        method=request.method,
        stats=Stats(
            seconds=budget.elapsed,
            nodes=int(search.kernel.nodes),
            iterations=int(search.kernel.steps),
            oracle_calls=int(search.kernel.dp_calls),
            scopes_scored=layout.scopes_scored,
            scopes_added=search.added,
            scopes_total=layout.scopes_total,
            warm_start_used=bool(request.start),
            extra=search.extra,
        ),
        trace=budget.events,
        explanation=explanation,
    )


def _proof(
    search: SearchDriver[Any], bound: float, value: float, rounding_may_decide: bool
) -> tuple[Certificate, float]:
    """The certificate, and the bound that it proves; it is verified here only where rounding may decide."""
    try:
        evidence = search.certificate()
    except MemoryError:
        return NoCertificate("there was no memory to write the record of the search"), bound
    if not (rounding_may_decide or search.kernel.proof_dropped):
        return evidence, bound
    verdict = evidence.verify(search.problem)
    if not verdict:
        return NoCertificate(f"the record of the search proves nothing: {verdict.reason}"), math.inf
    return evidence, max(float(verdict.bound), value)


def _prove_infeasible(
    layout: SearchInput[S], request: SolveRequest, reasons: list[str], make: MakeDriver[S], certificate: bool
) -> Result[S]:
    """The result of a problem that knows itself to be infeasible, with evidence from the cheapest source.

    Multipliers may show it without a search, or the backbone may have a certificate; else a search has to.
    """
    budget = request.budget
    result: Result[S] | None = None
    evidence: Certificate = NoCertificate(CERTIFICATE_OFF)
    if certificate:
        evidence = layout.evenly()
        if layout.backbone.infeasibility_certificate is not None and not _proves_infeasible(evidence, layout):
            with name_role_errors(layout):
                evidence = cast(Certificate, layout.backbone.infeasibility_certificate())
        if not _proves_infeasible(evidence, layout):
            result = _find_best(layout, attrs.evolve(request, k=1), make, certificate=True)
    if result is None:
        budget.emit("start", -math.inf, -math.inf)
        budget.emit("stop", -math.inf, -math.inf)
        extra = {"dp_calls": 0, "root_closed": True, "fixed": 0, "enumerated": 0}
        stats = Stats(seconds=budget.elapsed, scopes_total=layout.scopes_total, extra=extra)
    elif result.stop is Stop.INTERRUPTED:
        return attrs.evolve(result, explanation=[*reasons, *result.explanation])
    else:
        stats, evidence = result.stats, result.certificate
        if layout.problem.sense.turn(result.bound) > -math.inf:
            evidence = NoCertificate(f"the search for evidence ended early ({result.stop.value})")
    # PROVED also if that search ended early: the problem itself says that there is no structure.
    return Result.of(
        layout.problem,
        [],
        -math.inf,
        Stop.PROVED,
        certificate=evidence,
        method=request.method,
        stats=stats,
        trace=budget.events,
        explanation=reasons,
    )


def _proves_infeasible(evidence: Certificate, layout: SearchInput[Any]) -> bool:
    verdict = evidence.verify(layout.problem)
    return bool(verdict) and verdict.bound == -math.inf
