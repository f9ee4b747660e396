"""A bound on arborescences by weak duality: prices of sets of words that every tree must enter."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import charge_work

ObjectArray = NDArray[Any]
"""Of Python's integers, which have as many digits as they need."""


def whole_numbers(values: FloatArray) -> tuple[ObjectArray, int]:
    """Scale finite numbers by a power of two that makes all of them integers; return these and the exponent."""
    # A float64 has 53 binary digits: shifted by those, and by its exponent, it is an integer.
    mantissa, exponent = np.frexp(values)
    nonzero = values != 0.0
    bits = 53 - int(exponent[nonzero].min()) if nonzero.any() else 0
    integers = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    shift = np.where(nonzero, exponent - 53 + bits, 0).astype(object)
    return integers * 2**shift, bits


def rounded_up(integer: int, bits: int) -> float:
    """Return a float64 that is at least ``whole / 2 ** bits``."""
    numerator, denominator = (integer, 1 << bits) if bits >= 0 else (integer << -bits, 1)
    # Python divides integers with correct rounding, so one step up is above the exact quotient.
    return math.nextafter(numerator / denominator, math.inf)


WHOLE = 30
"""Steps of work for an operation on one Python integer, as opposed to a float64 in an array."""


@attrs.frozen(eq=False)
class CutSetDuals:
    """Sets of words, each entered by at least one arc of any tree (one word: by exactly one).

    `members` (bool (sets, n + 1)): without the root. The first n are the single words in order. `values` (int
    (sets,)): not positive but for single words.
    """

    members: BoolArray
    values: ObjectArray


def arborescence_bounds(
    weights: FloatArray, single_root: bool, *, through: bool = True
) -> tuple[float, FloatArray]:
    r"""Bound all trees, and the trees with each arc.

    For any prices y as in `CutSetDuals`, a tree T has
    :math:`w(T) \le \sum_S y_S + \sum_{e \in T} r_e, r_e = w_e - \sum_{S\ entered\ by\ e} y_S`,
    because each set is entered at least once and prices of larger sets are not positive; the arc into a word adds
    no more than the largest r of that word. The prices come from contracting cycles (Edmonds 1967), which makes the
    bound the optimum, but the bound is true whatever they are.

    With a single root, arcs from it pay a charge larger than what any two trees differ by, which is given back
    once; absent arcs pay more. To lose no digits to such charges, all sums are integers, multiples of a power of
    two, and only the results are rounded, upwards. Returns float, float64 (n + 1, n + 1): the first is -inf when
    there is no tree.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    through : bool
        If True, bound the trees with each arc; otherwise the second array is -inf throughout.
    """
    priced = ReducedWeights.of(weights, single_root)
    each = np.full(weights.shape, -np.inf)
    if through and priced.bound > priced.least:
        with_arc = priced.bound + priced.slack
        possible = priced.there[:, 1:] & (with_arc > priced.least)
        each[:, 1:][possible] = [priced.rounded(value) for value in with_arc[possible]]
    return priced.rounded(priced.bound), each


def best_through_some(
    weights: FloatArray, single_root: bool, heads: IntArray, words: IntArray, enough: float = -np.inf
) -> float:
    """Bound the trees that contain at least one of some arcs.

    Prices of the best tree may give weak bounds for other arcs. The arc with the largest bound gets prices of its
    own, until that is an arc which has them. Returns -inf if there is no such tree.

    Parameters
    ----------
    weights, single_root
        As in `arborescence_bounds`.
    heads, words : int64 (k,)
    enough : float
        A bound that does not exceed this need be no tighter.
    """
    priced = ReducedWeights.of(weights, single_root)
    least = priced.least
    if priced.bound <= least:
        return -np.inf
    there = priced.there[heads, words]
    heads, words = heads[there], words[there]
    best = least
    values = priced.bound + priced.slack[heads, words - 1]
    for index in (-values).argsort(kind="stable").tolist():
        if values[index] <= best:
            break
        value = priced.rounded(values[index])
        if value <= enough:
            return value
        # The prices of its own bound the trees with this arc; both bounds hold, so the smaller does.
        best = max(best, min(values[index], priced.forced(int(heads[index]), int(words[index]))))
    return priced.rounded(best)


@attrs.frozen(eq=False)
class ReducedWeights:
    """Weights less the prices of the sets that each arc enters, in whole numbers.

    Parameters
    ----------
    graph : int (n + 1, n + 1)
        Weights, [head, modifier], with the charges.
    there : bool (n + 1, n + 1)
        Arcs, without those into the root.
    charge : int
        More than what two trees differ by.
    bits : int
        The numbers are multiples of this power of one half.
    slack : int (n + 1, n)
        The weight that prices leave of each arc, less the most that they leave into its word; [head, word - 1].
    """

    graph: ObjectArray
    there: BoolArray
    charge: int
    single_root: bool
    bits: int
    slack: ObjectArray
    bound: int

    @classmethod
    def of(cls, weights: FloatArray, single_root: bool) -> ReducedWeights:
        """Convert weights to integers, and find prices for them."""
        there = weights > -np.inf
        there[:, 0] = False
        np.fill_diagonal(there, False)
        graph, bits = whole_numbers(np.where(there, weights, 0.0))
        # The weights of two trees of n arcs differ by less than this.
        charge = 2 * (len(weights) - 1) * int(np.abs(graph).max()) + 1
        if single_root:
            graph[0] -= charge
        return cls._with_prices(graph, there, charge, single_root, bits)

    @classmethod
    def _with_prices(
        cls, graph: ObjectArray, there: BoolArray, charge: int, single_root: bool, bits: int
    ) -> ReducedWeights:
        n = len(graph) - 1
        charge_work(2 * WHOLE * n**3, 30 * n)
        # An absent arc costs more than any tree can gain, so `least` tells trees from non-trees.
        graph[~there] = -4 * charge
        sets = priced_sets(graph)
        values = sets.values.copy()
        # Larger sets may be entered more than once: weak duality needs prices that are not positive.
        values[n:] = np.minimum(values[n:], 0)
        rest = graph[:, 1:] - values[:n]
        for entered, value in zip(sets.members[n:], values[n:], strict=True):
            if value:
                rest[np.ix_(~entered, entered[1:])] -= value
        rest = np.where(there[:, 1:], rest, -4 * charge - np.abs(values).sum())
        # What the prices leave is bounded word by word: a tree has one arc into each.
        largest = rest.max(axis=0)
        return cls(graph, there, charge, single_root, bits, rest - largest, values.sum() + largest.sum())

    @property
    def least(self) -> int:
        """Values up to this are of no tree: a tree pays the charge of one root, anything else more."""
        return -2 * self.charge + self.charge // 2 if self.single_root else -self.charge

    def rounded(self, value: int) -> float:
        """Round up to a float64, the charge given back; -inf for a value below all trees."""
        if value <= self.least:
            return -np.inf
        return rounded_up(value + (self.charge if self.single_root else 0), self.bits)

    def forced(self, head: int, word: int) -> int:
        """Bound the trees with an arc by prices computed for these trees."""
        there = self.there.copy()
        there[np.arange(len(there)) != head, word] = False
        return self._with_prices(self.graph.copy(), there, self.charge, self.single_root, self.bits).bound


def priced_sets(weights: ObjectArray) -> CutSetDuals:
    """Find prices by contracting the cycles of best heads (Chu and Liu 1965; Edmonds 1967).

    Parameters
    ----------
    weights : int (n + 1, n + 1)
        [head, modifier]; column 0 and the diagonal are not looked at.
    """
    n = len(weights) - 1
    size = 2 * n + 1
    # Below any sum of weights: for nodes that do not exist yet, or have been contracted.
    never = -(4 * n + 4) * (1 + int(np.abs(weights).max()))
    graph = np.full((size, size), never, object)
    graph[: n + 1, : n + 1] = weights
    graph[np.arange(n + 1), np.arange(n + 1)] = never
    members = np.zeros((size, n + 1), bool)
    members[np.arange(1, n + 1), np.arange(1, n + 1)] = True
    values = np.zeros(size, object)
    best = np.zeros(size, np.int64)
    best[1 : n + 1] = graph[: n + 1, 1 : n + 1].argmax(axis=0)
    values[1 : n + 1] = graph[best[1 : n + 1], np.arange(1, n + 1)]
    graph[: n + 1, 1 : n + 1] -= values[1 : n + 1]
    active, end = list(range(1, n + 1)), n + 1
    while loop := _loop(best, active):
        inside = np.zeros(size, bool)
        inside[loop] = True
        active = [node for node in active if not inside[node]]
        graph[end, :end] = graph[loop, :end].max(axis=0)
        entering = graph[:end, loop].max(axis=1)
        graph[loop] = never
        entering[loop] = never
        best[end] = entering.argmax()
        # Arcs into the cycle are reduced already: the price of the set is the least that entering it costs.
        values[end] = entering[best[end]]
        graph[:end, end] = entering - values[end]
        members[end] = members[loop].any(axis=0)
        # Nodes whose best head was inside the cycle now have the contracted node as head.
        best[inside[best]] = end
        active.append(end)
        end += 1
    return CutSetDuals(members[1:end], values[1:end])


def _loop(best: IntArray, active: list[int]) -> list[int]:
    """Return the nodes of one cycle of best heads; empty if there is none."""
    # Each node with the start of the walk that first met it: a cycle is met by its own walk again.
    visited: dict[int, int] = {0: 0}
    for start in active:
        node, trail = start, []
        while node not in visited:
            visited[node] = start
            trail.append(node)
            node = int(best[node])
        if node and visited[node] == start:
            return trail[trail.index(node) :]
    return []
