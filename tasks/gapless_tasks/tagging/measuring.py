"""Timing decoders against each other: they take turns, and CPU time is counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

ROUNDS = 5
ENOUGH_SECONDS = 0.02


def cpu_seconds(runs: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Measure the median CPU seconds of each run.

    Every round calls each of them in turn, so that what else the machine does falls on all alike; a short run is
    repeated inside its turn until the clock can be trusted. One call of each before that warms caches and tables.
    """
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start, calls = time.process_time(), 0
            while not calls or time.process_time() - start < ENOUGH_SECONDS:
                run()
                calls += 1
            seconds[name].append((time.process_time() - start) / calls)
    return {name: median(values) for name, values in seconds.items()}
