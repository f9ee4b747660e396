"""Figure 2 in the terminal and as a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gapless.cli import Console
from gapless.svg import BLUE, GREY, INK, RED, svg, text
from gapless_tasks.plot import Axes
from gapless_tasks.terminal_bars import show_bars
from gapless_tasks.titles import paper
from gapless_tasks.titles.convergence import MOST, Convergence

TITLE = "Figure 2: titles whose optimum is found, against colourings"
MARKS = (1, 2, 5, paper.ITERATIONS_90, 20, paper.ITERATIONS_100, 100, 200, 500, 1000, 2000, 5000, MOST)
_PAPER = {paper.ITERATIONS_90: 0.9, paper.ITERATIONS_100: 1.0}
_WIDTH, _HEIGHT = 640, 400
_STEPS = 120
"""Points of the smooth curve."""


def show_convergence(found: Convergence, console: Console) -> dict[str, Any]:
    """Print figure 2 as a table; returns it as JSON data."""
    marks = _marks(found)
    rows = [
        (
            t,
            round(100 * found.share(t), 1),
            round(100 * found.expected(t), 1),
            f"{100 * _PAPER[t]:.0f}" if t in _PAPER else "",
        )
        for t in marks
    ]
    console.table(TITLE, ("colourings", "found %", "expected %", "paper %"), rows)
    show_bars([(str(t), "█" * round(30 * found.share(t))) for t in marks], console)
    limits = {share: found.needed(share) for share in (0.9, 1.0)}
    summary = ", ".join(
        f"{100 * share:.0f} % after {'more than ' + str(MOST) if t is None else t} (paper: {printed})"
        for (share, t), printed in zip(limits.items(), _PAPER, strict=True)
    )
    console.info(f"{found.found.size} titles: {summary}; expected: the mean of 1 - (1 - p)^t, known beforehand")
    console.info()
    return {
        "titles": found.found.size,
        "found_at": found.found,
        "success": found.success,
        "colourings": marks,
        "found": [found.share(t) for t in marks],
        "expected": [found.expected(t) for t in marks],
        "needed": {str(share): t for share, t in limits.items()},
    }


def draw_convergence(found: Convergence) -> str:
    """Draw figure 2 as SVG: colourings on a logarithmic axis, the paper's two points beside ours."""
    marks = _marks(found)
    last = marks[-1]
    axes = Axes(60, 620, 50, 350, (0.0, math.log(max(last, 2))), (0.0, 1.0))

    def drawn() -> Iterator[str]:
        yield text(_WIDTH / 2, 26, f"{TITLE} ({found.found.size} titles)", INK, 14)
        shares = [(share, f"{100 * share:.0f} %") for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
        yield from axes.frame([(math.log(t), str(t)) for t in marks], shares)
        smooth = np.geomspace(1, last, _STEPS).tolist()
        yield axes.line([(math.log(t), found.expected(t)) for t in smooth], GREY, dashed=True)
        yield axes.line([(math.log(t), share) for t, share in _stairs(found, last)], BLUE)
        yield from (axes.dot(math.log(t), share, RED) for t, share in _PAPER.items() if t <= last)
        legend = ("found", BLUE), ("expected, 1 - (1 - p)^t", GREY), ("the paper, another corpus", RED)
        for row, (words, colour) in enumerate(legend):
            yield text(axes.right - 10, axes.bottom - 50 + 18 * row, words, colour, 13, anchor="end")
        yield text((axes.left + axes.right) / 2, axes.bottom + 40, "colourings", INK, 13)

    return svg(_WIDTH, _HEIGHT, TITLE, drawn())


def _stairs(found: Convergence, last: int) -> Iterator[tuple[float, float]]:
    """Return the steps of the share, which jumps at each colouring that finds a title."""
    share = 0.0
    yield 1, share
    for t in np.unique(found.found[(found.found > 0) & (found.found <= last)]).tolist():
        yield t, share
        share = found.share(t)
        yield t, share
    yield last, share


def _marks(found: Convergence) -> list[int]:
    """List the marks up to the first one at which every title is found that ever is, but at least the paper's."""
    enough = max(int(found.found.max(initial=0)), paper.ITERATIONS_100)
    return [t for i, t in enumerate(MARKS) if i == 0 or MARKS[i - 1] < enough]
