"""How long a proof takes when the distances are known, on drawn documents; toulbar2 in the same run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np

import gapless as gl
from benchmarks.chains.targets import Line
from benchmarks.linking import toulbar2_peer
from benchmarks.linking.instances import FAMILIES, Synthetic
from benchmarks.ordering.timing import EXACT, Solved, contradictions, solve_in_turn
from benchmarks.parsing.lines import UNJUDGED, Marks, line, one, percent
from benchmarks.sides import ALONE, FROM_ARRAYS, Both, Compared, Timed
from gapless.cli import Console
from gapless_linking import LinkingProblem

MARKS = {12: (10, 1), 25: (1000, 200)}
"""Milliseconds of the median proof, for each number of sets."""
LARGE = 53
"""Sets of the largest documents."""


@attrs.frozen(eq=False)
class Bench:
    """What every measurement needs.

    Parameters
    ----------
    synthetic : Synthetic
    seeds : int
        Drawn documents of each kind.
    limits : Limits
        For each document.
    peer_seconds : int
        For each document and setting of toulbar2; 0 leaves it out.
    console : Console
    wrong : list of str
        Values that cannot be true together, and certificates that do not hold; whoever measures adds to it.
    """

    synthetic: Synthetic
    seeds: int
    limits: gl.Limits
    peer_seconds: int
    console: Console
    wrong: list[str]

    def solve(self, scores: str, problems: Sequence[LinkingProblem], limits: gl.Limits | None = None) -> Solved:
        """Solve each problem by method exact, and verify its certificate."""
        small = LinkingProblem.from_distances(1 - np.eye(3, dtype=np.int64), [[0, 1], [1, 2]])
        found = solve_in_turn({"exact": EXACT}, problems, self.console, scores, limits or self.limits, small, _anew)
        self.wrong.extend(contradictions(scores, found))
        return found["exact"]

    def peer_lines(
        self, scores: str, problems: Sequence[LinkingProblem], exact: Solved, marks: Marks
    ) -> Iterator[Line | Compared]:
        """Toulbar2 on the problems that were just solved; where its limit stops it, the true ratio is larger."""
        if not self.peer_seconds:
            return
        peer = toulbar2_peer.solve_each(problems, self.peer_seconds)
        self.wrong.extend(peer.contradictions(scores, exact))
        yield line("proved by toulbar2", scores, percent(peer.proved.mean()), "%", UNJUDGED, True)
        both: Both[None] = Both(Timed(peer.seconds, []), Timed(peer.alone, []))
        yield Compared("exact", "toulbar2", "median", scores, (exact.both, both), marks)
        for how, ours, theirs in (
            (FROM_ARRAYS, exact.seconds, peer.seconds),
            (ALONE, exact.alone, peer.alone),
        ):
            ratio = one(float(theirs.sum() / ours.sum()))
            yield line(f"exact over toulbar2, total time, {how}", scores, ratio, "x", UNJUDGED, True)


def _anew(problem: LinkingProblem) -> LinkingProblem:
    """The same candidates and distances, of which nothing else is known."""
    return problem.with_distances(problem.distances)


def proof_lines(bench: Bench) -> Iterator[Line | Compared]:
    """Documents of 12, 25 and 53 mentions on each graph."""
    judged = bench.synthetic.judged
    for family in FAMILIES:
        for k, marks in MARKS.items():
            scores = f"{family}, k = {k} x {bench.synthetic.candidates}"
            problems = bench.synthetic.documents(family, k, bench.seeds)
            exact = bench.solve(scores, problems)
            yield from exact.lines("exact, median", scores, marks if judged else UNJUDGED)
            yield line("exact, worst", scores, exact.percentile(100), "ms", UNJUDGED, False)
            proved = percent(exact.proved.mean())
            yield line("proved", scores, proved, "%", (100, 100) if judged else UNJUDGED, True)
            yield from bench.peer_lines(scores, problems, exact, (3, 10) if judged else UNJUDGED)
        yield from _large_lines(bench, family)


def _large_lines(bench: Bench, family: str) -> Iterator[Line]:
    """Documents too large for some proofs: what counts is the time where all are proved, else the gap."""
    scores = f"{family}, k = {LARGE} x {bench.synthetic.candidates}"
    problems = bench.synthetic.documents(family, LARGE, min(bench.seeds, 3))
    exact = bench.solve(scores, problems)
    done, judged = bool(exact.proved.all()), bench.synthetic.judged
    seconds = one(float(np.median(exact.seconds)))
    yield line("exact, median", scores, seconds, "s", (60, 5) if judged and done else UNJUDGED, False)
    yield line("proved", scores, percent(exact.proved.mean()), "%", UNJUDGED, True)
    gap = one(float(np.max(100 * (exact.values - exact.bounds) / np.maximum(exact.values, 1))))
    yield line("largest gap", scores, gap, "%", (15, 10) if judged and not done else UNJUDGED, False)
