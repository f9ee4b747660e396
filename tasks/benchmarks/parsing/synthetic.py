"""Drawn sentences whose scores are peaked: easier than those of trained models, and the same everywhere."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_dependency import Grandchild, ParsingProblem, Sibling

TAGS = 40
_AMBIGUOUS = 0.15
"""Share of the words whose gold head is not the best-scored one."""
_MARGIN = 3.0
"""Mean lead of the other gold heads over the best wrong one."""
_SECOND_ORDER = 0.3
_GOLD_BONUS = 0.2
_SPARSE = 0.3
"""Share of the tag combinations that score at all."""


def peaked(count: int, *, max_heads: int | None = 10, seed: int = 0) -> list[ParsingProblem]:
    """Draw projective sentences of 8 to 40 words, mean about 22, with grandchild and sibling scores.

    Arc scores are normal noise of size 1; the gold head of most words leads by 3 on average. Factors score tag
    combinations, which correlates them as features would.

    Parameters
    ----------
    max_heads : int or None
        Best-scored candidate heads, and the root.
    """
    rng = np.random.default_rng(seed)
    tables = [_table(rng) for _ in range(2)]
    lengths = np.clip(rng.normal(22, 8, count).round(), 8, 40).astype(int)
    return [_sentence(rng, int(n), tables, max_heads) for n in lengths]


def _table(rng: np.random.Generator) -> FloatArray:
    """Scores of tag combinations of three words: a sparse table for each pair among them, summed."""
    ways = [rng.normal(0, _SECOND_ORDER, (TAGS, TAGS)) * (rng.random((TAGS, TAGS)) < _SPARSE) for _ in range(3)]
    return ways[0][:, :, None] + ways[1][:, None, :] + ways[2][None, :, :]


def _sentence(rng: np.random.Generator, n: int, tables: list[FloatArray], max_heads: int | None) -> ParsingProblem:
    gold = _projective_tree(rng, n)
    arcs = rng.normal(0, 1, (n + 1, n + 1))
    np.fill_diagonal(arcs, -np.inf)
    margin = np.where(rng.random(n) < _AMBIGUOUS, -rng.exponential(0.5, n), rng.gamma(2.0, _MARGIN / 2, n))
    modifiers = np.arange(1, n + 1)
    arcs[gold, modifiers] = -np.inf
    arcs[gold, modifiers] = arcs[:, 1:].max(axis=0) + margin
    tags = np.concatenate([[0], rng.integers(1, TAGS, n)])
    above = np.concatenate([[0], gold])

    def grandchild(g: IntArray, h: IntArray, m: IntArray) -> FloatArray:
        right = (above[h] == g) & (above[m] == h)
        scores: FloatArray = tables[0][tags[g], tags[h], tags[m]] + _GOLD_BONUS * right
        return scores

    def sibling(h: IntArray, a: IntArray, b: IntArray) -> FloatArray:
        right = (above[a] == h) & (above[b] == h)
        scores: FloatArray = tables[1][tags[h], tags[a], tags[b]] + _GOLD_BONUS * right
        return scores

    mask = None
    if max_heads is not None and max_heads < n:
        mask = arcs >= -np.sort(-arcs[1:], axis=0)[max_heads - 1]
        mask[0] = True
    return ParsingProblem(arcs, factors=[Grandchild(grandchild), Sibling(sibling)], projective=True, heads=mask)


def _projective_tree(rng: np.random.Generator, n: int) -> IntArray:
    """Heads of a random projective tree of short arcs: each stretch takes a root near its edge or its middle."""
    heads = np.zeros(n, np.int64)
    todo = [(1, n + 1, 0)]
    while todo:
        first, last, above = todo.pop()
        if first >= last:
            continue
        near = first if above < first else last - 1
        root = int(near if above and rng.random() < 0.4 else rng.integers(first, last))
        heads[root - 1] = above
        todo += [(first, root, root), (root + 1, last, root)]
    return heads
