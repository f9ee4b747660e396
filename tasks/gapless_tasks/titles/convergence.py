"""Figure 2: the share of titles whose optimum colour coding has found after t colourings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.cli import Console
from gapless_models.titles.graph import TitleGraph
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
