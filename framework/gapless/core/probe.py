"""A look below a node: what its relaxation says under other fixings, for branchers and for rules of rounding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gapless.core.limits import Budget, Limits
from gapless.core.tolerance import round_bound

if TYPE_CHECKING:
    from gapless.core.decisions import Fixings
    from gapless.core.problem import Problem
    from gapless.core.relaxation import Relaxation, Relaxed

S = TypeVar("S")


class Probe(Generic[S]):
    """Asks the relaxation of a node under fixings of one's own. Its rounds count like those of nodes.

    Attributes
    ----------
    problem : Problem
    fixings : Fixings
        Those of the node.
    incumbent : float
        Score of the best structure known, -inf without one.
    """

    def __init__(
        self,
        problem: Problem[S],
        relaxation: Relaxation[S],
        fixings: Fixings,
        budget: Budget,
        incumbent: float = -math.inf,
    ) -> None:
        self.problem, self.fixings, self.incumbent = problem, fixings, incumbent
        self._relaxation, self._budget = relaxation, budget

    def relax(self, fixings: Fixings, rounds: int | None = None) -> Relaxed[S]:
        """The relaxation under `fixings`.

        Parameters
        ----------
        rounds : int, optional
            Rounds of pricing and separation at most. 0 asks no generator, and the bound is then a guess from the
            columns at hand; after fewer rounds than needed it is true but loose, and `Relaxed.attained` the guess.
            By default until nothing is missing.
        """
        inner = self._inner(rounds)
        try:
            if rounds == 0:
                return self._relaxation.glance(fixings, inner, incumbent=self.incumbent)
            return self._relaxation.solve(fixings, inner, incumbent=self.incumbent)
        finally:
            self._count(inner)

    def closes(self, bound: float) -> bool:
        """Whether a node with this bound needs no branching."""
        return round_bound(bound, self.problem.granularity) <= self.incumbent

    def spent(self) -> bool:
        """Whether the solve has to end."""
        return self._budget.spent() is not None

    def integral(self, fixings: Fixings, *, nodes: int, seconds: float | None = None) -> S | None:
        """The best structure from the columns at hand, by a mixed-integer program with limits; None if unknown."""
        inner = self._inner(None)
        left = inner.time_left if seconds is None else min(seconds, inner.time_left)
        limits = Limits(time=None if math.isinf(left) else left, nodes=nodes)
        solve = Budget(limits, clock=self._budget._clock, sense=self._budget.sense)
        try:
            return self._relaxation.integral(fixings, solve, incumbent=self.incumbent)
        finally:
            self._count(solve)

    def _inner(self, rounds: int | None) -> Budget:
        budget = self._budget
        most: Any = [
            count
            for count in (
                rounds,
                None if budget.limits.iterations is None else budget.limits.iterations - budget.iterations,
            )
            if count is not None
        ]
        time = None if math.isinf(budget.time_left) else budget.time_left
        limits = Limits(time=time, iterations=max(0, min(most)) if most else None)
        return Budget(limits, clock=budget._clock, sense=budget.sense)

    def _count(self, inner: Budget) -> None:
        self._budget.iterations += inner.iterations
        if inner.interrupted:
            self._budget.interrupt()
