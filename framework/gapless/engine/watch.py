"""The callback of a compiled search: observers, limits, and the reason for which it was told to stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from gapless.core.errors import OracleError
from gapless.core.limits import Budget, Stop
from gapless.core.problem import Sense
from gapless.core.result import Result

R = TypeVar("R")


class Watch:
    """Asked by a search every few milliseconds.

    Parameters
    ----------
    wanted : int
        Structures wanted; of several, neither a target nor a gap of the best ends the search.
    stop : Stop
        Reason of a search that ends without a proof and without having been told to stop.
    sense : Sense
        Of the problem; the search tells scores.

    Attributes
    ----------
    stop : Stop
        Reason for which the search was told to stop.
    error : Exception or None
        From an observer; the search ends, and `result` raises it.
    """

    def __init__(
        self, budget: Budget, wanted: int = 1, stop: Stop = Stop.NODES, sense: Sense = Sense.MAXIMISE
    ) -> None:
        self.budget, self.wanted, self.stop, self.sense = budget, wanted, stop, sense
        self.error: Exception | None = None

    def __call__(self, bound: float, score: float, iterations: int, nodes: int) -> bool:
        """Whether the search is to stop."""
        reason: Stop | None = None
        try:
            budget, limits = self.budget, self.budget.limits
            budget.iterations, budget.nodes = iterations, nodes
            budget.emit("bound", bound, score)
            reason = budget.spent_between_nodes()
            if reason is None and score > -math.inf and self.wanted == 1:
                if limits.target is not None and score >= self.sense.sign * limits.target:
                    reason = Stop.TARGET
                elif bound - score <= limits.gap * max(1.0, abs(score)):
                    reason = Stop.GAP
        except Exception as error:
            self.error, reason = error, Stop.ERROR
        if reason is not None:
            self.stop = reason
        return reason is not None

    def result(self, bound: float, score: float, make: Callable[[Stop | None], Result[R]]) -> Result[R]:
        """Tell the observers that the search is over, and make its result.

        Raises `OracleError`: an observer raised, now or before; ``error.result`` holds the best answer so far.

        Parameters
        ----------
        make : callable
            ``make(stop)`` is the result of a search that ended for this reason, or for its own where that is None.
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
