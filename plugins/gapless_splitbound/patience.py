"""A search that gives up once its gap closes too slowly, so that another with a better bound may take its place."""

from __future__ import annotations

import math
import time
from typing import Any

import attrs

from gapless import Limits, Result, Stop
from gapless.core.limits import Budget
from gapless.engine.guard import guarded
from gapless.search.driver import ENDLESS, Search
from gapless_dependency import DependencyTree

FIRST = 32
"""Nodes after which the gap is looked at, and then whenever they have doubled."""
SLOW = 12.0
"""Nodes, times the share of the root's gap that is left, from which on a search is expected to take long."""


class PatientSearch(Search[DependencyTree]):
    """A `Search` that stops by ``Stop.NODES`` once it is expected to take long; `gave_up` says so."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.gave_up, self._next, self._root_gap = False, 1, math.inf

    def advance(
        self, seconds: float, nodes: int = ENDLESS, steps: int = ENDLESS, limits: Limits | None = None
    ) -> Stop | None:
        """As `Search.advance`."""
        if self.gave_up:
            return Stop.NODES
        stop = super().advance(seconds, min(nodes, self._next), steps, limits)
        if stop is not Stop.NODES or self.kernel.nodes < self._next:
            return stop
        gap = self.bound - self.value
        if self._next == 1:
            self._root_gap, self._next = gap, FIRST
        else:
            self.gave_up = bool(self.kernel.nodes * gap >= SLOW * self._root_gap)
            self._next *= 2
        return Stop.NODES if self.gave_up else None

    def finish(self, nodes: int = ENDLESS, seconds: float = math.inf) -> bool:
        """As `Search.finish`, but for searches that gave up."""
        end = time.perf_counter() + seconds
        while self.kernel.nodes < nodes and seconds > 0 and not self.gave_up:
            if self.advance(seconds, nodes) is Stop.PROVED:
                return True
            seconds = end - time.perf_counter()
        return False


class Phase(Budget):
    """The budget of one search of several, with what the whole solve has left; observers see one search.

    Parameters
    ----------
    whole : Budget
    bound : float
        Known from the searches before.
    """

    def __init__(self, whole: Budget, bound: float = math.inf) -> None:
        limits = whole.limits
        left = attrs.evolve(
            limits,
            nodes=None if limits.nodes is None else limits.nodes - whole.nodes,
            iterations=None if limits.iterations is None else limits.iterations - whole.iterations,
            time=None if limits.time is None else whole.time_left,
        )
        super().__init__(left, observers=whole.observers, trace=whole.trace)
        self.whole, self.bound, self._first = whole, bound, whole.nodes == 0

    def emit(self, kind: str, bound: float, value: float, **details: Any) -> None:
        """As `Budget.emit`; the end is told once nothing follows."""
        if kind == "stop" or (kind == "start" and not self._first):
            return
        if "node" in details:
            details["node"] += self.whole.nodes
        self.whole.emit(kind, max(min(bound, self.bound), value), value, **details)

    def interrupt(self) -> None:
        """Record a Ctrl-C for the whole solve."""
        super().interrupt()
        self.whole.interrupt()

    def count(self) -> None:
        """Add what this search took to the whole."""
        self.whole.nodes += self.nodes
        self.whole.iterations += self.iterations

    def ended(self, found: Result[DependencyTree]) -> Result[DependencyTree]:
        """The answer of the whole solve, where no search follows."""
        self.count()
        best = found.value if found.solutions else -math.inf
        guarded(self.whole, self.whole.emit, "stop", max(found.bound, best), best)
        stats = attrs.evolve(found.stats, seconds=self.whole.elapsed)
        return attrs.evolve(found, stats=stats, trace=tuple(self.whole.events))
