"""Growth of the time of method ``decomposable`` with the graph: numbers, and a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.marks import BenchmarkLine, line
from benchmarks.frame.turns import cpu_seconds
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.svg import BLUE, GREY, INK, RED, svg, text
from gapless_linking import LinkingProblem
from gapless_linking.decomposable import algorithm_1
from gapless_linking.decomposable_random import large_decomposable
from gapless_tasks.plot import Axes

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Edges."""
TITLE = "decomposable: time against edges"
_EXPONENT = (1.2, 1.1)
"""Of the edges: 1 is linear; large graphs leave the caches, so that the last steps cost more each."""
_WIDTH, _HEIGHT = 640, 400


@attrs.frozen(eq=False)
class Scaling:
    """CPU time against size.

    Parameters
    ----------
    edges : int64 (sizes,)
    choosing : float64 (sizes, rounds)
        Seconds of Algorithm 1.
    solving : float64 (sizes, rounds)
        Seconds of a whole solve, which also finds what the choice is worth, by a search from each chosen vertex.
    wrong : sequence of str
        Graphs that were not solved.
    """

    edges: IntArray
    choosing: FloatArray
    solving: FloatArray
    wrong: Sequence[str]

    def exponent(self, seconds: FloatArray) -> float:
        """Fit the exponent of growth: the slope of log time against log edges, by least squares."""
        return float(np.polyfit(np.log(self.edges), np.log(np.median(seconds, axis=1)), 1)[0])


def measure_scaling(sizes: Sequence[int] = SIZES, rounds: int = 3) -> Scaling:
    """Solve a graph of each size in turn; every round draws other graphs. Drawing them is not timed."""
    edges = np.zeros(len(sizes), np.int64)
    choosing, solving = np.zeros((2, len(sizes), rounds))
    wrong: list[str] = []
    _solve(large_decomposable(1000), wrong)
    for number in range(rounds):
        for place, size in enumerate(sizes):
            problem = large_decomposable(size, seed=number)
            assert problem.graph is not None
            edges[place] = problem.graph.edge_count
            choosing[place, number] = cpu_seconds(algorithm_1, problem)
            solving[place, number] = cpu_seconds(_solve, problem, wrong)
    return Scaling(edges, choosing, solving, wrong)


def _solve(problem: LinkingProblem, wrong: list[str]) -> None:
    result = gl.solve(problem, "decomposable")
    if result.status is not gl.Status.OPTIMAL:
        wrong.append(f"{TITLE}: {result.status.value} on {problem!r}")


def scaling_lines(scaling: Scaling) -> Iterator[BenchmarkLine]:
    """Yield the time for each size, and the exponent of its growth."""
    for what, seconds in (("Algorithm 1", scaling.choosing), ("solved, with its value", scaling.solving)):
        for edges, rounds in zip(scaling.edges.tolist(), seconds, strict=True):
            yield line(f"decomposable, {what}", f"{edges:,} edges", 1e3 * rounds, "ms")
    scores = f"{scaling.edges[0]:,} to {scaling.edges[-1]:,} edges"
    grows = scaling.exponent(scaling.choosing)
    yield line("decomposable, Algorithm 1 takes edges^x: x", scores, grows, "", _EXPONENT)


def draw_scaling(scaling: Scaling) -> str:
    """Draw time against edges as SVG on logarithmic axes; dashed lines show linear growth to the last points."""
    x: FloatArray = np.log10(scaling.edges)
    curves = (("Algorithm 1", BLUE, scaling.choosing), ("solved, with its value", RED, scaling.solving))
    y: FloatArray = np.log10([np.median(seconds, axis=1) for _, _, seconds in curves]) + 3.0
    low, high = math.floor(float(y.min())), math.ceil(float(y.max()))
    first, last = math.floor(float(x[0])), math.ceil(float(x[-1]))
    axes = Axes(70, 610, 50, 350, (first, last), (low, high))

    def drawn() -> Iterator[str]:
        yield text(_WIDTH / 2, 26, TITLE, INK, 14)
        edges = [(decade, f"{10**decade:,}") for decade in range(first, last + 1)]
        yield from axes.frame(edges, [(decade, f"{10.0**decade:g} ms") for decade in range(low, high + 1)])
        for (name, colour, seconds), heights in zip(curves, y.tolist(), strict=True):
            end = float(x[-1])
            start = max(float(x[0]), end - (heights[-1] - low))
            linear = [(start, heights[-1] - end + start), (end, heights[-1])]
            yield axes.line(linear, GREY, dashed=True, width=1)
            yield from (axes.dot(edges, height, colour) for edges, height in zip(x.tolist(), heights, strict=True))
            words = f"{name}: edges^{scaling.exponent(seconds):.2f}"
            place = axes.top + (14 if colour is BLUE else 32)
            yield text(axes.left + 12, place, words, colour, 12, anchor="start")
        yield text(axes.right, axes.bottom + 38, "edges; dashed: linear", GREY, 11, anchor="end")

    return svg(_WIDTH, _HEIGHT, TITLE, drawn())
