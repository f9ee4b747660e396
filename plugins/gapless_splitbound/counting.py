"""A maximiser that counts its calls: what the paper measures a search in."""

from __future__ import annotations

from gapless.roles import Fixings, FloatArray, Maximised, Maximiser, Slacks
from gapless_dependency import DependencyTree


class CountedMaximiser(Maximiser[DependencyTree]):
    """Hands on to another maximiser.

    Attributes
    ----------
    calls : int
        Solves and passes for max-marginals, "DP calls" for short.
    """

    def __init__(self, maximiser: Maximiser[DependencyTree]) -> None:
        self.maximiser = maximiser
        self.calls = 0

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[DependencyTree]:
        """One call."""
        self.calls += 1
        return self.maximiser.solve(weights, fixings)

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """One call."""
        self.calls += 1
        return self.maximiser.slacks(weights, fixings)
