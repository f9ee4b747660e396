"""Charts of series over time or rounds: lines stretch with the page, labels do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import attrs

from gapless.arrays.tolerance import score_tolerance
from gapless.limits.events import Event
from gapless.report.page import TABLE_DIGITS, number
from gapless.results.result import Result

SECONDS, STEP = "seconds", "step"
_FEW = 20
"""Draw up to this many events over steps: over time, they would cluster at the end of an empty chart."""
_POINTS = 600
"""Limit on the points of a line; more would be invisible."""
_ROWS = 24
"""Limit on the rows of the table next to a chart."""
_EDGE = 4.0
"""Margin above and below the lines, in per cent of the height."""


@attrs.frozen
class ChartLine:
    """Line of a chart.

    Parameters
    ----------
    name, style : str
        Name of the quantity; CSS class for its colour.
    path : str
        SVG, in per cent of the chart.
    points : sequence of (float, float, float, float)
        Per cent across and down, then the plain numbers.
    """

    name: str
    style: str
    path: str
    points: Sequence[tuple[float, float, float, float]]


@attrs.frozen
class Chart:
    """Chart of several lines.

    Parameters
    ----------
    title, across : str
        Title, and label of the horizontal axis.
    x_ticks, y_ticks : sequence of (float, str)
        Position in per cent across or down, and label.
    rows : sequence of sequence of str
        The same data in numbers, thinned out.
    sentence : str
        Description of the chart in a sentence.
    """

    title: str
    across: str
    lines: Sequence[ChartLine]
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentence: str


Series = tuple[str, str, Sequence[tuple[float, float]]]
"""Name, style, and ordered points (x, y)."""


def bounds_over_time(trace: Sequence[Event], result: Result[Any]) -> Chart | None:
    """Draw the bound and the best known value over the time of a solve, or over its steps if these are few.

    None if there are fewer than two events, or neither number ever changes.

    The chart ends with the values of the result, because a method may prove them in its last step without an event.
    """
    sign = result.sense.sign
    if trace:
        value = sign * result.value if result.solutions else -math.inf
        end = Event.of_scores("stop", trace[-1].time, sign * result.bound, value, {}, result.sense)
        trace = [*trace, end]
    few, last = len(trace) <= _FEW, len(trace) - 1
    placed = [(float(min(step, last)) if few else event.time, event) for step, event in enumerate(trace, 1)]
    # After branching, rounds and steps report the bound of the current node, not of all open ones.
    branched = next((index for index, e in enumerate(trace) if e.kind == "branch"), len(trace))
    global_events = [
        event for index, event in enumerate(placed) if index < branched or event[1].kind not in ("round", "step")
    ]
    bound = _running([(x, e.sense.sign * e.bound) for x, e in global_events], sign, min)
    best = _running([(x, e.sense.sign * e.value) for x, e in placed], sign, max)
    begins = {points[0][0] for points in (bound, best) if points}
    if len(begins) < 2 and all(len({y for _, y in points}) < 2 for points in (bound, best)):
        return None
    series: list[Series] = [("bound", "bound", bound), ("best value", "value", best)]
    if few:
        before = min(begins) - 1  # events without any number, as those of a start
        series = [(name, style, [(x - before, y) for x, y in points]) for name, style, points in series]
        return chart("Bound and best value, step by step", STEP, series)
    return chart("Bound and best value over time", SECONDS, series)


def _running(points: Sequence[tuple[float, float]], sign: int, better: object) -> list[tuple[float, float]]:
    """Compute the best known number at each time, since events from parts of a search may be worse."""
    best: list[tuple[float, float]] = []
    choose = min if better is min else max
    for x, score in points:
        if math.isfinite(score):
            known = choose(score, sign * best[-1][1]) if best else score
            best.append((x, sign * known))
    return best


def work_over_rounds(trace: Sequence[Event]) -> Chart | None:
    """Draw columns, rows and other counts over the rounds of pricing, or free decisions over multiplier steps."""
    rounds = [event.details for event in trace if event.kind == "round"]
    counts: dict[str, list[tuple[float, float]]] = {}
    names = {"columns_found": "columns found", "rows_found": "rows found"}
    for number_, details in enumerate(rounds, 1):
        for key, name in names.items():
            if key in details:
                line = counts.setdefault(name, [])
                line.append((number_, details[key] + (line[-1][1] if line else 0.0)))
        for name in ("columns", "rows", "colorings"):
            if name in details:
                counts.setdefault(name, []).append((number_, details[name]))
    if rounds:
        series = [(name, f"count{index}", points) for index, (name, points) in enumerate(counts.items())]
        return chart("Columns and rows over the rounds", "round", series)
    steps = [event.details["free"] for event in trace if event.kind == "step" and "free" in event.details]
    line = [(float(step), float(free)) for step, free in enumerate(steps, 1)]
    return chart("Free decisions over multiplier steps", "step", [("free decisions", "count0", line)])


def chart(title: str, across: str, series: Sequence[Series]) -> Chart | None:
    """Draw a chart of some series; return None with fewer than two points."""
    drawn = [(name, style, _thinned(points)) for name, style, points in series if points]
    xs = [x for _, _, points in drawn for x, _ in points]
    ys = [y for _, _, points in drawn for _, y in points]
    if len(set(xs)) < 2:
        return None
    # Time starts with the solve. Values that differ by rounding only become one horizontal line.
    left, right, low, high = min(*xs, 0.0) if across == SECONDS else min(xs), max(xs), min(ys), max(ys)
    if high - low <= score_tolerance(high):
        low, high = low - 0.5, high + 0.5

    def xy(x: float, y: float) -> tuple[float, float]:
        down = (high - y) / (high - low) * (100 - 2 * _EDGE) + _EDGE
        return round(100 * (x - left) / (right - left), 2), round(down, 2)

    whole_x, whole_y = across != SECONDS, all(float(y).is_integer() for y in ys)
    lines = []
    for name, style, points in drawn:
        placed = [(*xy(x, y), float(f"{x:.8g}"), float(f"{y:.8g}")) for x, y in points]
        # A step line, because each number is valid until the next event improves it.
        steps = "".join(f"H{a:g}V{b:g}" for a, b, _, _ in placed[1:])
        end = "" if not points or points[-1][0] == right else "H100"
        lines.append(ChartLine(name, style, f"M{placed[0][0]:g} {placed[0][1]:g}{steps}{end}", placed))
    names = [name for name, _, _ in drawn]
    last = ", ".join(f"{name} {number(points[-1][1])}" for name, _, points in drawn)
    return Chart(
        title,
        across,
        lines,
        [(xy(x, low)[0], _tick(x, right - left, whole_x)) for x in round_numbers(left, right, whole=whole_x)],
        [(xy(left, y)[1], _tick(y, high - low, whole_y)) for y in round_numbers(low, high, whole=whole_y)],
        [across, *names],
        _table(drawn),
        f"{title}. At the end: {last}.",
    )


def _thinned(points: Sequence[tuple[float, float]], most: int = _POINTS) -> list[tuple[float, float]]:
    """Thin points to at most `most`, including the first and the last."""
    count = len(points)
    if count <= most:
        return list(points)
    return [points[i * (count - 1) // (most - 1)] for i in range(most)]


def _table(series: Sequence[tuple[str, str, Sequence[tuple[float, float]]]]) -> list[list[str]]:
    """Make a table of the lines at some of their positions."""
    places = sorted({x for _, _, points in series for x, _ in points})
    rows = []
    for x in sorted({places[i * (len(places) - 1) // (_ROWS - 1)] for i in range(_ROWS)}):
        known = ([y for at, y in points if at <= x] for _, _, points in series)
        rows.append([number(x, TABLE_DIGITS), *(number(ys[-1]) if ys else "" for ys in known)])
    return rows


def round_numbers(low: float, high: float, about: int = 4, *, whole: bool = False) -> list[float]:
    """List round numbers within a range, or only integers."""
    step = 10.0 ** math.floor(math.log10((high - low) / about))
    step *= next(times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= about)
    step = max(1.0, step) if whole else step
    first = math.ceil(low / step)
    return [step * multiple for multiple in range(first, math.floor(high / step) + 1)]


def _tick(value: float, span: float, whole: bool) -> str:
    """Write a label with the precision that the distance of labels needs."""
    if whole or abs(value) >= 1e7 or span < 1e-8:
        return number(value)
    digits = max(0, 1 - math.floor(math.log10(span)))
    return f"{value:,.{min(digits, 9)}f}".replace("-", "−")
