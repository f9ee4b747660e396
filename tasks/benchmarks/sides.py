"""Both sides of a comparison, each timed twice: from arrays to the answer, and the search alone.

Users have scores and want an answer that is proved. So the first time holds whatever makes a model of the arrays,
on both sides, and on ours a certificate that can be asked for. The second shows what is left once all is laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from benchmarks.chains.stopwatch import Spread, cpu_seconds
from benchmarks.chains.targets import Line
from gapless.cli import Console
from gapless.core.sparse import FloatArray

FROM_ARRAYS, ALONE = "from arrays", "search alone"
Marks = tuple[float, float] | tuple[None, None]
"""What must be reached, and what to aim at."""
UNJUDGED: Marks = (None, None)
_SHORTEST = 0.002
"""Seconds of work for one number; shorter work is repeated."""
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@attrs.frozen(eq=False)
class Timed(Generic[Answer]):
    """What one solver did with each instance.

    Parameters
    ----------
    seconds : float64 (instances,)
        CPU time of this thread.
    answers : list
    """

    seconds: FloatArray
    answers: list[Answer]

    @property
    def milliseconds(self) -> Spread:
        """Median and range over the instances."""
        return Spread.of(1e3 * self.seconds)

    def times(self, other: Timed[Any]) -> Spread:
        """How many times as long this one takes, median and range over the instances."""
        return Spread.of(self.seconds / other.seconds)


def _same(asked: Any) -> Any:
    return asked


@attrs.frozen
class Side(Generic[Asked, Answer]):
    """One side of a comparison.

    Parameters
    ----------
    solve : callable
        ``solve(arrays)``: model, search and, where there is one, certificate.
    search : callable
        ``search(ready)``: the search alone.
    prepare : callable
        ``prepare(arrays)``: what the search is given; not timed.
    """

    solve: Callable[[Asked], Answer]
    search: Callable[[Any], Answer]
    prepare: Callable[[Asked], Any] = _same


@attrs.frozen(eq=False)
class Both(Generic[Answer]):
    """One side's times.

    Parameters
    ----------
    from_arrays, alone : Timed
    """

    from_arrays: Timed[Answer]
    alone: Timed[Answer]


@attrs.frozen(eq=False)
class Compared:
    """Two sides, timed on the same instances.

    Parameters
    ----------
    ours, peer : str
    what, scores : str
        What was solved, and under which scores.
    times : tuple of Both
        Ours and the peer's.
    marks : tuple
        For how many times as long the peer takes from arrays.
    """

    ours: str
    peer: str
    what: str
    scores: str
    times: tuple[Both[Any], Both[Any]]
    marks: Marks = UNJUDGED

    def lines(self) -> Iterator[Line]:
        """The ratios, round by round or instance by instance; marks speak of what users get."""
        ours, peer = self.times
        between = f"{self.ours} over {self.peer}{self.what and ', '}{self.what}"
        ratio = peer.from_arrays.times(ours.from_arrays)
        must, aim = self.marks
        yield Line(f"{between}, {FROM_ARRAYS}", self.scores, "", ratio, "x", must, aim, more=True)
        ratio = peer.alone.times(ours.alone)
        yield Line(f"{between}, {ALONE}", self.scores, "", ratio, "x", None, None, more=True)


def timed(
    solve: Callable[[Asked], Answer], instances: Sequence[Asked], console: Console, title: str
) -> Timed[Answer]:
    """Solve each instance on its own, see `timed_in_turn`."""
    return timed_in_turn({title: solve}, instances, console, title)[title]


def timed_in_turn(
    solvers: Mapping[str, Callable[[Asked], Answer]], instances: Sequence[Asked], console: Console, title: str
) -> dict[str, Timed[Answer]]:
    """Let every solver solve each instance on its own, before the next one comes: load falls on all of them.

    What takes less than 2 ms is repeated. The first instance is solved once more before the clock runs.
    """
    sides = {name: Side(solve, solve) for name, solve in solvers.items()}
    return {
        name: both.from_arrays for name, both in _in_turn(sides, instances, console, title, alone=False).items()
    }


def both_in_turn(
    sides: Mapping[str, Side[Asked, Answer]], instances: Sequence[Asked], console: Console, title: str
) -> dict[str, Both[Answer]]:
    """As `timed_in_turn`; every side solves each instance from arrays, and then searches a prepared one."""
    return _in_turn(sides, instances, console, title, alone=True)


def _in_turn(
    sides: Mapping[str, Side[Asked, Answer]],
    instances: Sequence[Asked],
    console: Console,
    title: str,
    *,
    alone: bool,
) -> dict[str, Both[Answer]]:
    count = len(instances)
    found: dict[str, Both[Answer]] = {
        name: Both(Timed(np.empty(count), []), Timed(np.empty(count), [])) for name in sides
    }
    with console.progress(title, count) as advance:
        for number, instance in enumerate(instances):
            for name, side in sides.items():
                if number == 0:
                    side.solve(instance)
                    if alone:
                        side.search(side.prepare(instance))
                whole, rest = found[name].from_arrays, found[name].alone
                whole.seconds[number] = seconds_of(side.solve, _same, instance, whole.answers)
                if alone:
                    rest.seconds[number] = seconds_of(side.search, side.prepare, instance, rest.answers)
            advance(1)
    return found


def seconds_of(
    work: Callable[[Any], Answer], prepare: Callable[[Asked], Any], instance: Asked, answers: list[Answer]
) -> float:
    """CPU seconds of the work, prepared anew each time; the first answer is kept."""
    first = _once(work, prepare(instance), answers)
    repeats = int(_SHORTEST / max(first, 1e-6))
    if not repeats:
        return first
    again: list[Answer] = []
    return sum(_once(work, prepare(instance), again) for _ in range(repeats)) / repeats


def _once(work: Callable[[Any], Answer], ready: Any, answers: list[Answer]) -> float:
    return cpu_seconds(lambda: answers.append(work(ready)))
