"""Label setting over walks that remember classes: the check of bounds that multipliers alone do not prove."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import charge_work
from gapless_ordering.proofs.walks import WalkTables, sum_of

_AT_ONCE = 1 << 22
"""Extensions that are evaluated together: 32 MB."""

Sets = NDArray[np.uint64]


class _Labels(NamedTuple):
    """Partial walks: scores, what they paid, last vertices, and the classes that they remember."""

    scores: FloatArray
    paid: FloatArray
    at: IntArray
    sets: Sets

    def chosen(self, which: slice | IntArray | BoolArray) -> _Labels:
        return _Labels(self.scores[which], self.paid[which], self.at[which], self.sets[which])


def best_labels(tables: WalkTables, prices: FloatArray, memory: IntArray | None, level: float) -> float:
    """Bound walks that visit no class they remember, by label setting; -inf if none exceeds `level`.

    Of labels that end in one vertex and remember the same classes, the best alone goes on. A label whose total with
    the best completion by any walk does not exceed `level` is dropped.

    Parameters
    ----------
    tables : WalkTables
        With `after` for these prices.
    prices : float64 (classes,)
    memory : int64 (m, 2), optional
        Pairs (vertex, class) of what is kept at a vertex; None for everything.
    """
    n, classes = tables.start.size, prices.size
    paid, total = prices[tables.groups], sum_of(prices, tables.length)
    words = (classes + 63) // 64
    word, bit = tables.groups >> 6, np.left_shift(np.uint64(1), (tables.groups & 63).astype(np.uint64))
    own = np.zeros((n, words), np.uint64)
    own[np.arange(n), word] = bit
    # Bit sets of 64 classes per word; without a memory every class is remembered.
    keeps = np.full((n, words), ~np.uint64(0)) if memory is None else _sets(memory, n, words)
    reach = np.where(tables.alive, tables.after, -np.inf) - paid + total

    at = np.flatnonzero(tables.start + reach[0] > level)
    labels = _Labels(tables.start[at], paid[at], at, own[at])
    for place in range(1, tables.length):
        found: list[_Labels] = []
        left = np.flatnonzero(reach[place] > -np.inf)
        edges, rest = tables.ordering[:, left], reach[place, left]
        step, most = max(1, _AT_ONCE // max(1, left.size)), _AT_ONCE
        for first in range(0, labels.at.size, step):
            last = labels.chosen(slice(first, first + step))
            charge_work(6 * last.at.size * left.size, 20)
            scores = last.scores[:, None] + edges[last.at]
            label, column = np.nonzero(scores - last.paid[:, None] + rest > level)
            v = left[column]
            fresh = (last.sets[label, word[v]] & bit[v]) == 0
            label, column, v = label[fresh], column[fresh], v[fresh]
            sets = (last.sets[label] & keeps[v]) | own[v]
            found.append(_Labels(scores[label, column], last.paid[label] + paid[v], v, sets))
            if sum(part.at.size for part in found) > most:
                found = [_best_of_each(found, memory is None)]
                most = max(_AT_ONCE, 2 * found[0].at.size)  # so that all are sorted a few times only
        if not found:
            return -np.inf
        labels = _best_of_each(found, memory is None)
    if not labels.at.size:
        return -np.inf
    # Paths get back what they paid; multipliers of other classes count nowhere.
    # With full memory labels are paths, whose scores are known without their payments.
    totals = labels.scores if memory is None else labels.scores - labels.paid + total
    return float((totals + tables.end[labels.at]).max())


def _sets(pairs: IntArray, n: int, words: int) -> Sets:
    sets = np.zeros((n, words), np.uint64)
    bits = np.left_shift(np.uint64(1), (pairs[:, 1] & 63).astype(np.uint64))
    np.bitwise_or.at(sets, (pairs[:, 0], pairs[:, 1] >> 6), bits)
    return sets


def _best_of_each(parts: list[_Labels], paths: bool) -> _Labels:
    """Keep the best of labels with the same vertex and set; paths with the same set paid the same."""
    # Sorting: a label costs much more than an extension that was looked at.
    charge_work(500 * sum(part.at.size for part in parts), 20)
    labels = _Labels(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    values = labels.scores if paths else labels.scores - labels.paid
    labels = labels.chosen(np.lexsort((-values, *labels.sets.T, labels.at)))
    first = np.ones(labels.at.size, bool)
    first[1:] = (labels.at[1:] != labels.at[:-1]) | np.any(labels.sets[1:] != labels.sets[:-1], axis=1)
    return labels.chosen(first)
