"""CPU time of each problem, method after method, and whether their values can be true together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import BoolArray, FloatArray
from gapless.core.tolerance import margin
from gapless_tasks.chain_benchmark.stopwatch import Spread, cpu_seconds
from gapless_tasks.parsing_benchmark.lines import one

AnyProblem = gl.Problem[Any]


@attrs.frozen(eq=False)
class Way:
    """A method with its options.

    Parameters
    ----------
    method : str
    options : mapping
    verified : bool
        Whether every answer's certificate is verified; that is not timed.
    """

    method: str
    options: Mapping[str, Any] = attrs.field(factory=dict)
    verified: bool = False


EXACT = Way("exact", verified=True)


@attrs.frozen(eq=False)
class Solved:
    """What one way did with each problem.

    Parameters
    ----------
    seconds : float64 (problems,)
        CPU time of this thread. Each problem is solved once, after all of those before it: nothing is warm but the
        code.
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
    values: FloatArray
    bounds: FloatArray
    proved: BoolArray
    failed: list[str]
    sense: gl.Sense = gl.Sense.MAXIMISE

    @property
    def milliseconds(self) -> Spread:
        """Median and range."""
        return Spread.of(1e3 * self.seconds)

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
) -> dict[str, Solved]:
    """Let every way solve each problem before the next one comes, so that load falls on all of them.

    The problem `small` is solved before the clock runs.
    """
    count = len(problems)
    found = {
        name: Solved(
            np.empty(count), np.full(count, np.nan), np.empty(count), np.zeros(count, bool), [], small.sense
        )
        for name in ways
    }
    for way in ways.values():
        _solve(way, small, limits, [])
    with console.progress(title, count) as advance:
        for number, problem in enumerate(problems):
            for name, way in ways.items():
                _record(found[name], number, way, problem, limits)
            advance(1)
    return found


def _solve(way: Way, problem: AnyProblem, limits: gl.Limits, answers: list[gl.Result[Any]]) -> None:
    answers.append(gl.solve(problem, way.method, limits=limits, **way.options))


def _record(solved: Solved, number: int, way: Way, problem: AnyProblem, limits: gl.Limits) -> None:
    answers: list[gl.Result[Any]] = []
    solved.seconds[number] = cpu_seconds(_solve, way, problem, limits, answers)
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
