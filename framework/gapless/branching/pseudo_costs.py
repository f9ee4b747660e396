"""Pseudo-costs: the fall of the bound per unit of distance that branchings have shown so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence

from gapless.branching.candidates import Candidate


class PseudoCosts:
    """Mean gains of branches, by candidate and child (Benichou et al. 1971; Achterberg, Koch, Martin 2005)."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Hashable, int], float] = defaultdict(float)
        self._counts: defaultdict[tuple[Hashable, int], int] = defaultdict(int)
        self._all: defaultdict[int, tuple[float, int]] = defaultdict(lambda: (0.0, 0))

    def observe(self, key: Hashable, child: int, gain: float, distance: float) -> None:
        """A child whose bound fell by `gain`, at a `distance` from the point; infinite gains are ignored."""
        if not (math.isfinite(gain) and distance > 0):
            return
        cost = max(0.0, gain) / distance
        self._sums[key, child] += cost
        self._counts[key, child] += 1
        total, count = self._all[child]
        self._all[child] = total + cost, count + 1

    def count(self, candidate: Candidate) -> int:
        """Observations of the child of `candidate` that was seen least."""
        return min(self._counts[candidate.key, child] for child in range(len(candidate.branches)))

    def gains(self, candidate: Candidate) -> list[float]:
        """Expected gain of each child; those never seen count as the average, or as 1 per unit at first."""
        return [distance * self._mean(candidate.key, child) for child, distance in enumerate(candidate.distances)]

    def _mean(self, key: Hashable, child: int) -> float:
        count = self._counts[key, child]
        if count:
            return self._sums[key, child] / count
        total, seen = self._all[child]
        return total / seen if seen else 1.0


def score(gains: Sequence[float]) -> float:
    """Rank of a candidate by the gains of its children: their product, which wants all of them to gain."""
    return math.prod(max(gain, SMALLEST_GAIN) for gain in gains) ** (1 / len(gains))


SMALLEST_GAIN = 1e-6
"""A gain of 0 must not hide those of the other children (Achterberg 2007, section 5.3)."""
