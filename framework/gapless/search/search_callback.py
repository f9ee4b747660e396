"""The callback of compiled searches outside `SearchDriver`: observers, limits and the reason to stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from gapless.errors import OracleError
from gapless.limits.limits import SolveBudget, Stop
from gapless.results.result import Result
from gapless.sense import Sense

R = TypeVar("R")


class SearchCallback:
    """Callback that a compiled search runs every few milliseconds.

    Parameters
    ----------
    k : int
        Number of structures requested; if several, neither a target nor a gap of the best ends the search.
    stop : Stop
        Reason to report if the search ends without a proof and without a request to stop.
    sense : Sense
        Sense of the problem; the search passes scores.

    Attributes
    ----------
    stop : Stop
        Reason for which the callback stopped the search.
    error : Exception or None
        Exception of an observer; it ends the search, and `result` raises it.
    """

    def __init__(
        self, budget: SolveBudget, k: int = 1, stop: Stop = Stop.NODES, sense: Sense = Sense.MAXIMISE
    ) -> None:
        self.budget, self.k, self.stop, self.sense = budget, k, stop, sense
        self.error: Exception | None = None

    def __call__(self, bound: float, score: float, iterations: int, nodes: int) -> bool:
        """Emit an event and return whether the search must stop."""
        reason: Stop | None = None
        try:
            budget, limits = self.budget, self.budget.limits
            budget.iterations, budget.nodes = iterations, nodes
            budget.emit("bound", bound, score)
            reason = budget.stop_reason_between_nodes()
            if reason is None and score > -math.inf and self.k == 1:
                if limits.target is not None and score >= self.sense.sign * limits.target:
                    reason = Stop.TARGET
                elif bound - score <= limits.relative_gap * max(1.0, abs(score)):
                    reason = Stop.GAP
        except Exception as error:  # compiled code calls this: `result` raises once the search has ended
            self.error, reason = error, Stop.ERROR
        if reason is not None:
            self.stop = reason
        return reason is not None

    def result(self, bound: float, score: float, make: Callable[[Stop | None], Result[R]]) -> Result[R]:
        """Emit the last event and make the result.

        Raises `OracleError`: an observer raised, now or before; ``error.result`` holds the best answer so far.

        Parameters
        ----------
        make : callable
            ``make(stop)`` returns the result of a search that stopped for this reason; if None, for its own.
        """
        if self.error is None:
            try:
                self.budget.emit("stop", bound, score)
            except Exception as error:
                self.error = error
        if self.error is None:
            return make(None)
        failure = OracleError(f"an observer raised {type(self.error).__name__}: {self.error}")
        failure.result = make(Stop.ERROR)
        raise failure from self.error
