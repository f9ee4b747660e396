"""CPU time of each problem under every method, and contradictions between their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.marks import UNJUDGED, BenchmarkLine, Marks, Spread, both_ways, line
from benchmarks.frame.turns import Both, cpu_seconds, timed_call
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.arrays.tolerance import score_tolerance
from gapless.cli import Console
from gapless.roles import Sense

AnyProblem = gl.Problem[Any]
Anew = Callable[[Any], AnyProblem]
_LONG = 1.0
"""Seconds beyond which a solve counts as all search and is not run twice."""


@attrs.frozen(eq=False)
class Way:
    """A method with its options.

    Parameters
    ----------
    verified : bool
        If True, verify the certificate of every answer, outside the measured time.
    separable : bool
        Whether a problem that was solved before is searched alone when it is solved again. What writes a program
        for a solver tells its share as ``stats.extra["model_seconds"]``, or writes it as it goes.
    """

    method: str
    options: Mapping[str, Any] = attrs.field(factory=dict)
    verified: bool = False
    separable: bool = True


EXACT = Way("exact", verified=True)


@attrs.frozen(eq=False)
class Solved:
    """The answers and times of one way on each problem.

    Parameters
    ----------
    seconds : float64 (problems,)
        CPU time of this thread, from arrays to the answer and its certificate. Each problem is made of its arrays
        and solved once, after all of those before it: nothing is warm but the code.
    alone : float64 (problems,)
        CPU time of the search alone.
    values, bounds : float64 (problems,)
        In the problem's own sense; values are NaN where nothing was found.
    proved : bool (problems,)
        Optimal, or infeasible.
    failed : list of str
        Certificates that do not hold.
    sense : Sense
        Of the problems.
    """

    seconds: FloatArray
    alone: FloatArray
    values: FloatArray
    bounds: FloatArray
    proved: BoolArray
    failed: list[str]
    sense: Sense = Sense.MAXIMISE

    @classmethod
    def empty(cls, count: int, sense: Sense) -> Solved:
        """Create arrays for the answers to `count` problems."""
        seconds, alone = np.full((2, count), np.inf)
        bounds = np.full(count, sense.sign * np.inf)
        return cls(seconds, alone, np.full(count, np.nan), bounds, np.zeros(count, bool), [], sense)

    @property
    def both(self) -> Both[None]:
        """Both times."""
        return Both.of(self.seconds, self.alone)

    @property
    def milliseconds(self) -> Spread:
        """Median and range, from arrays."""
        return self.both.from_arrays.milliseconds

    def lines(self, what: str, scores: str, marks: Marks = UNJUDGED) -> Iterator[BenchmarkLine]:
        """Yield the lines of the milliseconds from arrays and of the search."""
        return both_ways(what, scores, self.both.milliseconds, "ms", marks)

    def slow_line(self, what: str, scores: str, share: int = 100, marks: Marks = UNJUDGED) -> BenchmarkLine:
        """Build the line of a percentile of the milliseconds from arrays; 100 is the worst."""
        slow = 1e3 * float(np.percentile(self.seconds, share))
        return line(f"{what}, {'worst' if share == 100 else f'{share}th percentile'}", scores, slow, "ms", marks)

    def proved_line(self, scores: str, marks: Marks = (100, 100), what: str = "proved") -> BenchmarkLine:
        """Build the line of the share that was proved."""
        return line(what, scores, 100 * self.proved.mean(), "%", marks, more=True)

    def optimal_line(self, by: str, scores: str, exact: Solved) -> BenchmarkLine:
        """Build the line of the share of values that are those of an exact method."""
        reached = 100 * float(np.isclose(self.values, exact.values, rtol=1e-9, equal_nan=True).mean())
        return line(f"optimal by {by}", scores, reached, "%", more=True)


def solve_interleaved(
    ways: Mapping[str, Way],
    problems: Sequence[AnyProblem],
    console: Console,
    title: str,
    limits: gl.Limits,
    small: AnyProblem,
    anew: Anew = attrs.evolve,
) -> dict[str, Solved]:
    """Interleave the methods problem by problem, so that machine load affects all of them alike.

    The problem `small` is solved before the clock runs. ``anew(problem)`` makes a problem of the same arrays, of
    which nothing is known yet; that is timed.
    """
    count = len(problems)
    found = {name: Solved.empty(count, small.sense) for name in ways}
    for way in ways.values():
        _solve(way, small, limits, attrs.evolve)
    with console.progress(title, count) as advance:
        for number, problem in enumerate(problems):
            for name, way in ways.items():
                _record(found[name], number, way, problem, limits, anew)
            advance(1)
    return found


def _solve(way: Way, problem: AnyProblem, limits: gl.Limits, anew: Anew) -> gl.Result[Any]:
    return gl.solve(anew(problem), way.method, limits=limits, **way.options)


def _alone(way: Way, problem: AnyProblem, limits: gl.Limits, whole: float, result: gl.Result[Any]) -> float:
    """Measure the seconds of the search, by the result's model time, by a second search, or as all of `whole`."""
    model = result.stats.extra.get("model_seconds")
    if model is not None:
        return max(whole - float(model), 0.0)
    if not way.separable or whole > _LONG:
        return whole
    gl.solve_many([problem], way.method, limits=limits, **way.options)  # what can be laid out is, then
    return cpu_seconds(lambda: gl.solve_many([problem], way.method, limits=limits, **way.options))


def _record(solved: Solved, number: int, way: Way, problem: AnyProblem, limits: gl.Limits, anew: Anew) -> None:
    solved.seconds[number], result = timed_call(_solve, way, problem, limits, anew)
    solved.alone[number] = _alone(way, problem, limits, float(solved.seconds[number]), result)
    solved.values[number] = result.value if result.solutions else np.nan
    solved.bounds[number] = result.bound
    solved.proved[number] = result.status in (gl.Status.OPTIMAL, gl.Status.INFEASIBLE)
    if way.verified and solved.proved[number]:
        verdict = result.verify(problem)
        if not verdict:
            solved.failed.append(f"{way.method}, problem {number}: {verdict.location}: {verdict.reason}")


def contradictions(scores: str, found: Mapping[str, Solved]) -> list[str]:
    """Describe values better than a bound that another way gave, and certificates that do not hold."""
    wrong = [f"{scores}: {failed}" for solved in found.values() for failed in solved.failed]
    for name, solved in found.items():
        for other, bounding in found.items():
            for number, (value, bound) in enumerate(zip(solved.values, bounding.bounds, strict=True)):
                if solved.sense.sign * (value - bound) > score_tolerance(bound):
                    wrong.append(
                        f"{scores}, problem {number}: {name} found {value:.12g}, {other} proved {bound:.12g}"
                    )
    return wrong
