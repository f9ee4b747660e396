"""Lower bounds on nested suffixes of sets; claims are checked by going through all that could be cheaper."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import spend_work
from gapless_linking.proofs.moved_costs import MovedCosts

CHUNK = 2_000_000
"""Numbers that one step of the search holds."""


def true_floors(costs: MovedCosts, alive: BoolArray, order: IntArray, claimed: FloatArray) -> float:
    """A lower bound on the open sets, from claims about the sets from the t-th on.

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
        return -math.inf  # settled sets have come since: the claims are about others
    sizes = np.diff(np.append(costs.starts, costs.members.size))
    place = {s: at for at, s in enumerate(costs.sets.tolist())}
    groups = []
    for s in order.tolist():
        inside = costs.starts[place[s]] + np.arange(sizes[place[s]])
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
        later = np.arange(self.sets) > own_set[:, None]
        self.reach = np.where(later, nearest, 0.0).sum(axis=1)

    def floor(self, t: int, floors: FloatArray) -> float:
        """A lower bound on the sets from t on: the claim, or the cheapest choice below it."""
        claim = float(floors[t])
        level = claim - 2.0**-40 * max(1.0, abs(claim))
        begin = int(self.first[t])
        stack = [(t, np.zeros(1), np.zeros((1, self.own.size - begin)))]
        while stack:
            d, cost, heard = stack.pop()
            stop = int(self.first[d + 1])
            mine = stop - int(self.first[d])
            if heard.shape[0] * mine * heard.shape[1] > CHUNK and heard.shape[0] > 1:
                half = heard.shape[0] // 2
                stack += [(d, cost[half:], heard[half:]), (d, cost[:half], heard[:half])]
                continue
            # Most choices end here, few go on: what they are charged is what all would hold.
            spend_work(10 * heard.shape[0] * mine + 6 * heard.size, 15)
            places = np.arange(self.first[d], stop)
            total = cost[:, None] + heard[:, :mine] + self.own[places]
            if d == self.sets - 1:
                level = min(level, float(total.min()))
                continue
            starts = self.first[d + 1 : -1] - stop
            rest = heard[:, mine:]
            worth = total + self.reach[places] + np.minimum.reduceat(rest, starts, axis=1).sum(axis=1)[:, None]
            parents, chosen = np.nonzero(worth + floors[d + 1] < level)
            if not parents.size:
                continue
            spend_work(12 * parents.size * rest.shape[1], 15)
            further = rest[parents] + self.pair[places[chosen], stop:]
            reached = total[parents, chosen]
            left = reached + np.minimum.reduceat(further, starts, axis=1).sum(axis=1) + floors[d + 1] < level
            if left.any():
                stack.append((d + 1, reached[left], further[left]))
        return level
