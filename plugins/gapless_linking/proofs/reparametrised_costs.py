"""Costs after some were moved from pairs of members to the members; any move leaves what whole choices cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import EPSILON
from gapless_linking.problem import LinkingProblem


def fixed_cost(problem: LinkingProblem, members: IntArray) -> float:
    """Compute the cost of members of different sets among themselves plus the minimum cost of all sets."""
    own, offset = problem.centred_costs
    slots = problem.slots[members]
    return float(2.0 * np.triu(problem.lengths(slots, slots), 1).sum() + own[members].sum() + offset)


@attrs.frozen(eq=False)
class ReparametrisedCosts:
    """Members of sets that are still open, and what they cost.

    Attributes
    ----------
    alive : bool (N,)
        All members that are left; a set is open when more than one is.
    members : int64 (n,)
        Those of open sets, set by set.
    starts : int64 (s,)
        Start of each open set among them.
    sets : int64 (s,)
    own : float64 (n,)
        Beyond the least of the set; with sets with one member left, and with what was moved.
    pair : float64 (n, n)
        The rest of the pairs' costs; zero within a set.
    base : float
        The cost of sets with one member left among themselves, and the least cost of all sets.
    rounding : float
        Loss of float64 in sums of these, at most; large numbers moved there and back lose all digits.
    bound : float
        No choice of what is left costs less.
    """

    alive: BoolArray
    members: IntArray
    starts: IntArray
    sets: IntArray
    own: FloatArray
    pair: FloatArray
    base: float
    rounding: float
    bound: float

    @classmethod
    def of(
        cls,
        problem: LinkingProblem,
        alive: BoolArray,
        set_of: IntArray,
        sets: IntArray,
        members: IntArray,
        moved: FloatArray,
    ) -> ReparametrisedCosts | None:
        """Move `moved` (members, sets) from pairs to members; None when a set has no member left."""
        counts = np.bincount(set_of[alive], minlength=problem.k)
        if np.any(counts == 0):
            return None
        open_sets = np.flatnonzero(counts > 1)
        inside = np.flatnonzero(alive & (counts[set_of] > 1))
        fixed = np.flatnonzero(alive & (counts[set_of] == 1))
        owners = np.searchsorted(open_sets, set_of[inside])
        received = np.zeros((inside.size, open_sets.size))
        row = np.full(alive.size, -1)
        row[members] = np.arange(members.size)
        column = np.full(problem.k, -1)
        column[sets] = np.arange(sets.size)
        listed = (row[inside][:, None] >= 0) & (column[open_sets] >= 0)
        listed &= np.arange(open_sets.size) != owners[:, None]
        if moved.size:
            received[listed] = moved[row[inside][:, None], column[open_sets]][listed]
        slots = problem.slots[inside]
        # What a candidate receives is taken off its pairs, so that the cost of no choice changes.
        pair = 2.0 * problem.lengths(slots, slots) - received[:, owners] - received[:, owners].T
        pair[owners[:, None] == owners] = 0.0
        own = problem.centred_costs[0][inside] + received.sum(axis=1)
        own += 2.0 * problem.lengths(slots, problem.slots[fixed]).sum(axis=1)
        starts = np.searchsorted(owners, np.arange(open_sets.size))
        base = fixed_cost(problem, fixed)
        bound, rounding = base, 0.0
        if inside.size:
            blocks = np.minimum.reduceat(np.minimum.reduceat(pair, starts, axis=0), starts, axis=1)
            minima = np.minimum.reduceat(own, starts)
            bound += float(minima.sum() + np.triu(blocks, 1).sum())
            summed = np.maximum.reduceat(np.abs(received), starts, axis=0).sum() + np.abs(minima).sum() + abs(bound)
            if np.isfinite(summed):
                rounding = 4.0 * EPSILON * (32 + open_sets.size) * float(summed)
        return cls(alive, inside, starts, open_sets, own, pair, base, rounding, bound - rounding)

    def drop(self, closes: Callable[[Any], Any]) -> BoolArray:
        """Drop members that cost too much, by `closes` on a bound; return those that remain."""
        alive = self.alive.copy()
        if not self.members.size:
            return alive
        # No choice is connected: every open candidate can go.
        if math.isinf(self.bound):
            alive[self.members] = False
            return alive
        sizes = np.diff(np.append(self.starts, self.members.size))
        nearest = np.minimum.reduceat(self.pair, self.starts, axis=1)
        blocks = np.minimum.reduceat(nearest, self.starts, axis=0)
        with np.errstate(invalid="ignore"):
            extra = (nearest - np.repeat(blocks, sizes, axis=0)).sum(axis=1)
        extra += self.own - np.repeat(np.minimum.reduceat(self.own, self.starts), sizes)
        alive[self.members[closes(self.bound - self.rounding + extra)]] = False
        return alive
