"""Plots of dots and bars over all answers of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

import attrs

from gapless.report.charts import round_numbers
from gapless.report.listing import Row, distinct_answers
from gapless.report.page import TIME_DIGITS, number

_GRID = 400
"""Cells per side of the grid on which dots are placed, so that coinciding ones are drawn once."""
_EDGE = 3.0
"""Margin around the dots in per cent."""
_BINS = 10
_FEWEST = 10
"""Minimum number of answers in a bin of margins."""
_COLOURS = 3
"""Limit on the files with colours of their own; more are drawn in one colour."""


@attrs.frozen
class Plot:
    """Plot whose lines stretch with the page, and whose labels do not.

    Parameters
    ----------
    title, across, up : str
        Title, and labels of the axes.
    marks : sequence of (str, str)
        CSS class and path, in per cent of the plot.
    x_ticks, y_ticks : sequence of (float, str)
        Position in per cent across or down, and label.
    columns, rows : sequence
        The same data in numbers, thinned out.
    sentence : str
        Description of the plot in a sentence.
    key : sequence of (str, str)
        CSS class and name of each colour, where there are several.
    """

    title: str
    across: str
    up: str
    marks: Sequence[tuple[str, str]]
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentence: str
    key: Sequence[tuple[str, str]] = ()


def plots_of(rows: Sequence[Row]) -> list[Plot]:
    """Draw every plot for which the answers have data."""
    gaps = [row.gap for row in rows if row.gap is not None]
    drawn = (
        time_against_length(rows),
        histogram("Gaps", "gap", gaps),
        histogram("Nodes of the search", "nodes", [row.nodes for row in rows]),
        reliability(distinct_answers(rows)),
    )
    return [plot for plot in drawn if plot is not None]


def time_against_length(rows: Sequence[Row]) -> Plot | None:
    """Draw seconds against size, both on logarithmic axes, each file in a colour; None with fewer than two sizes.

    A file whose answers all took the same time is left out: that is the mean of a batch, which says nothing about
    lengths.
    """
    timed: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.size > 0 and row.seconds > 0:
            timed.setdefault(row.file, []).append((float(row.size), row.seconds))
    # Answers of one batch share their seconds, which says nothing about sizes.
    timed = {file: times for file, times in timed.items() if len({seconds for _, seconds in times}) > 1}
    points = [point for times in timed.values() for point in times]
    if len({x for x, _ in points}) < 2:
        return None
    x, y = _Log([x for x, _ in points]), _Log([y for _, y in points])
    coloured = list(timed.items()) if 1 < len(timed) <= _COLOURS else [("", points)]
    marks = []
    for colour, (_, times) in enumerate(coloured):
        places = sorted({(round(x(a) * _GRID), round(y(b) * _GRID)) for a, b in times})
        dots = "".join(f"M{_down(a / _GRID)} {_down(1 - b / _GRID)}h0" for a, b in places)
        marks.append((f"dots count{colour}", dots))
    of = f" by {', '.join(timed)}" if any(timed) else ""
    least, most = (number(extreme(b for _, b in points), TIME_DIGITS) for extreme in (min, max))
    what = "words" if any(row.compared.tokens for row in rows) else "decisions"
    groups: dict[int, list[float]] = {}
    for size, seconds in points:
        groups.setdefault(math.floor(4 * math.log2(size)), []).append(seconds)
    table = [
        [
            _range(2 ** (group / 4), 2 ** ((group + 1) / 4)),
            number(len(seconds)),
            number(median(seconds), TIME_DIGITS),
            number(max(seconds), TIME_DIGITS),
        ]
        for group, seconds in sorted(groups.items())
    ]
    return Plot(
        "Time against length",
        f"{what}, logarithmic",
        "seconds, logarithmic",
        marks,
        [(_down(x(at)), label) for at, label in x.ticks()],
        [(_down(1 - y(at)), label) for at, label in y.ticks()],
        [what, "answers", "median seconds", "most seconds"],
        table,
        f"Seconds of {number(len(points))} answers{of} against their {what}; from {least} to {most} seconds.",
        [(f"count{colour}", file) for colour, (file, _) in enumerate(coloured) if file],
    )


def _range(low: float, high: float) -> str:
    first, last = math.ceil(low - 1e-9), math.ceil(high - 1e-9) - 1
    return number(first) if last <= first else f"{number(first)}–{number(last)}"


class _Log:
    """Logarithmic axis from the smallest to the largest of positive numbers; positions are shares of its length."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low, self.high = math.log10(min(values)), math.log10(max(values))

    def __call__(self, value: float) -> float:
        return (math.log10(value) - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """List round numbers on the axis: powers of ten, on a short axis also their multiples by 2 and 5."""
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        times = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        every = max(1, round((self.high - self.low) / 5))
        values = [factor * 10.0**decade for decade in decades if decade % every == 0 for factor in times]
        inside = [value for value in values if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9]
        if len(inside) < 2:  # less than a decade: as on a linear axis
            inside = [value for value in round_numbers(10**self.low, 10**self.high) if value > 0]
        return [(value, number(value)) for value in inside]


def _down(share: float) -> float:
    return round(_EDGE + (100 - 2 * _EDGE) * share, 2)


def histogram(title: str, across: str, values: Sequence[float]) -> Plot | None:
    """Draw the numbers of answers by powers of ten, and zero separately; return None if all are in one."""
    counts = Counter(_power(value) for value in values)
    known = [power for power in counts if power is not None]
    shown: list[int | None] = [None] if None in counts else []
    if known:
        shown += range(min(known), max(known) + 1)
    if len(shown) < 2:
        return None
    whole = all(isinstance(value, int) for value in values)
    labels = [_decade(power, whole) for power in shown]
    bars = [counts.get(power, 0) for power in shown]
    highest = max(bars)
    table = [[label, number(count)] for label, count in zip(labels, bars, strict=True)]
    summary = "; ".join(f"{number(count)} with {label}" for label, count in zip(labels, bars, strict=True) if count)
    return Plot(
        title,
        f"{across}, by powers of ten",
        "answers",
        [("bars count0", "".join(_bar(i, len(bars), count / highest) for i, count in enumerate(bars)))],
        [((i + 0.5) * 100 / len(bars), label) for i, label in enumerate(_thinned(labels))],
        [(100 - 92 * count / highest, number(count)) for count in _round_counts(highest)],
        [across, "answers"],
        table,
        f"{title} of {number(len(values))} answers: {summary}.",
    )


def _power(value: float) -> int | None:
    """Return the power of ten below a number; None for zero, up to rounding."""
    return math.floor(math.log10(value)) if value > 1e-12 else None


def _decade(power: int | None, whole: bool) -> str:
    if power is None:
        return "0"
    if whole:
        return "1–9" if power == 0 else f"{number(10**power)}–{number(10 ** (power + 1) - 1)}"
    return f"≥ {number(10.0**power)}"


def _thinned(labels: Sequence[str], most: int = 6) -> list[str]:
    """Empty some labels, so that the others do not overlap on a phone."""
    every = -(-len(labels) // most)
    return [label if i % every == 0 else "" for i, label in enumerate(labels)]


def _bar(index: int, count: int, share: float) -> str:
    left, right = (index + 0.12) * 100 / count, (index + 0.88) * 100 / count
    return f"M{left:.2f} 100V{100 - 92 * share:.2f}H{right:.2f}V100Z" if share else ""


def _round_counts(most: int) -> list[int]:
    step = 10 ** max(0, math.floor(math.log10(most / 2))) if most > 1 else 1
    step *= next(times for times in (1, 2, 5, 10, 20) if most / (step * times) <= 4)
    return list(range(0, most + 1, step))


def reliability(rows: Sequence[Row]) -> Plot | None:
    """Draw the accuracy of confident answers, by posteriors if they are stored, otherwise by margins.

    None where neither is stored, or nothing is known of what is right.
    """
    pairs = [
        pair
        for row in rows
        if len(row.posteriors) == len(row.compared.right)
        for pair in zip(row.posteriors, row.compared.right, strict=True)
    ]
    if pairs:
        return _by_posterior(pairs)
    margins = [
        (row.margin, not row.compared.wrong) for row in rows if row.margin is not None and row.compared.known
    ]
    return _by_margin(margins) if len(margins) >= 2 * _FEWEST else None


def _by_posterior(pairs: Sequence[tuple[float, bool]]) -> Plot:
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for pair in pairs:
        bins[min(_BINS - 1, int(pair[0] * _BINS))].append(pair)
    points = [_mean(answers) for answers in bins if answers]
    off = sum(abs(p - share) * count for p, share, count in points) / len(pairs)
    return Plot(
        "Reliability: accuracy against posterior",
        "posterior of a part",
        "share that is right",
        [("line diagonal", "M0 100L100 0"), *_marked(points, lambda p: 100 * p)],
        [(100.0 * tick, f"{tick:g}") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)],
        _SHARES,
        ["posterior", "parts", "right"],
        [[f"{p:.2f}", number(count), f"{share:.3f}"] for p, share, count in points],
        f"{number(len(pairs))} parts; the share that is right is off the posterior by {off:.3f} on average.",
    )


def _by_margin(margins: Sequence[tuple[float, bool]]) -> Plot:
    ranked = sorted(margins)
    count = max(2, min(_BINS, len(ranked) // _FEWEST))
    cuts = [len(ranked) * i // count for i in range(count + 1)]
    bins = [ranked[low:high] for low, high in pairwise(cuts)]
    points = [
        (median([m for m, _ in answers]), sum(right for _, right in answers) / len(answers), len(answers))
        for answers in bins
    ]
    width = 100 / count
    placed = [((i + 0.5) * width / 100, share, n) for i, (_, share, n) in enumerate(points)]
    labels = _thinned([number(float(f"{margin:.2g}")) for margin, _, _ in points])
    return Plot(
        "Reliability: answers that are right, by their margin",
        "margin to the second best (median of as many answers each)",
        "share without an error",
        _marked(placed, lambda at: 100 * at),
        [((i + 0.5) * width, label) for i, label in enumerate(labels)],
        _SHARES,
        ["median margin", "answers", "without an error"],
        [[number(margin), number(n), f"{share:.3f}"] for margin, share, n in points],
        f"Of the {number(points[0][2])} answers with the smallest margins {points[0][1]:.0%} are without an error, "
        f"of the {number(points[-1][2])} with the largest {points[-1][1]:.0%}.",
    )


_SHARES = [(100 - 100.0 * tick, f"{tick:.0%}") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)]


def _mean(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float, int]:
    count = len(pairs)
    return sum(p for p, _ in pairs) / count, sum(right for _, right in pairs) / count, count


def _marked(points: Sequence[tuple[float, float, int]], across: Callable[[float], float]) -> list[tuple[str, str]]:
    """Draw a line through points, with a dot at each."""
    placed = [(across(x), 100 - 100 * share) for x, share, _ in points]
    line = "L".join(f"{x:.2f} {y:.2f}" for x, y in placed)
    return [
        ("line count0", f"M{line}"),
        ("dots large count0", "".join(f"M{x:.2f} {y:.2f}h0" for x, y in placed)),
    ]
