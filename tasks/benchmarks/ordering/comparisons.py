"""Measurements of best paths, beside their marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import UNJUDGED, BenchmarkLine, Marks, both_ways, line
from benchmarks.frame.solving import EXACT, Solved, Way
from benchmarks.frame.turns import Compared, timed_call
from gapless.arrays.sparse import IntArray
from gapless_ordering import OrderingProblem
from gapless_ordering.random_problems import FAMILIES, uniform

BEAM_WIDTH = 1345
"""The smallest beam that found all optima in the paper (section 6)."""
LONGER = 6
LONG = 13
"""The longest title of the paper's corpus."""
_BEAM = Way("beam")
_ROUNDS = 5
"""Turns of one call that solves all titles."""
_FEW = 5
"""Instances for what takes seconds each."""


def drawn(bench: Bench, family: str, n: int, length: int, count: int | None = None) -> list[OrderingProblem]:
    """Draw instances of a family, one for each seed."""
    return [FAMILIES[family](n, length, seed) for seed in range(count or bench.seeds)]


def solve(bench: Bench, scores: str, problems: Sequence[OrderingProblem], **ways: Way) -> dict[str, Solved]:
    """Let ways take turns, and compare their answers."""
    return bench.solve_interleaved(scores, problems, ways, uniform(20, 3, 0))


def drawn_lines(bench: Bench) -> Iterator[Measurement]:
    """Measure large instances like those of titles and summaries, a beam beside them."""
    for family in ("title-like", "summary-like"):
        scores = f"{family}, n = 600, k = 13"
        found = solve(bench, scores, drawn(bench, family, 600, 13), exact=EXACT, beam=_BEAM)
        exact, beam = found["exact"], found["beam"]
        yield from exact.lines("exact, median", scores, (3, 1))
        yield exact.slow_line("exact", scores, 99, (100, 50))
        yield exact.slow_line("exact", scores)
        yield exact.proved_line(scores)
        yield Compared("exact", "beam 80 with its gap", "", scores, (exact.both, beam.both))
        yield beam.optimal_line("beam 80", scores, exact)


def title_lines(bench: Bench, titles: Sequence[OrderingProblem], *, judged: bool) -> Iterator[Measurement]:
    """Measure graphs of real sections, at the length of their titles and beyond; a wide beam in the same run.

    Parameters
    ----------
    judged : bool
        The marks speak of the real corpus.
    """

    def marks(must: float, aim: float) -> Marks:
        return (must, aim) if judged else UNJUDGED

    scores = "titles, at their length"
    wide = Way("beam", {"width": BEAM_WIDTH, "bound": False})
    found = solve(bench, scores, titles, exact=EXACT, beam=wide)
    exact, beam = found["exact"], found["beam"]
    yield from exact.lines("exact, median", scores, marks(0.15, 0.07))
    yield exact.slow_line("exact", scores, 99)
    yield exact.proved_line(scores, marks(100, 100))
    yield Compared("exact", f"beam {BEAM_WIDTH}", "one by one", scores, (exact.both, beam.both))
    pairs = (EXACT, exact), (wide, beam)
    together = [_together(titles, *pairs, wrong=bench.wrong) for _ in range(_ROUNDS)]
    fast, slow = np.array(together).transpose(1, 2, 0)
    yield from both_ways(
        f"exact over beam {BEAM_WIDTH}, total time", scores, slow / fast, "x", marks(5, 12), more=True
    )
    yield beam.optimal_line(f"beam {BEAM_WIDTH}", scores, exact)
    yield from both_ways("exact by solve_many, mean", scores, 1e3 * fast / len(titles), "ms")
    for what, longer, share, slow, proved in (
        (f"at {LONGER} more", [attrs.evolve(p, length=p.length + LONGER) for p in titles], 99, (20, 5), (100, 100)),
        (f"at {LONG}", [attrs.evolve(p, length=LONG) for p in titles], 90, (70, 10), (99, 100)),
    ):
        scores = f"titles, {what}"
        exact = solve(bench, scores, longer, exact=EXACT)["exact"]
        yield exact.proved_line(scores, marks(*proved), f"proved within {bench.limits.time:g} s")
        yield from exact.lines("exact, median", scores, UNJUDGED)
        yield exact.slow_line("exact", scores, share, marks(*slow))
        yield exact.slow_line("exact", scores)


def _together(
    titles: Sequence[OrderingProblem], *ways: tuple[Way, Solved], wrong: list[str]
) -> list[tuple[float, float]]:
    """CPU seconds of each way when it gets all titles by one call, from arrays and of the search alone.

    The values must be those of the single calls.
    """
    seconds = []
    for way, one_by_one in ways:

        def solve_all(
            make: Callable[[OrderingProblem], OrderingProblem], way: Way = way
        ) -> gl.BatchResult[IntArray]:
            return gl.solve_many([make(title) for title in titles], way.method, **way.options)

        whole, alone = timed_call(solve_all, attrs.evolve), timed_call(solve_all, lambda title: title)
        seconds.append((whole[0], alone[0]))
        if not all(
            np.allclose(found.values, one_by_one.values, rtol=1e-9, equal_nan=True) for _, found in (whole, alone)
        ):
            wrong.append(f"titles: solve_many gives other values than solve by {way.method}")
    return seconds


def colour_lines(bench: Bench) -> Iterator[BenchmarkLine]:
    """Measure one colouring of the paper's dynamic program, and all that a failure probability of 1e-3 asks for."""
    scores = "title-like, n = 200, k = 10"
    single = Way("color-coding", {"trials": 1, "colors": 12, "bounds": False})
    found = solve(bench, scores, drawn(bench, "title-like", 200, 10), exact=EXACT, colouring=single)
    yield from found["colouring"].lines("one colouring, 12 colours, no bounds", scores, (15, 8))
    scores = "title-like, n = 200, k = 8"
    whole = Way("color-coding", {"failure": 1e-3})
    found = solve(bench, scores, drawn(bench, "title-like", 200, 8), exact=EXACT, colours=whole)
    colours = found["colours"]
    yield from colours.lines("colour coding with bounds, failure 1e-3", scores, (60, 10))
    yield colours.slow_line("colour coding", scores, 99)
    yield colours.optimal_line("colour coding", scores, found["exact"])


def hard_lines(bench: Bench) -> Iterator[BenchmarkLine]:
    """Measure long paths, and distances: where walks that return to a vertex look best."""
    for family, n, length in (("title-like", 600, 20), ("metric", 200, 13)):
        scores = f"{family}, n = {n}, k = {length}"
        problems = drawn(bench, family, n, length, min(bench.seeds, 4 * _FEW))
        exact = solve(bench, scores, problems, exact=EXACT)["exact"]
        yield exact.proved_line(scores)
        yield from exact.lines("exact, median", scores, UNJUDGED)
        yield line("exact, worst", scores, float(exact.seconds.max()), "s", (10, 1))


def program_lines(bench: Bench) -> Iterator[Measurement]:
    """Compare the integer programs with the exact method; if the limit stops one, the true ratio is larger."""
    for method, n, length in (("ilp", 50, 5), ("ilp", 50, 8), ("ilp-cuts", 50, 8), ("ilp-cuts", 100, 8)):
        scores = f"title-like, n = {n}, k = {length}"
        problems = drawn(bench, "title-like", n, length, min(bench.seeds, _FEW))
        found = solve(bench, scores, problems, exact=EXACT, program=Way(method, separable=False))
        program = found["program"]
        yield program.proved_line(scores, UNJUDGED, f"proved by {method}")
        yield Compared("exact", method, "", scores, (found["exact"].both, program.both))
