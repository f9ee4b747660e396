"""Both sides of a comparison take turns, each timed twice: from arrays to the answer, and the search alone.

Users have scores and want a proved answer. So the first time includes the making of the model, on both sides, and
on ours a certificate that can be asked for. The second leaves out the layout of the problem.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from benchmarks.frame.marks import UNJUDGED, Line, Marks, Spread, both_ways
from gapless.cli import Console
from gapless.core.sparse import FloatArray

_SHORTEST = 0.002
"""Seconds of work for one number; shorter work is repeated."""
Instance = TypeVar("Instance")
Answer = TypeVar("Answer")


def cpu_seconds(work: Callable[..., object], *arguments: object) -> float:
    """CPU time of this thread for doing `work` once."""
    start = time.thread_time()
    work(*arguments)
    return time.thread_time() - start


def timed_call(work: Callable[..., Answer], *arguments: Any) -> tuple[float, Answer]:
    """CPU time of this thread for a call, and its answer."""
    start = time.thread_time()
    answer = work(*arguments)
    return time.thread_time() - start, answer


@attrs.frozen(eq=False)
class Timed(Generic[Answer]):
    """One solver on each instance.

    Parameters
    ----------
    seconds : float64 (instances,)
        CPU time of this thread.
    """

    seconds: FloatArray
    answers: list[Answer] = attrs.field(factory=list)

    @property
    def milliseconds(self) -> Spread:
        """Median and range over the instances."""
        return Spread.of(1e3 * self.seconds)

    def times(self, other: Timed[Any]) -> Spread:
        """The ratio of this one's times to the other's, median and range over the instances."""
        return Spread.of(self.seconds / other.seconds)


def _same(instance: Any) -> Any:
    return instance


@attrs.frozen
class Side(Generic[Instance, Answer]):
    """One side of a comparison.

    Parameters
    ----------
    solve : callable
        ``solve(arrays)``: model, search and, where there is one, certificate.
    search : callable
        ``search(ready)``: the search alone.
    prepare : callable
        ``prepare(arrays)``: the input of the search; not timed.
    """

    solve: Callable[[Instance], Answer]
    search: Callable[[Any], Answer]
    prepare: Callable[[Instance], Any] = _same


@attrs.frozen(eq=False)
class Both(Generic[Answer]):
    """The times of one side."""

    from_arrays: Timed[Answer]
    alone: Timed[Answer]

    @classmethod
    def of(cls, from_arrays: FloatArray, alone: FloatArray) -> Both[Any]:
        """Of seconds, without answers."""
        return cls(Timed(from_arrays), Timed(alone))

    @property
    def milliseconds(self) -> tuple[Spread, Spread]:
        """From arrays, and of the search alone."""
        return self.from_arrays.milliseconds, self.alone.milliseconds


@attrs.frozen(eq=False)
class Compared:
    """Two sides, timed on the same instances.

    Parameters
    ----------
    what, scores : str
        The quantity, and the scores that it was measured on.
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
        """The ratios, round by round or instance by instance; marks are for the ratio from arrays."""
        ours, peer = self.times
        ratios = peer.from_arrays.times(ours.from_arrays), peer.alone.times(ours.alone)
        what = f"{self.ours} over {self.peer}{self.what and ', '}{self.what}"
        whole, alone = both_ways(what, self.scores, ratios, "x", self.marks, more=True)
        yield whole
        yield attrs.evolve(alone, must=None, aim=None)


def both_in_turn(
    sides: Mapping[str, Side[Instance, Answer]], instances: Sequence[Instance], console: Console, title: str
) -> dict[str, Both[Answer]]:
    """Let every side solve each instance before the next one comes: load falls on all of them.

    Each instance is solved from arrays, and then a prepared one is searched. What takes less than 2 ms is repeated.
    The first instance is solved once more before the clock runs.
    """
    count = len(instances)
    found: dict[str, Both[Answer]] = {name: Both.of(np.empty(count), np.empty(count)) for name in sides}
    with console.progress(title, count) as advance:
        for number, instance in enumerate(instances):
            for name, side in sides.items():
                if number == 0:
                    side.solve(instance)
                    side.search(side.prepare(instance))
                whole, alone = found[name].from_arrays, found[name].alone
                whole.seconds[number] = _seconds(side.solve, _same, instance, whole.answers)
                alone.seconds[number] = _seconds(side.search, side.prepare, instance, alone.answers)
            advance(1)
    return found


def _seconds(
    work: Callable[[Any], Answer], prepare: Callable[[Instance], Any], instance: Instance, answers: list[Answer]
) -> float:
    """CPU seconds of the work, prepared anew each time; the first answer is kept."""
    first, answer = timed_call(work, prepare(instance))
    answers.append(answer)
    repeats = int(_SHORTEST / max(first, 1e-6))
    if not repeats:
        return first
    again = [timed_call(work, prepare(instance)) for _ in range(repeats)]  # kept: freeing memory is no part of it
    return sum(seconds for seconds, _ in again) / repeats
