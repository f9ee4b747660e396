"""Partial walks that remember classes, extended by vertices: the check of what multipliers alone do not show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import FloatArray, IntArray
from gapless_ordering.proofs.walks import WalkTables, rounding, sum_of

_AT_ONCE = 1 << 22
"""Extensions that are looked at together: 32 MB."""

Sets = NDArray[np.uint64]


def best_labels(tables: WalkTables, prices: FloatArray, memory: IntArray | None, level: float) -> float:
    """The best total of a walk that visits no class it remembers, and of paths their score; -inf up to `level`.

    Of labels that end in one vertex and remember the same classes, the best alone goes on. A label whose total with
    the best completion by any walk does not exceed `level` is dropped.

    Parameters
    ----------
    tables : WalkTables
        With `after` for these prices.
    prices : float64 (classes,)
    memory : int64 (m, 2), optional
        Pairs (vertex, class) of what is kept at a vertex; None for everything.
    level : float
    """
    n, classes = tables.start.size, prices.size
    paid, total = prices[tables.groups], sum_of(prices, tables.length)
    words = (classes + 63) // 64
    word, bit = tables.groups >> 6, np.left_shift(np.uint64(1), (tables.groups & 63).astype(np.uint64))
    own = np.zeros((n, words), np.uint64)
    own[np.arange(n), word] = bit
    keeps = np.full((n, words), ~np.uint64(0)) if memory is None else _sets(memory, n, words)
    reach = np.where(tables.alive, tables.after, -np.inf) - paid + total

    at = np.flatnonzero(tables.start + reach[0] > level)
    values, sets = tables.start[at] - paid[at], own[at]
    for place in range(1, tables.length):
        found: list[tuple[FloatArray, IntArray, Sets]] = []
        step = max(1, _AT_ONCE // n)
        for first in range(0, at.size, step):
            here = slice(first, first + step)
            scores = values[here, None] + tables.ordering[at[here]]
            label, v = np.nonzero(scores + reach[place] > level)
            fresh = (sets[here][label, word[v]] & bit[v]) == 0
            label, v = label[fresh], v[fresh]
            found.append((scores[label, v] - paid[v], v, (sets[here][label] & keeps[v]) | own[v]))
            if sum(part[0].size for part in found) > _AT_ONCE:
                found = [_best_of_each(found)]
        if not found:
            return -np.inf
        values, at, sets = _best_of_each(found)
        if not at.size:
            return -np.inf
    if memory is not None:
        return float((values + tables.end[at] + total).max()) if at.size else -np.inf
    # These are paths, which get back what they paid; multipliers of other classes count nowhere.
    best = -np.inf
    for first in range(0, at.size, _AT_ONCE // n + 1):
        here = slice(first, first + _AT_ONCE // n + 1)
        visited = np.unpackbits(sets[here].view(np.uint8), axis=1, count=classes, bitorder="little")
        best = max(best, float((values[here] + tables.end[at[here]] + visited @ prices).max()))
    return best + rounding(prices, tables.length)


def _sets(pairs: IntArray, n: int, words: int) -> Sets:
    sets = np.zeros((n, words), np.uint64)
    bits = np.left_shift(np.uint64(1), (pairs[:, 1] & 63).astype(np.uint64))
    np.bitwise_or.at(sets, (pairs[:, 0], pairs[:, 1] >> 6), bits)
    return sets


def _best_of_each(parts: list[tuple[FloatArray, IntArray, Sets]]) -> tuple[FloatArray, IntArray, Sets]:
    """Of labels with the same vertex and set, the one of the best value."""
    values = np.concatenate([part[0] for part in parts])
    at = np.concatenate([part[1] for part in parts])
    sets = np.concatenate([part[2] for part in parts])
    order = np.lexsort((-values, *sets.T, at))
    values, at, sets = values[order], at[order], sets[order]
    first = np.ones(values.size, bool)
    first[1:] = (at[1:] != at[:-1]) | np.any(sets[1:] != sets[:-1], axis=1)
    return values[first], at[first], sets[first]
