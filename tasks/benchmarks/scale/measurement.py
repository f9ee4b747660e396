"""Seconds by the clock and of all processes' CPUs, for one worker and for several."""

from __future__ import annotations

import time

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.marks import ALONE, FROM_ARRAYS
from benchmarks.frame.turns import Spent, spent
from benchmarks.scale.kinds import Kind, Problems

MOST = 100_000
_PROBE = 16


@attrs.define
class Shared:
    """One kind of problems, solved by one worker and by several.

    Parameters
    ----------
    rounds : dict of (str, bool) to list of Spent
        By `FROM_ARRAYS`, or `ALONE` with the problems made before, and whether several workers share them; one
        entry a round. The rounds of one and of several workers alternate.
    agree : bool
        Whether all gave the same values.
    """

    name: str
    count: int
    jobs: int
    rounds: dict[tuple[str, bool], list[Spent]]
    agree: bool = True

    def milliseconds(self, how: str) -> float:
        """Compute the CPU milliseconds per problem of one worker, median of the rounds."""
        return 1e3 * float(np.median([one.cpu for one in self.rounds[how, False]])) / self.count

    def ratios(self, how: str) -> list[tuple[float, float]]:
        """Compute for each round the speed-up by several workers, and the ratio of CPU times."""
        pairs = zip(self.rounds[how, False], self.rounds[how, True], strict=True)
        return [(one.clock / many.clock, many.cpu / one.cpu) for one, many in pairs]


def measure_sharing(kind: Kind, jobs: int, seconds: float, rounds: int) -> Shared:
    """Solve a number of problems that takes one worker about `seconds`, by one and by `jobs`.

    The worker processes are started, and have imported what they need, before the clock runs.
    """
    probe = kind.draw(_PROBE)
    for workers in (1, jobs):
        _solve(kind, probe(), workers)
    each = spent(lambda: _solve(kind, probe(), 1), cpu=_cpu_of_all)[1].cpu / _PROBE
    count = int(min(MOST, max(_PROBE, seconds / max(each, 1e-6))))
    make = kind.draw(count)
    found = Shared(kind.name, count, jobs, {(how, n): [] for how in (FROM_ARRAYS, ALONE) for n in (False, True)})
    values = None
    for _ in range(rounds):
        for several, workers in ((False, 1), (True, jobs)):
            # Made anew each time: problems remember what was found out about them.
            answers, cost = spent(lambda workers=workers: _solve(kind, make(), workers), cpu=_cpu_of_all)
            found.rounds[FROM_ARRAYS, several].append(cost)
            found.rounds[ALONE, several].append(spent(_solve, kind, make(), workers, cpu=_cpu_of_all)[1])
            values = answers.values if values is None else values
            found.agree &= bool(np.allclose(values, answers.values, rtol=1e-9, equal_nan=True))
    return found


def _solve(kind: Kind, problems: Problems, jobs: int) -> gl.BatchResult[object]:
    return gl.solve_many(problems, kind.method, jobs=jobs)


def _cpu_of_all() -> float:
    """Sum user and system seconds of this process and its descendants, whose clocks count hundredths."""
    import psutil  # noqa: PLC0415  comes with Dask, in the extra that this task is about

    times = [process.cpu_times() for process in psutil.Process().children(recursive=True)]
    return time.process_time() + float(sum(spent.user + spent.system for spent in times))
