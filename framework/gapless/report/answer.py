"""Data of one answer for its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import attrs

from gapless.arrays.tolerance import score_tolerance
from gapless.certificates.certificate import Verdict
from gapless.errors import SolveError
from gapless.limits.events import Event
from gapless.limits.limits import Limits, Stop
from gapless.problems.problem import Problem
from gapless.report.charts import Chart, bounds_over_time, work_over_rounds
from gapless.report.gold_comparison import GoldComparison, compared
from gapless.report.page import TIME_DIGITS, number
from gapless.report.search_tree import TreeNode, search_tree
from gapless.report.structures import StructureView, drawn_structures
from gapless.results.record import Record
from gapless.results.result import Result, Status
from gapless.solving import solve
from gapless.svg import cut, tree_places

_LEAST_AGAIN = 60.0
"""Minimum time of a second solve in seconds; otherwise ten times that of the first."""
_LETTERS = 300
_LISTED = 200
"""Limit on the tree nodes described in words."""


@attrs.frozen
class AnswerView:
    """Data of one answer for display.

    Parameters
    ----------
    name, problem : str
    mark : str
        ``"good"`` (proved, the evidence holds), ``"fair"`` (a gap, or not checked) or ``"bad"`` (does not hold).
    headline, verdict : str
    facts : sequence of (str, value)
    notes : sequence of str
    structures : sequence of Drawn
    bounds, work : Chart or None
    traced, advice : str
        Origin of the events, or the reason why nothing is drawn of them; and what would store them.
    tree : str
        SVG; empty without a tree.
    tree_sentence : str
    nodes : sequence of Node
    compared : Compared
        Comparison of the best structure with the right one.
    """

    name: str
    problem: str
    mark: str
    headline: str
    verdict: str
    facts: Sequence[tuple[str, Any]]
    notes: Sequence[str]
    structures: Sequence[StructureView]
    bounds: Chart | None
    work: Chart | None
    traced: str
    advice: str
    tree: str
    tree_sentence: str
    nodes: Sequence[TreeNode]
    compared: GoldComparison


def answer_of(record: Record, verdict: Verdict | None, again: Mapping[str, Any] | None) -> AnswerView:
    """Gather the information on a record.

    `verdict`: None when not checked. `again`: options for a second solve by the method when the record has no
    events; None for no second solve.
    """
    result = record.result
    trace: Sequence[Event] = result.trace
    traced = advice = ""
    if not trace and again is None:
        advice = (
            "This record has no events; make the report with --solve-again to get them from a second solve. "
            "(gapless solve --trace keeps them at once.)"
        )
    elif not trace and again is not None:
        trace, traced = _solved_again(record, again)
    bounds = bounds_over_time(trace, result)
    if trace and bounds is None:
        few = len({event.time for event in trace}) < 2
        why = "reported no event between its start and its end" if few else "began with its last bound and value"
        traced += f" The search {why}: there is nothing to draw."
    nodes = search_tree(record, trace)
    several = len(nodes) > 1
    return AnswerView(
        record.name,
        cut(_in_words(record.problem), _LETTERS),
        _mark(result, verdict),
        _headline(result),
        _verdict_sentence(result, verdict),
        _facts(result),
        list(result.explanation),
        drawn_structures(record),
        bounds,
        work_over_rounds(trace),
        traced,
        advice,
        draw_tree(nodes) if several else "",
        _tree_sentence(result, nodes),
        nodes[:_LISTED] if several else (),
        compared(record),
    )


def _in_words(problem: Problem[Any]) -> str:
    """Describe type and size of a problem."""
    said = f"{type(problem).__name__}: {number(problem.decisions.count)} decisions"
    return f"{said}, {number(len(problem.factors))} factors" if len(problem.factors) else said


def _solved_again(record: Record, options: Mapping[str, Any]) -> tuple[Sequence[Event], str]:
    result = record.result
    limits = Limits(time=max(_LEAST_AGAIN, 10 * result.stats.seconds))
    method = result.method or None
    k = max(1, len(result.solutions))
    try:
        second = solve(record.problem, method, k=k, limits=limits, trace=True, **options)
    except SolveError as error:
        return (), f"A second solve for the events failed: {error}"
    given = ", ".join(f"{name}={value}" for name, value in options.items()) or "its default options"
    note = f"The events come from a second solve for this report: method {second.method}, {given}."
    if second.solutions and result.solutions and abs(second.value - result.value) > score_tolerance(result.value):
        note += f" It found the value {second.value:.12g}, the record holds {result.value:.12g}."
    return second.trace, note


def _mark(result: Result[Any], verdict: Verdict | None) -> str:
    if verdict is not None and not verdict:
        return "fair" if verdict.missing else "bad"
    return "good" if result.proved and verdict is not None else "fair"


def _headline(result: Result[Any]) -> str:
    said = {
        Status.OPTIMAL: "Optimal",
        Status.LIKELY_OPTIMAL: "Most likely optimal",
        Status.FEASIBLE: "An answer with a gap",
        Status.INFEASIBLE: "Nothing is feasible",
        Status.NO_SOLUTION: "No answer was found",
    }[result.status]
    if result.stop is not Stop.PROVED:
        return f"{said} ({result.stop.words})"
    return f"{said}: proved, {'with' if result.certified else 'no'} certificate"


def _verdict_sentence(result: Result[Any], verdict: Verdict | None) -> str:
    if not result.certified and (verdict is None or verdict.missing):
        values = "" if verdict is None or not result.solutions else " Feasibility and values hold, checked now."
        return f"There is only the claim of the method: {result.proof}.{values}"
    if verdict is None:
        return "The certificate was not checked for this report."
    if verdict:
        trusted = f"; {verdict.assumptions}" if verdict.assumptions else ""
        took = f" in {number(verdict.seconds, TIME_DIGITS)} s" if verdict.seconds else ""
        return f"The certificate holds, checked now{took}: {verdict.reason}{trusted}."
    return f"The check fails at {verdict.location}: {verdict.reason}."


def _facts(result: Result[Any]) -> list[tuple[str, Any]]:
    values: list[tuple[str, Any]] = [("value", result.value)] if result.solutions else []
    gap = [("gap", result.gap)] if result.solutions else []
    kind = result.certificate.kind
    facts = [
        *values,
        ("bound", result.bound),
        *gap,
        ("status", result.status.value),
        ("reason for stopping", result.stop.words),
        ("method", result.method),
        ("sense", result.sense.value),
        ("certificate", kind),
    ]
    stats = attrs.asdict(result.stats)
    extra = stats.pop("extra")
    extra = extra if isinstance(extra, Mapping) else {"extra": extra}  # a file may contain anything
    counts = {name.replace("_", " "): value for name, value in {**stats, **extra}.items()}
    return [*facts, *((name, value) for name, value in counts.items() if value not in (0, 0.0, False, None, ""))]


def _tree_sentence(result: Result[Any], nodes: Sequence[TreeNode]) -> str:
    if len(nodes) > 1:
        ends = [node.outcome for node in nodes]
        counts = [
            f"{ends.count(outcome)} {words}"
            for outcome, words in (
                ("branched", "branched"),
                ("closed", "closed because they cannot beat the best"),
                ("infeasible", "without a feasible structure"),
                ("open", "left open"),
            )
            if outcome in ends
        ]
        more = f" The first {SHOWN} are drawn." if len(nodes) > SHOWN else ""
        return f"{len(nodes)} nodes: {'; '.join(counts)}.{more}"
    if result.stats.nodes == 0 and not nodes:
        return "There was no branching, and so there is no search tree."
    if len(nodes) == 1 or result.stats.nodes <= 1:
        return "Closed at the root: no branching was needed." if result.proved else "The search did not branch."
    return (
        f"The search processed {result.stats.nodes} nodes or labels of its own kind and recorded no tree. "
        f"Its proof is in the certificate ({result.certificate.kind})."
    )


SHOWN = 1500
"""Limit on the nodes; of a larger tree the first levels are drawn."""
_ACROSS, _DOWN, _MARGIN, _RADIUS = 22.0, 54.0, 18.0, 7.0


def draw_tree(nodes: Sequence[TreeNode], *, titled: bool = False) -> str:
    """Draw one SVG element; the page colours it and shows the description of a node on hover, focus and touch.

    `titled`: each node has a title, for pages without a script.
    """
    shown = nodes[:SHOWN]
    middles, depths = tree_places([node.parent for node in shown], [_ACROSS] * len(shown))
    width = max(middles) + _ACROSS / 2 + 2 * _MARGIN
    height = max(depths) * _DOWN + 2 * _MARGIN + 2 * _RADIUS
    places = [
        (middle + _MARGIN, depth * _DOWN + _MARGIN + _RADIUS) for middle, depth in zip(middles, depths, strict=True)
    ]
    lines, circles = [], []
    for node, (x, y) in zip(shown, places, strict=True):
        if node.parent >= 0:
            a, b = places[node.parent]
            lines.append(f"M{a:.0f} {b:.0f}C{a:.0f} {b + 26:.0f} {x:.0f} {y - 26:.0f} {x:.0f} {y:.0f}")
        words = escape(f"node {node.number}: {node.words()}")
        circles.append(
            f'<circle class="{node.outcome}" cx="{x:.0f}" cy="{y:.0f}" r="{_RADIUS:.0f}" '
            + (
                f"><title>{words}</title></circle>"
                if titled
                else f'data-tip="{words}" tabindex="0" role="img" aria-label="{words}"/>'
            )
        )
    return (
        f'<svg class="tree" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="group" aria-label="search tree of {len(nodes)} nodes">'
        f'<path class="edge" d="{"".join(lines)}"/>{"".join(circles)}</svg>'
    )
