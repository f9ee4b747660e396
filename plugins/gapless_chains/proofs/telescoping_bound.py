"""Brackets of a telescoping bound, evaluated so that rounding never lowers them: for chains and for trees.

Potentials ``m`` of the labels of each node turn the score of a labelling into a sum of brackets, one for each node:
what its neighbours on one side offer, plus its own score, minus its own potential; and the potentials at the end.
Each bracket is bounded by its maximum over the labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.roles import charge_work
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.scores import LARGEST

_BLOCK = 1 << 18
Offers = tuple[FloatArray, FloatArray]
"""The largest offer to each label as it was rounded, and the loss by rounding."""


def checked_potentials(potentials: FloatArray, problem: NodeLabelling) -> FloatArray:
    """Return the potentials if they are usable.

    Raises `InvalidProblem`: another shape than the label scores of `problem`, NaN, plus infinity or beyond 1e150.
    """
    if potentials.shape != problem.unary.shape:
        raise InvalidProblem(
            f"potentials have shape {potentials.shape}, the {problem.shape_word} has {problem.unary.shape}"
        )
    wild = ~((np.abs(potentials) < LARGEST) | (potentials == -np.inf))
    if wild.any():
        i, x = np.argwhere(wild)[0]
        raise InvalidProblem(f"the potential of label {x} at {problem.node_word} {i} is {potentials[i, x]}")
    return potentials


def best_offers(potentials: FloatArray, pairs: FloatArray, allowed: BoolArray) -> Offers:
    """Maximise potential + pair score over the allowed sources, for each destination, in bounded memory.

    Without rounding: the rounded sum, and what rounding took from it (Knuth's two-sum). Rounding keeps the order,
    so the largest sum is the one with the largest remainder among those that round to the largest.

    Parameters
    ----------
    potentials : float64 (K,)
        Of the sources; those with minus infinity offer nothing.
    pairs : float64 (K, K)
        Source first.
    allowed : bool (K,)
        Sources.
    """
    sources = np.flatnonzero(allowed & (potentials > -np.inf))
    charge_work(12.0 * sources.size * potentials.size + 10.0 * potentials.size, 20)
    best, lost = np.full(potentials.size, -np.inf), np.full(potentials.size, -np.inf)
    # Blocks of sources keep each temporary array at 2 MB, also for thousands of labels.
    rows = max(1, _BLOCK // potentials.size)
    for start in range(0, sources.size, rows):
        block = sources[start : start + rows]
        a, b = potentials[block, None], np.where(pairs[block] > -np.inf, pairs[block], 0.0)
        # Knuth's two-sum (The Art of Computer Programming 2, section 4.2.2): total + remainder is exactly a +
        # b.
        total = a + b
        shared = total - a
        remainder = (a - (total - shared)) + (b - shared)
        total = np.where(pairs[block] > -np.inf, total, -np.inf)
        largest = np.maximum(best, total.max(axis=0))
        within = np.where(total == largest, remainder, -np.inf).max(axis=0)
        lost = np.maximum(np.where(best == largest, lost, -np.inf), within)
        best = largest
    return best, np.where(best > -np.inf, lost, 0.0)


def largest_excess(
    offers: Sequence[Offers], local: FloatArray, potentials: FloatArray, allowed: BoolArray
) -> float:
    """Maximise offers + local - potential over the allowed labels to which every neighbour offers something.

    Minus infinity if there is no such label; plus infinity if the potential of one claims that there is no way to
    reach it. Never NaN.
    """
    offered = allowed & (local > -np.inf)
    for best, _ in offers:
        offered &= best > -np.inf
    if (potentials[offered] == -np.inf).any():
        return math.inf
    numbers = [
        array[offered].tolist() for array in (*(part for pair in offers for part in pair), local, -potentials)
    ]
    return max(map(math.fsum, zip(*numbers, strict=True)), default=-math.inf)


def bound_of(terms: Sequence[float]) -> float:
    """Sum the brackets' maxima, rounded up; plus infinity wins, because a false claim proves nothing."""
    if math.inf in terms:
        return math.inf
    if -math.inf in terms:
        return -math.inf
    # Every term and the sum are rounded once, to nearest.
    return math.fsum([*terms, math.ulp(1.0) * math.fsum(map(abs, terms))])
