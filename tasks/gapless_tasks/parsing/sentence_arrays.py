"""Sentences as arrays of scores, and parsing timed as users pay for it: from them to certified results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless.roles import ConfigurationFactor, Factor
from gapless.runs import RunFolder
from gapless_dependency import ParsingProblem
from gapless_dependency.factors.backbone_factor import BackboneFactor
from gapless_dependency.factors.part_factor import PartFactor

_WIDEST = 3
"""Axes of a dense array of parts, at most: four would be gigabytes."""


@attrs.frozen(eq=False)
class SentenceArrays:
    """Arrays of the scores of arcs and of parts, before a problem is built.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    parts : sequence of (type of PartFactor, float64 (n + 1, n + 1, n + 1))
        For each factor the scores of its parts by their word positions; 0 where there is no part.
    others : sequence of factors
        Factors that are data already, and parts of more than three words, as tables.
    """

    arcs: FloatArray
    parts: tuple[tuple[type[PartFactor], FloatArray], ...]
    projective: bool
    single_root: bool
    granularity: float | None
    others: tuple[Factor | ConfigurationFactor | BackboneFactor, ...] = ()

    @classmethod
    def of(cls, problem: ParsingProblem) -> SentenceArrays:
        """Extract the scores of a problem."""
        parts: list[tuple[type[PartFactor], FloatArray]] = []
        others: list[Factor | ConfigurationFactor | BackboneFactor] = [
            factor for factor in problem.factors if not isinstance(factor, Factor)
        ]
        for scored in problem.conjunctions:
            factor = scored.factor
            if not isinstance(factor, PartFactor):
                others.append(factor)
                continue
            if len(factor.places) > _WIDEST:
                others.append(factor.tabulated(problem.decisions))
                continue
            dense = np.zeros((problem.length + 1,) * len(factor.places))
            dense[factor.positions(scored.scopes, problem.decisions)] = scored.all_scores()
            parts.append((type(factor), dense))
        kind = problem.projective, problem.single_root, problem.granularity
        return cls(problem.scores, tuple(parts), *kind, tuple(others))

    def problem(self) -> ParsingProblem:
        """Build a new problem, without any caches."""
        parts = [kind(dense) for kind, dense in self.parts]
        return ParsingProblem(
            self.arcs,
            factors=[*parts, *self.others],
            projective=self.projective,
            single_root=self.single_root,
            granularity=self.granularity,
        )


SHORTEST = 1e-9
"""Least seconds of any work: a coarse clock may measure 0."""

MOST = 100
"""Sentences of a part that `certified_rate` solves, evenly spread over it."""


def certified_seconds(
    sentences: Sequence[SentenceArrays],
    method: str | None,
    console: Console,
    title: str,
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
) -> float:
    """Measure the CPU seconds from the arrays of some sentences to their results, certificates included."""
    seconds = 0.0
    with console.progress(f"{title}, from arrays", len(sentences)) as advance:
        for arrays in sentences:
            start = time.thread_time()
            gl.solve(arrays.problem(), method, limits=limits, **(options or {}))
            seconds += time.thread_time() - start
            advance(1)
    return seconds


def certified_rate(
    problems: Sequence[ParsingProblem],
    method: str | None,
    console: Console,
    title: str,
    *,
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    out: RunFolder | None = None,
    key: str = "",
) -> float | None:
    """Measure words a second from arrays to certificates, on at most `MOST` sentences; None without sentences.

    Whatever ends a solve early, as a limit does, counts with the time that it took. A run folder `out` keeps the
    measurement of its first start under `key`.
    """

    def measure() -> float | None:
        some = list(problems[:: max(1, -(-len(problems) // MOST))])
        if not some:
            return None
        arrays = [SentenceArrays.of(problem) for problem in some]
        seconds = certified_seconds(arrays, method, console, title, options, limits)
        return sum(problem.length for problem in some) / max(seconds, SHORTEST)

    return measure() if out is None else out.timed(key, measure)
