"""Interleaved timing of both sides of a comparison, from arrays to the answer and of the search only.

Users have scores and want a proved answer. So the first time includes building the model, on both sides, and
on ours a certificate on request. The second excludes the layout of the problem.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from benchmarks.frame.marks import UNJUDGED, BenchmarkLine, Marks, Spread, both_ways
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console

_SHORTEST = 0.002
"""Seconds of work for one number; shorter work is repeated."""
Instance = TypeVar("Instance")
Solution = TypeVar("Solution")


def cpu_seconds(work: Callable[..., object], *arguments: object) -> float:
    """Measure the CPU time of this thread for one call of `work`."""
    start = time.thread_time()
    work(*arguments)
    return time.thread_time() - start


def timed_call(work: Callable[..., Solution], *arguments: Any) -> tuple[float, Solution]:
    """Call `work`; return the CPU time of this thread and its answer."""
    start = time.thread_time()
    answer = work(*arguments)
    return time.thread_time() - start, answer


@attrs.frozen
class Spent:
    """Seconds by the clock, and of CPUs."""

    clock: float
    cpu: float


def spent(
    work: Callable[..., Solution], *arguments: Any, cpu: Callable[[], float] = time.process_time
) -> tuple[Solution, Spent]:
    """Call `work`; return its answer and the cost, by default with the CPU time of this process."""
    clock, before = time.perf_counter(), cpu()
    answer = work(*arguments)
    return answer, Spent(time.perf_counter() - clock, cpu() - before)


def measure_rounds(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, FloatArray]:
    """Measure one number of each work in each round; another work begins each round."""
    names, found = list(works), {name: np.empty(rounds) for name in works}
    for turn in range(rounds):
        first = turn % max(1, len(names))
        for name in names[first:] + names[:first]:
            found[name][turn] = works[name]()
    return found


@attrs.frozen(eq=False)
class Timed(Generic[Solution]):
    """Times and answers of one solver on each instance.

    Parameters
    ----------
    seconds : float64 (instances,)
        CPU time of this thread.
    """

    seconds: FloatArray
    answers: list[Solution] = attrs.field(factory=list)

    @property
    def milliseconds(self) -> Spread:
        """Median and range over the instances."""
        return Spread.of(1e3 * self.seconds)

    def times(self, other: Timed[Any]) -> Spread:
        """Return the ratio of these times to the other's, median and range over the instances."""
        return Spread.of(self.seconds / other.seconds)


def _same(instance: Any) -> Any:
    return instance


@attrs.frozen
class Side(Generic[Instance, Solution]):
    """One side of a comparison.

    Parameters
    ----------
    solve : callable
        ``solve(arrays)``: builds the model, searches and, if the side has one, provides the certificate.
    search : callable
        ``search(prepared)``: only the search.
    prepare : callable
        ``prepare(arrays)``: builds the input of the search; not timed.
    """

    solve: Callable[[Instance], Solution]
    search: Callable[[Any], Solution]
    prepare: Callable[[Instance], Any] = _same

    @classmethod
    def of(cls, search: Callable[[Any], Solution], prepare: Callable[[Instance], Any]) -> Side[Instance, Solution]:
        """Make the side that solves by preparing and searching."""
        return cls(lambda instance: search(prepare(instance)), search, prepare)


@attrs.frozen(eq=False)
class Both(Generic[Solution]):
    """Times of one side, from arrays and of the search."""

    from_arrays: Timed[Solution]
    alone: Timed[Solution]

    @classmethod
    def of(cls, from_arrays: FloatArray, alone: FloatArray) -> Both[Any]:
        """Wrap seconds, without answers."""
        return cls(Timed(from_arrays), Timed(alone))

    @property
    def milliseconds(self) -> tuple[Spread, Spread]:
        """Medians and ranges, from arrays and of the search."""
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
        For the ratio of the peer's time to ours, from arrays.
    """

    ours: str
    peer: str
    what: str
    scores: str
    times: tuple[Both[Any], Both[Any]]
    marks: Marks = UNJUDGED

    def lines(self) -> Iterator[BenchmarkLine]:
        """Yield the ratios over rounds or instances; only the ratio from arrays has marks."""
        ours, peer = self.times
        ratios = peer.from_arrays.times(ours.from_arrays), peer.alone.times(ours.alone)
        what = f"{self.ours} over {self.peer}{self.what and ', '}{self.what}"
        whole, alone = both_ways(what, self.scores, ratios, "x", self.marks, more=True)
        yield whole
        yield attrs.evolve(alone, must=None, aim=None)


def time_interleaved(
    sides: Mapping[str, Side[Instance, Solution]], instances: Sequence[Instance], console: Console, title: str
) -> dict[str, Both[Solution]]:
    """Interleave the sides instance by instance, so that machine load affects all of them alike.

    Each instance is solved from arrays, and then searched once prepared. Work of less than 2 ms is repeated.
    The first instance is solved once more before the clock runs.
    """
    count = len(instances)
    found: dict[str, Both[Solution]] = {name: Both.of(np.empty(count), np.empty(count)) for name in sides}
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
    work: Callable[[Any], Solution],
    prepare: Callable[[Instance], Any],
    instance: Instance,
    answers: list[Solution],
) -> float:
    """Measure CPU seconds of the work, prepared again for each repetition; keep the first answer."""
    first, answer = timed_call(work, prepare(instance))
    answers.append(answer)
    repeats = int(_SHORTEST / max(first, 1e-6))
    if not repeats:
        return first
    again = [timed_call(work, prepare(instance)) for _ in range(repeats)]  # kept: freeing memory is no part of it
    return sum(seconds for seconds, _ in again) / repeats
