"""One chart for each results page, drawn from its kept tables: called by ``measure.py``, which writes the pages.

A chart is an SVG file with a ground of its own, light or dark as the reader's system is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

import attrs

HERE = Path(__file__).parent
FOLDER = HERE / "charts"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
STYLE = (
    "text{fill:#222;font-family:sans-serif;font-size:15px}.card{fill:#fff}.bar{fill:#4a7bc0}.ours{fill:#1f4e9c}"
    ".quiet{fill:#666;font-size:14px}.bold{font-weight:bold}"
    "@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.card{fill:#1b1d20}.bar{fill:#5b86c4}.ours{fill:#8fb8f2}"
    ".quiet{fill:#a8a8a8}}"
)
_WIDTH, _MARGIN, _VALUE, _ROW = 480, 16, 60, 38

Rows = Sequence[tuple[str, float]]


@attrs.frozen
class Chart:
    """Bars of one measured quantity.

    Parameters
    ----------
    title, unit : str
    rows : callable
        Names and values, from the kept tables.
    description : str
        A sentence for people who do not see the chart, before the list of its values.
    ours : str
        Bars whose names match this expression are ours, and darker.
    logarithmic : bool
        Whether each tenth of the width is a power of ten instead of an equal step.
    """

    title: str
    unit: str
    rows: Callable[[], Rows]
    description: str
    ours: str = ".*"
    logarithmic: bool = False


def table(name: str, title: str) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return columns and rows of the stored table whose title begins so."""
    kept = json.loads((HERE / "tables" / f"{name}.json").read_text("utf-8"))
    found = next(one for one in kept["tables"] if one["title"].startswith(title))
    return found["columns"], found["rows"]


def column(name: str, title: str, value: str, *, by: Sequence[int] = (0,), less: float = 0) -> Rows:
    """Read one column of a table: names from the cells `by`, and the first number of each cell minus `less`."""
    columns, rows = table(name, title)
    place = columns.index(value)
    named = [(", ".join(row[i] for i in by), NUMBER.search(row[place])) for row in rows]
    return [(label, float(number[0].replace(",", "")) - less) for label, number in named if number]


def _sooner() -> Rows:
    wanted = "times sooner by the clock, from arrays"
    _, rows = table("scale-benchmark", "Targets")
    return [(row[1], float(row[2].split()[0])) for row in rows if row[0] == wanted]


def _answers() -> Rows:
    columns, rows = table("selftest", "Methods against brute force")
    counts: dict[str, float] = {}
    for row in rows:
        counts[row[0]] = counts.get(row[0], 0.0) + float(row[columns.index("answers")].replace(",", ""))
    return list(counts.items())


def _packing() -> Rows:
    drawn = column("cutting-stock", "Bin packing", "from arrays, median ms")
    known = column("cutting-stock-falkenauer", "40 instances", "from arrays, median ms")
    return [
        (f"{place}, {label}", value)
        for place, rows in (("drawn", drawn), ("Falkenauer", known))
        for label, value in rows
    ]


def _by_length() -> Rows:
    columns, rows = table("parsing-hand-craft", "Figure 4")
    (mean,) = (row for row in rows if row[0] == "k = 10")
    return [
        (f"{words} words", float(value))
        for words, value in zip(columns[1:], mean[1:], strict=True)
        if NUMBER.fullmatch(value)
    ]


CHARTS: Mapping[str, Chart] = {
    "tagging": Chart(
        "Sentences decoded to their optimum", "%, Wall Street Journal",
        lambda: column("pos-tagging", "Table 1", "% exact"),
        "Viterbi, column generation and dominance are exact; narrow beams are not.", "Viterbi|CG$|dominance",
    ),
    "chains": Chart(
        "From arrays to labels, 45 labels", "ns a token, logarithmic",
        lambda: column("chain-benchmark", "CPU time, wsj", "from arrays, cold ns/token"),
        "Dominance takes the least time; hmmlearn's Viterbi the most.", "solve_many", logarithmic=True,
    ),
    "parsing": Chart(
        "One sentence, parsed exactly", "ms, Wall Street Journal, 10 heads a word", _by_length,
        "Times grow with the length of sentences.",
    ),
    "price-and-cut": Chart(
        "Speed of parsers", "sentences/s, logarithmic",
        lambda: column("price-and-cut", "Table 1", "sent./s", by=(0, 1)),
        "On each treebank lagrangian-cut is the fastest and brute force the slowest.", "ours|lagrangian",
        logarithmic=True,
    ),
    "ordering": Chart(
        "Mean time for a title", "ms, logarithmic",
        lambda: column("title-generation", "Table 1", "mean ms"),
        "The exact method takes about as long as a beam of width 80.", "^exact", logarithmic=True,
    ),
    "linking": Chart(
        "Distance beyond the proved optimum", "%, AIDA, maximal connection",
        lambda: column("entity-linking", "Table 1, aida", "ratio maximal", less=100),
        "Every heuristic chooses candidates that are farther apart than the optimum.", "^exact",
    ),
    "scale": Chart(
        "Two workers against one", "times as fast by the clock, from arrays", _sooner,
        "Two workers pay where a problem takes milliseconds, and lose where it takes microseconds.",
    ),
    "cutting-stock": Chart(
        "Median time for an instance", "ms, from arrays", _packing,
        "The two trees are within a factor of two of each other.", "own tree",
    ),
    "exactness": Chart(
        "Answers compared with brute force", "answers of the self-test, no mistake", _answers,
        "Answers of all methods by type of problem.",
    ),
}  # fmt: skip
"""By page; `factors` keeps no tables."""


def spelled(value: float) -> str:
    """Write a number with sensible digits."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def described(chart: Chart) -> str:
    """Describe the chart in words, with all its values."""
    rows = "; ".join(f"{label} {spelled(value)}" for label, value in chart.rows())
    return f"{chart.title} ({chart.unit}). {chart.description} {rows}."


def drawn(chart: Chart) -> str:
    """Draw the chart as SVG."""
    rows = chart.rows()
    height, wide = 76 + _ROW * len(rows), _WIDTH - 2 * _MARGIN - _VALUE
    most = max(value for _, value in rows)
    least = min(value for _, value in rows if value > 0)

    def length(value: float) -> float:
        if not chart.logarithmic:
            return wide * max(value, 0.0) / most
        low = 10.0 ** math.floor(math.log10(least) - 0.01)
        return wide * math.log(value / low) / math.log(most / low)

    parts = [
        f'<text class="bold" x="{_MARGIN}" y="28">{escape(chart.title)}</text>',
        f'<text class="quiet" x="{_MARGIN}" y="48">{escape(chart.unit)}</text>',
    ]
    for i, (label, value) in enumerate(rows):
        top, kind = 62 + _ROW * i, "ours" if re.search(chart.ours, label) else "bar"
        long = max(length(value), 1.0)
        parts += [  # names above the bars, so that they can be read on a phone
            f'<text x="{_MARGIN}" y="{top + 13}">{escape(label)}</text>',
            f'<rect class="{kind}" x="{_MARGIN}" y="{top + 19}" width="{long:.1f}" height="12" rx="2"/>',
            f'<text class="quiet" x="{_MARGIN + long + 8:.1f}" y="{top + 30}">{spelled(value)}</text>',
        ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" role="img" aria-labelledby="t d">\n<title id="t">{escape(chart.title)}</title>'
        f'<desc id="d">{escape(described(chart))}</desc>\n<style>{STYLE}</style>\n'
        f'<rect class="card" width="{_WIDTH}" height="{height}" rx="8"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
