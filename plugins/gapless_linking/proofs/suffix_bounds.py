"""Lower bounds on nested suffixes of sets; claims are checked by going through all that could be cheaper."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import charge_work
from gapless_linking.proofs.reparametrised_costs import ReparametrisedCosts

CHUNK = 2_000_000
"""Numbers that one step of the search holds."""


def verified_suffix_bounds(
    costs: ReparametrisedCosts, alive: BoolArray, order: IntArray, claimed: FloatArray
) -> float:
    """Bound the open sets from below, from claims about the sets from the t-th on.

    Each claim is checked with those after it, from the last on, and lowered to the cheapest choice below it.

    Parameters
    ----------
    alive : bool (N,)
        Members that are left of those in `costs`.
    order : int64 (s,)
        All open sets.
    claimed : float64 (s + 1,)
    """
    if order.size != costs.sets.size or set(order.tolist()) != set(costs.sets.tolist()):
        return -math.inf  # sets were settled since: the claims are about other sets
    sizes = np.diff(np.append(costs.starts, costs.members.size))
    column = {s: index for index, s in enumerate(costs.sets.tolist())}
    groups = []
    for s in order.tolist():
        inside = costs.starts[column[s]] + np.arange(sizes[column[s]])
        groups.append(inside[alive[costs.members[inside]]])
    if any(group.size == 0 for group in groups):
        return math.inf
    if claimed.shape != (order.size + 1,):
        raise InvalidProblem(f"{order.size} sets have {order.size + 1} floors, there are {claimed.size}")
    columns = np.concatenate(groups) if groups else np.zeros(0, np.int64)
    search = _Suffixes(
        costs.own[columns], costs.pair[np.ix_(columns, columns)], np.cumsum([0, *(group.size for group in groups)])
    )
    floors = np.append(claimed[:-1], 0.0)
    for t in range(order.size - 1, -1, -1):
        floors[t] = search.floor(t, floors)
    return float(floors[0])


class _Suffixes:
    """Own costs and pair costs in the order of the search; set t holds the places ``first[t]:first[t + 1]``."""

    def __init__(self, own: FloatArray, pair: FloatArray, first: IntArray) -> None:
        self.own, self.pair, self.first = own, pair, first
        self.sets = first.size - 1
        nearest = np.minimum.reduceat(pair, first[:-1], axis=1) if self.sets else pair
        own_set = np.repeat(np.arange(self.sets), np.diff(first))
        # Pairs with earlier sets are in what a choice has received already.
        later = np.arange(self.sets) > own_set[:, None]
        self.reach = np.where(later, nearest, 0.0).sum(axis=1)

    def floor(self, t: int, floors: FloatArray) -> float:
        """Bound the sets from t on from below: the claim, or the cheapest choice below it."""
        claim = float(floors[t])
        # A choice within rounding of the claim does not refute it.
        level = claim - 2.0**-40 * max(1.0, abs(claim))
        begin = int(self.first[t])
        stack = [(t, np.zeros(1), np.zeros((1, self.own.size - begin)))]
        while stack:
            d, cost, received = stack.pop()
            stop = int(self.first[d + 1])
            mine = stop - int(self.first[d])
            # Halves, one after the other, bound the memory of a step.
            if received.shape[0] * mine * received.shape[1] > CHUNK and received.shape[0] > 1:
                half = received.shape[0] // 2
                stack += [(d, cost[half:], received[half:]), (d, cost[:half], received[:half])]
                continue
            # Charged for all choices, although most end here: the memory is allocated for all of them.
            charge_work(10 * received.shape[0] * mine + 6 * received.size, 15)
            candidates = np.arange(self.first[d], stop)
            total = cost[:, None] + received[:, :mine] + self.own[candidates]
            if d == self.sets - 1:
                level = min(level, float(total.min()))
                continue
            starts = self.first[d + 1 : -1] - stop
            rest = received[:, mine:]
            bounds = total + self.reach[candidates] + np.minimum.reduceat(rest, starts, axis=1).sum(axis=1)[:, None]
            parents, chosen = np.nonzero(bounds + floors[d + 1] < level)
            if not parents.size:
                continue
            charge_work(12 * parents.size * rest.shape[1], 15)
            further = rest[parents] + self.pair[candidates[chosen], stop:]
            totals = total[parents, chosen]
            promising = totals + np.minimum.reduceat(further, starts, axis=1).sum(axis=1) + floors[d + 1] < level
            if promising.any():
                stack.append((d + 1, totals[promising], further[promising]))
        return level
