"""Figure 2: the share of titles whose optimum colour coding has found after t colourings, measured and drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.cli import Console
from gapless.svg import BLUE, GREY, INK, RED, svg, text
from gapless_models.titles.graph import TitleGraph
from gapless_tasks.plot import Axes, show_bars
from gapless_tasks.titles import paper
from gapless_tasks.titles.decoders import COLOUR_CODING

MOST = 10_000
"""Colourings of a title, at most."""


@attrs.frozen(eq=False)
class Convergence:
    """Number of colourings after which colour coding finds the optimum of each title.

    Parameters
    ----------
    found : int64 (titles,)
        The colouring that found it, counted from 1; 0 where none of `MOST` did.
    success : float64 (titles,)
        Probability that one colouring finds it, as known beforehand.
    """

    found: IntArray
    success: FloatArray

    def share(self, colourings: int) -> float:
        """Compute the share of titles found after a number of colourings."""
        return float(np.mean((self.found > 0) & (self.found <= colourings)))

    def expected(self, colourings: int) -> float:
        """Compute the expected share: the mean of ``1 - (1 - p)^t``."""
        return float(np.mean(1.0 - (1.0 - self.success) ** colourings))

    def needed(self, share: float) -> int | None:
        """Find the number of colourings after which that share is found; None where it is not."""
        order = np.sort(self.found[self.found > 0])
        count = math.ceil(share * self.found.size)
        return int(order[count - 1]) if 0 < count <= order.size else None


def converge(
    graphs: Sequence[TitleGraph], optima: FloatArray, console: Console, *, seed: int = 0
) -> tuple[Convergence, bool]:
    """Run the paper's algorithm on each title until it has found the optimum.

    Parameters
    ----------
    optima : float64 (graphs,)
        NaN where it is not known: such titles are passed over.
    console : Console
        Draws progress.

    Returns
    -------
    Convergence, bool
        And whether Ctrl-C came first.
    """
    turns: list[int] = []
    success: list[float] = []
    known = np.flatnonzero(~np.isnan(optima)).tolist()
    interrupted = False
    with console.progress("figure 2", len(known)) as advance:
        for i in known:
            optimum = float(optima[i])
            limits = gl.Limits(target=optimum - score_tolerance(optimum))
            try:
                result = gl.solve(
                    graphs[i].problem, COLOUR_CODING, limits=limits, seed=seed, trials=MOST, bounds=False
                )
            except KeyboardInterrupt:
                interrupted = True
                break
            if result.stop is gl.Stop.INTERRUPTED:
                interrupted = True
                break
            is_optimal = bool(result.solutions) and meets(optimum, result.value)
            turns.append(int(result.stats.extra["found_at"]) if is_optimal else 0)
            success.append(float(result.stats.extra["success"]))
            advance(1)
    return Convergence(np.array(turns, np.int64), np.array(success)), interrupted


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
