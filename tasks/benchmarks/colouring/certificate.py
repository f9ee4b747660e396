"""Evidence for a bound: a price for each vertex, in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from benchmarks.colouring.problem import Colouring
from gapless.roles import BoundCertificate, Fixings, GeneratorResult, LinearView, charge_work, serialisable

RESOLUTION = 10**9


def _whole(prices: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(int, prices))


@serialisable("benchmarks.StableSetPrices")
@attrs.frozen
class StableSetPrices(BoundCertificate):
    """Prices of vertices that no stable set exceeds by much: D in all, at most V in a set, so D / V sets.

    A set holds all vertices that are together with one of its own, and none that are apart. True for any prices,
    and computed in whole numbers.

    Parameters
    ----------
    prices : sequence of int
    """

    kind: ClassVar[str] = "stable set prices"
    prices: tuple[int, ...] = attrs.field(converter=_whole)

    @classmethod
    def from_view(
        cls, problem: Colouring, view: LinearView, answers: Sequence[GeneratorResult] = ()
    ) -> StableSetPrices:
        """Round the prices of a master to integers; the price of a joined pair goes to its first vertex."""
        return cls(np.rint(RESOLUTION * problem.prices(view)).tolist())

    def upper_bound(self, problem: gl.Problem[Any], fixings: Fixings) -> float:
        """Return minus the number of colours that the prices prove."""
        if not isinstance(problem, Colouring) or len(self.prices) != problem.vertices:
            raise gl.InvalidProblem(f"there are {len(self.prices)} prices of vertices")
        groups: list[set[int]] = [{v} for v in range(problem.vertices)]
        for a, b in problem.pairs[fixings.on].tolist():
            one = next(g for g in groups if a in g)
            other = next(g for g in groups if b in g)
            if one is not other:
                one |= other
                groups.remove(other)
        apart = [set(np.flatnonzero(row).tolist()) for row in problem.adjacent]
        for a, b in problem.pairs[fixings.off].tolist():
            apart[a].add(b)
            apart[b].add(a)
        around = [set().union(*(apart[v] for v in g)) for g in groups]
        if any(g & near for g, near in zip(groups, around, strict=True)):
            return -math.inf
        weight = [sum(self.prices[v] for v in g) for g in groups]
        total = sum(weight)
        heavy = sorted((g for g in range(len(groups)) if weight[g] > 0), key=lambda g: -weight[g])
        meets = {g: {h for h in heavy if groups[h] & around[g]} for g in heavy}
        dearest = _dearest(heavy, weight, meets)
        if total <= 0:
            return 0.0
        if total > dearest * problem.vertices:
            return -math.inf  # more sets than vertices would be needed
        return -float(-(-total // dearest))


def _dearest(open_ones: Sequence[int], weight: Sequence[int], meets: dict[int, set[int]]) -> int:
    """Find the largest weight of a stable set by branch and bound, bounded by a cover of cliques."""
    best = 0
    cases = [(0, list(open_ones))]
    while cases:
        reached, left = cases.pop()
        charge_work(calls=1 + len(left) / 4)
        best = max(best, reached)
        most, counted = reached, set()
        for g in left:
            if g not in counted:
                most += weight[g]
                clique = [g]
                counted.add(g)
                for h in left:
                    if h not in counted and all(h in meets[k] for k in clique):
                        clique.append(h)
                        counted.add(h)
        if most <= best or not left:
            continue
        first = max(left, key=lambda g: len(meets[g].intersection(left)))
        cases.append((reached, [g for g in left if g != first]))
        cases.append((reached + weight[first], [g for g in left if g != first and g not in meets[first]]))
    return best
