"""Figure 2 in the terminal and as a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gapless.cli import Console
from gapless.svg import BLUE, GREY, INK, RED, svg, text
from gapless_tasks.titles import paper
from gapless_tasks.titles.convergence import MOST, Convergence

TITLE = "Figure 2: titles whose optimum is found, against colourings"
MARKS = (1, 2, 5, paper.ITERATIONS_90, 20, paper.ITERATIONS_100, 100, 200, 500, 1000, 2000, 5000, MOST)
_PAPER = {paper.ITERATIONS_90: 0.9, paper.ITERATIONS_100: 1.0}
_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 620, 50, 350
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
            "█" * round(30 * found.share(t)),
        )
        for t in marks
    ]
    console.table(TITLE, ("colourings", "found %", "expected %", "paper %", ""), rows)
    most = {share: found.needed(share) for share in (0.9, 1.0)}
    told = ", ".join(
        f"{100 * share:.0f} % after {'more than ' + str(MOST) if t is None else t} (paper: {beside})"
        for (share, t), beside in zip(most.items(), _PAPER, strict=True)
    )
    console.say(f"{found.found.size} titles: {told}; expected: the mean of 1 - (1 - p)^t, known beforehand")
    console.say()
    return {
        "titles": found.found.size,
        "found_at": found.found,
        "success": found.success,
        "colourings": marks,
        "found": [found.share(t) for t in marks],
        "expected": [found.expected(t) for t in marks],
        "needed": {str(share): t for share, t in most.items()},
    }


def draw_convergence(found: Convergence) -> str:
    """Figure 2 as SVG: colourings on a logarithmic axis, the paper's two points beside ours."""
    marks = _marks(found)
    last = marks[-1]

    def across(t: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * math.log(t) / math.log(max(last, 2))

    def up(share: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * share

    def line(points: Sequence[tuple[float, float]], colour: str, more: str = "") -> str:
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        return f'<polyline points="{where}" fill="none" stroke="{colour}" stroke-width="2"{more}/>'

    def drawn() -> Iterator[str]:
        yield text(_WIDTH / 2, 26, f"{TITLE} ({found.found.size} titles)", INK, 14)
        yield f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="{INK}"/>'
        for t in marks:
            yield f'<path d="M{across(t):.1f} {_BOTTOM}v5" stroke="{INK}"/>'
            yield text(across(t), _BOTTOM + 19, str(t), INK, 11)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            yield f'<path d="M{_LEFT} {up(share):.1f}h-5" stroke="{INK}"/>'
            yield text(_LEFT - 9, up(share) + 4, f"{100 * share:.0f} %", INK, 11, anchor="end")
        smooth = np.geomspace(1, last, _STEPS)
        expected = [(across(t), up(found.expected(t))) for t in smooth.tolist()]
        yield line(expected, GREY, ' stroke-dasharray="6 4"')
        yield line(list(_stairs(found, last, across, up)), BLUE)
        for t, share in _PAPER.items():
            if t <= last:
                yield f'<circle cx="{across(t):.1f}" cy="{up(share):.1f}" r="5" fill="{RED}"/>'
        for place, (words, colour) in enumerate(
            (("found", BLUE), ("expected, 1 - (1 - p)^t", GREY), ("the paper, another corpus", RED))
        ):
            yield text(_RIGHT - 10, _BOTTOM - 50 + 18 * place, words, colour, 13, anchor="end")
        yield text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, "colourings", INK, 13)

    return svg(_WIDTH, _HEIGHT, TITLE, drawn())


def _stairs(found: Convergence, last: int, across: Any, up: Any) -> Iterator[tuple[float, float]]:
    """The share jumps at each colouring that found something."""
    share = 0.0
    yield across(1), up(share)
    for t in np.unique(found.found[(found.found > 0) & (found.found <= last)]).tolist():
        yield across(t), up(share)
        share = found.share(t)
        yield across(t), up(share)
    yield across(last), up(share)


def _marks(found: Convergence) -> list[int]:
    """Up to the first mark where all is found that ever is, but not before the paper's."""
    enough = max(int(found.found.max(initial=0)), paper.ITERATIONS_100)
    return [t for i, t in enumerate(MARKS) if i == 0 or MARKS[i - 1] < enough]
