"""Times of proofs on drawn documents, distances known; toulbar2 in the same run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import UNJUDGED, BenchmarkLine, Marks, both_ways, line
from benchmarks.frame.solving import EXACT, Solved, contradictions
from benchmarks.frame.turns import Compared
from benchmarks.linking import toulbar2_peer
from benchmarks.linking.instances import FAMILIES, Synthetic
from gapless_linking import LinkingProblem

MARKS = {12: (10, 1), 25: (1000, 200)}
"""Milliseconds of the median proof, for each number of sets."""
LARGE = 53
"""Sets of the largest documents."""


@attrs.frozen
class LinkingBench:
    """A linking benchmark while it runs.

    Parameters
    ----------
    peer_seconds : int
        For each document and setting of toulbar2; 0 leaves it out.
    """

    bench: Bench
    synthetic: Synthetic
    peer_seconds: int

    def solve(self, scores: str, problems: Sequence[LinkingProblem], limits: gl.Limits | None = None) -> Solved:
        """Solve each problem by method exact, and verify its certificate."""
        small = LinkingProblem.from_distances(1 - np.eye(3, dtype=np.int64), [[0, 1], [1, 2]])
        return self.bench.solve_interleaved(scores, problems, {"exact": EXACT}, small, limits, _anew)["exact"]

    def peer_lines(
        self, scores: str, problems: Sequence[LinkingProblem], exact: Solved, marks: Marks
    ) -> Iterator[Measurement]:
        """Solve the same problems with toulbar2; if its limit stops it, the true ratio is larger."""
        if not self.peer_seconds:
            return
        peer = toulbar2_peer.solve_each(problems, self.peer_seconds)
        self.bench.wrong.extend(contradictions(scores, {"exact": exact, "toulbar2": peer}))
        yield peer.proved_line(scores, UNJUDGED, "proved by toulbar2")
        yield Compared("exact", "toulbar2", "median", scores, (exact.both, peer.both), marks)
        ratios = peer.seconds.sum() / exact.seconds.sum(), peer.alone.sum() / exact.alone.sum()
        yield from both_ways("exact over toulbar2, total time", scores, ratios, "x", more=True)


def _anew(problem: LinkingProblem) -> LinkingProblem:
    """Rebuild the problem from its candidates and distances, without any cached results."""
    return problem.with_distances(problem.distances)


def proof_lines(bench: LinkingBench) -> Iterator[Measurement]:
    """Measure documents of 12, 25 and 53 mentions on each graph."""
    judged = bench.synthetic.judged
    for family in FAMILIES:
        for k, marks in MARKS.items():
            scores = f"{family}, k = {k} x {bench.synthetic.candidates}"
            problems = bench.synthetic.documents(family, k, bench.bench.seeds)
            exact = bench.solve(scores, problems)
            yield from exact.lines("exact, median", scores, marks if judged else UNJUDGED)
            yield exact.slow_line("exact", scores)
            yield exact.proved_line(scores, (100, 100) if judged else UNJUDGED)
            yield from bench.peer_lines(scores, problems, exact, (3, 10) if judged else UNJUDGED)
        yield from _large_lines(bench, family)


def _large_lines(bench: LinkingBench, family: str) -> Iterator[BenchmarkLine]:
    """Documents too large for some proofs: what counts is the time where all are proved, else the gap."""
    scores = f"{family}, k = {LARGE} x {bench.synthetic.candidates}"
    problems = bench.synthetic.documents(family, LARGE, min(bench.bench.seeds, 3))
    exact = bench.solve(scores, problems)
    done, judged = bool(exact.proved.all()), bench.synthetic.judged
    seconds = float(np.median(exact.seconds))
    yield line("exact, median", scores, seconds, "s", (60, 5) if judged and done else UNJUDGED)
    yield exact.proved_line(scores, UNJUDGED)
    gap = float(np.max(100 * (exact.values - exact.bounds) / np.maximum(exact.values, 1)))
    yield line("largest gap", scores, gap, "%", (15, 10) if judged and not done else UNJUDGED)
