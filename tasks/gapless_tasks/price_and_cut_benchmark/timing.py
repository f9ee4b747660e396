"""CPU time of each sentence: of our methods and of peers in turn, and their ratios."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import FloatArray
from gapless_dependency import ParsingProblem
from gapless_tasks.chain_benchmark.stopwatch import Spread, cpu_seconds
from gapless_tasks.parsing_benchmark.measurement import LIMIT

_SHORTEST = 0.002
"""Seconds of work between two looks at the clock; shorter work is repeated."""
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@attrs.frozen(eq=False)
class Timed(Generic[Answer]):
    """What one solver did with each sentence.

    Parameters
    ----------
    seconds : float64 (sentences,)
        CPU time of this thread.
    answers : list
    """

    seconds: FloatArray
    answers: list[Answer]

    @property
    def milliseconds(self) -> Spread:
        """Median and range over the sentences."""
        return Spread.of(1e3 * self.seconds)

    def times(self, other: Timed[Any]) -> Spread:
        """How many times as long this one takes, median and range over the sentences."""
        return Spread.of(self.seconds / other.seconds)


def timed(
    solve: Callable[[Asked], Answer], sentences: Sequence[Asked], console: Console, title: str
) -> Timed[Answer]:
    """Solve each sentence on its own, see `timed_in_turn`."""
    return timed_in_turn({title: solve}, sentences, console, title)[title]


def timed_in_turn(
    solvers: Mapping[str, Callable[[Asked], Answer]], sentences: Sequence[Asked], console: Console, title: str
) -> dict[str, Timed[Answer]]:
    """Let every solver solve each sentence on its own, before the next one comes: load falls on all of them.

    What takes less than 2 ms is repeated. The first sentence is solved once more before the clock runs.
    """
    found: dict[str, Timed[Answer]] = {name: Timed(np.empty(len(sentences)), []) for name in solvers}
    with console.progress(title, len(sentences)) as advance:
        for number, sentence in enumerate(sentences):
            for name, solve in solvers.items():
                if number == 0:
                    solve(sentence)
                found[name].seconds[number] = _seconds(solve, sentence, found[name].answers)
            advance(1)
    return found


def _seconds(solve: Callable[[Asked], Answer], sentence: Asked, answers: list[Answer]) -> float:
    once = cpu_seconds(lambda: answers.append(solve(sentence)))
    repeats = int(_SHORTEST / max(once, 1e-6))
    if not repeats:
        return once

    def again() -> None:
        for _ in range(repeats):
            solve(sentence)

    return cpu_seconds(again) / repeats


def exact_value(method: str) -> Callable[[ParsingProblem], float]:
    """The value of a tree that is proved to be best; NaN where it is not proved within `LIMIT`.

    The certificate is made when somebody asks for it, which nobody does here.
    """

    def solve(problem: ParsingProblem) -> float:
        batch = gl.solve_many([problem], method, limits=gl.Limits(time=LIMIT))
        return float(batch.values[0]) if batch.statuses[0] is gl.Status.OPTIMAL else np.nan

    return solve


def result_of(method: str, **options: Any) -> Callable[[ParsingProblem], gl.Result[Any]]:
    """The whole result of a method, certificate and all."""

    def solve(problem: ParsingProblem) -> gl.Result[Any]:
        return gl.solve(problem, method, **options)

    return solve
