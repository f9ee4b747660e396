"""Pseudo-costs: the mean improvement of the bound per unit of distance in the branchings so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence

from gapless.column_generation.branching.candidates import Candidate


class PseudoCosts:
    """Mean gains of branches, by candidate and child (Benichou et al. 1971; Achterberg, Koch, Martin 2005)."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Hashable, int], float] = defaultdict(float)
        self._counts: defaultdict[tuple[Hashable, int], int] = defaultdict(int)
        self._all: defaultdict[int, tuple[float, int]] = defaultdict(lambda: (0.0, 0))

    def observe(self, key: Hashable, child: int, gain: float, distance: float) -> None:
        """Record a child at a `distance` from the point whose bound fell by `gain`; infinite gains are ignored."""
        # An infeasible child would make every mean infinite.
        if not (math.isfinite(gain) and distance > 0):
            return
        # A child's bound is never above its parent's; a negative gain is a weaker bound after less work.
        cost = max(0.0, gain) / distance
        self._sums[key, child] += cost
        self._counts[key, child] += 1
        total, count = self._all[child]
        self._all[child] = total + cost, count + 1

    def count(self, candidate: Candidate) -> int:
        """Return the smallest number of observations of a child of `candidate`."""
        return min(self._counts[candidate.key, child] for child in range(len(candidate.branches)))

    def gains(self, candidate: Candidate) -> list[float]:
        """Estimate the gain of each child, by the overall mean without observations, or first by 1 per unit."""
        return [distance * self._mean(candidate.key, child) for child, distance in enumerate(candidate.distances)]

    def _mean(self, key: Hashable, child: int) -> float:
        count = self._counts[key, child]
        if count:
            return self._sums[key, child] / count
        total, observations = self._all[child]
        return total / observations if observations else 1.0


def score(gains: Sequence[float]) -> float:
    """Score a candidate by the geometric mean of its children's gains, which is large only if all of them gain."""
    # A mean instead of the product: candidates may have different numbers of children.
    return math.prod(max(gain, SMALLEST_GAIN) for gain in gains) ** (1 / len(gains))


SMALLEST_GAIN = 1e-6
"""A gain of 0 must not hide those of the other children (Achterberg 2007, section 5.3)."""
