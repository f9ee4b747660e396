"""CPU time of each problem, method after method, and whether their values can be true together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import BoolArray, FloatArray
from gapless.core.tolerance import margin
from gapless_tasks.chain_benchmark.stopwatch import Spread, cpu_seconds
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.parsing_benchmark.lines import line, one
from gapless_tasks.sides import ALONE, FROM_ARRAYS, Both, Marks, Timed

AnyProblem = gl.Problem[Any]
Anew = Callable[[Any], AnyProblem]
_LONG = 1.0
"""Seconds: whoever searches longer spends next to nothing on the rest, and is not asked twice."""


@attrs.frozen(eq=False)
class Way:
    """A method with its options.

    Parameters
    ----------
    method : str
    options : mapping
    verified : bool
        Whether every answer's certificate is verified; that is not timed.
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
    """What one way did with each problem.

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
    sense: gl.Sense = gl.Sense.MAXIMISE

    @property
    def both(self) -> Both[None]:
        """Both times."""
        return Both(Timed(self.seconds, []), Timed(self.alone, []))

    @property
    def milliseconds(self) -> Spread:
        """Median and range, from arrays."""
        return Spread.of(1e3 * self.seconds)

    def lines(self, what: str, scores: str, marks: Marks) -> Iterator[Line]:
        """The milliseconds from arrays, and of the search alone, of which the marks spoke once."""
        for how, timed in ((FROM_ARRAYS, self.both.from_arrays), (ALONE, self.both.alone)):
            yield line(f"{what}, {how}", scores, timed.milliseconds, "ms", marks, False)

    def percentile(self, share: float) -> Spread:
        """Of the milliseconds."""
        return one(1e3 * float(np.percentile(self.seconds, share)))


def solve_in_turn(
    ways: Mapping[str, Way],
    problems: Sequence[AnyProblem],
    console: Console,
    title: str,
    limits: gl.Limits,
    small: AnyProblem,
    anew: Anew = attrs.evolve,
) -> dict[str, Solved]:
    """Let every way solve each problem before the next one comes, so that load falls on all of them.

    The problem `small` is solved before the clock runs. ``anew(problem)`` makes a problem of the same arrays, of
    which nothing is known yet; that is timed.
    """
    count = len(problems)
    found = {
        name: Solved(
            np.empty(count),
            np.empty(count),
            np.full(count, np.nan),
            np.empty(count),
            np.zeros(count, bool),
            [],
            small.sense,
        )
        for name in ways
    }
    for way in ways.values():
        _solve(way, small, limits, attrs.evolve, [])
    with console.progress(title, count) as advance:
        for number, problem in enumerate(problems):
            for name, way in ways.items():
                _record(found[name], number, way, problem, limits, anew)
            advance(1)
    return found


def _solve(way: Way, problem: AnyProblem, limits: gl.Limits, anew: Anew, answers: list[gl.Result[Any]]) -> None:
    answers.append(gl.solve(anew(problem), way.method, limits=limits, **way.options))


def _alone(way: Way, problem: AnyProblem, limits: gl.Limits, whole: float, result: gl.Result[Any]) -> float:
    """Seconds of the search alone: told by the result, or of a second search; all where that is next to nothing."""
    model = result.stats.extra.get("model_seconds")
    if model is not None:
        return max(whole - float(model), 0.0)
    if not way.separable or whole > _LONG:
        return whole
    gl.solve_many([problem], way.method, limits=limits, **way.options)  # what can be laid out is, then
    return cpu_seconds(lambda: gl.solve_many([problem], way.method, limits=limits, **way.options))


def _record(solved: Solved, number: int, way: Way, problem: AnyProblem, limits: gl.Limits, anew: Anew) -> None:
    answers: list[gl.Result[Any]] = []
    solved.seconds[number] = cpu_seconds(_solve, way, problem, limits, anew, answers)
    solved.alone[number] = _alone(way, problem, limits, float(solved.seconds[number]), answers[0])
    (result,) = answers
    solved.values[number] = result.value if result.solutions else np.nan
    solved.bounds[number] = result.bound
    solved.proved[number] = result.status in (gl.Status.OPTIMAL, gl.Status.INFEASIBLE)
    if way.verified and solved.proved[number]:
        verdict = result.verify(problem)
        if not verdict:
            solved.failed.append(f"{way.method}, problem {number}: {verdict.place}: {verdict.reason}")


def contradictions(scores: str, found: Mapping[str, Solved]) -> list[str]:
    """Sentences about values better than a bound that another way gave, and certificates that do not hold."""
    wrong = [f"{scores}: {failed}" for solved in found.values() for failed in solved.failed]
    for name, solved in found.items():
        for other, bounding in found.items():
            for number, (value, bound) in enumerate(zip(solved.values, bounding.bounds, strict=True)):
                if solved.sense.sign * (value - bound) > margin(bound):
                    wrong.append(
                        f"{scores}, problem {number}: {name} found {value:.12g}, {other} proved {bound:.12g}"
                    )
    return wrong
