"""Every tree of a short sentence and its score, vectorised: the reference for small instances."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from gapless import Solution
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.testing import SpaceTooLarge
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree

LONGEST = 7
FEW_SCOPES = 30
"""Limit on conjunctions that are compared with all trees one by one; more are looked up in a table."""


@lru_cache(maxsize=64)
def all_trees(length: int, projective: bool, single_root: bool) -> IntArray:
    """List the heads of all dependency trees of `length` words, int64 (trees, length).

    Raises `SpaceTooLarge`: more than 7 words.
    """
    if length > LONGEST:
        raise SpaceTooLarge(f"the sentence has {length} words, trees are enumerated up to {LONGEST}")
    heads: IntArray = np.indices((length + 1,) * length).reshape(length, -1).T
    words = np.arange(1, length + 1)
    heads = heads[(heads != words).all(axis=1)]
    if single_root:
        heads = heads[np.count_nonzero(heads == 0, axis=1) == 1]
    above = np.concatenate([np.zeros((len(heads), 1), np.int64), heads], axis=1)
    ancestors = heads
    # After n steps up, every word of a tree has arrived at the root; words on or below a cycle have not.
    for _ in range(length):
        ancestors = np.take_along_axis(above, ancestors, axis=1)
    heads = heads[(ancestors == 0).all(axis=1)]
    if projective:
        heads = heads[~_crosses(heads)]
    heads.flags.writeable = False
    return heads


def tree_scores(problem: ParsingProblem) -> tuple[IntArray, FloatArray]:
    """List the heads of all trees, int64 (trees, n), and their scores, float64 (trees,); -inf if forbidden."""
    heads = all_trees(problem.length, problem.projective, problem.single_root)
    words = np.arange(1, problem.length + 1)
    scores: FloatArray = problem.scores[heads, words].sum(axis=1)
    heads, scores = heads[scores > -np.inf], scores[scores > -np.inf]
    ids = problem.decisions.index[heads, words]
    on = np.zeros((len(heads), problem.decisions.count), bool)
    on[np.arange(len(heads))[:, None], ids] = True
    # One row for each arc, so that a scope is tested for all trees by a few contiguous reads.
    by_arc = np.ascontiguousarray(on.T)
    for scored in problem.conjunctions:
        parts = scored.scores(np.arange(len(scored.scopes)))
        ascending = np.sort(scored.scopes, axis=1)
        if ascending.shape[1] in (2, 3) and len(parts) > FEW_SCOPES and np.all(np.diff(ascending) > 0):
            _add_from_table(scores, ids, ascending, parts, problem.decisions.count)
            continue
        for scope, part in zip(scored.scopes, parts.tolist(), strict=True):
            scores[by_arc[scope].all(axis=0)] += part
    for factor, scope in problem.configurations:
        # Trees share few configurations of a scope: value each distinct one once.
        packed = np.packbits(on[:, scope], axis=1)
        _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        scores += np.array([factor.value(on[row, scope]) for row in first])[kind.ravel()]
    for backbone_factor in problem.backbone_factors:
        scores += np.array([backbone_factor.value(tree) for tree in heads])
    return heads, scores


def best_trees(problem: ParsingProblem, k: int = 1) -> list[Solution[DependencyTree]]:
    """Return the `k` best trees, best first; fewer if there are fewer.

    Raises `SpaceTooLarge`: more than 7 words.
    """
    heads, scores = tree_scores(problem)
    order = np.argsort(-scores, kind="stable")[:k]
    order = order[scores[order] > -np.inf]
    return [Solution(DependencyTree(heads[i]), float(scores[i])) for i in order.tolist()]


def _add_from_table(scores: FloatArray, ids: IntArray, ascending: IntArray, parts: FloatArray, arcs: int) -> None:
    """Add the parts that fire in each tree, from a dense table over sets of two or three arcs.

    The arcs `ids` of a tree, (trees, n), ascend, too: arcs are numbered by modifier. Scopes with two arcs into one
    word are never looked up.
    """
    width = ascending.shape[1]
    table = np.zeros((arcs,) * width)
    np.add.at(table, tuple(ascending.T), parts)
    for columns in itertools.combinations(range(ids.shape[1]), width):
        scores += table[tuple(ids[:, column] for column in columns)]


def _crosses(heads: IntArray) -> BoolArray:
    """Mark trees with two arcs that cross, bool (trees,)."""
    words = np.arange(1, heads.shape[1] + 1)
    left, right = np.minimum(heads, words), np.maximum(heads, words)
    row, column = (slice(None), slice(None), None), (slice(None), None, slice(None))
    crossing = (left[row] < left[column]) & (left[column] < right[row]) & (right[row] < right[column])
    crosses: BoolArray = np.any(crossing, axis=(1, 2))
    return crosses
