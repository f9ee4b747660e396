"""The best tree of a node with few choices of heads left, found word by word."""

from __future__ import annotations

import math

import attrs
import numpy as np

from gapless.core.decisions import OFF
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_dependency import Arcs, DependencyTree, ParsingProblem
from gapless_dependency.shape import crossing

CHOICES = 1 << 14
"""Once a node has no more ways to choose heads than this, all its trees are looked at."""

BACKBONE_CHOICES = 1 << 10
"""The same where factors can only be scored tree by tree."""

EXACT = 64
"""So many of the best are scored again with exact sums, which tell ties from rounding."""


@attrs.frozen(eq=False)
class BestTree:
    """The best of some trees: no tree of them scores more than `bound`; None and -inf when there is none."""

    tree: DependencyTree | None
    bound: float


def choices_left(arcs: Arcs, state: IntArray) -> int:
    """Number of ways to choose a head for each word under `state`."""
    return math.prod(np.bincount(arcs.modifiers[state != OFF], minlength=arcs.length + 1)[1:].tolist())


def best_tree(problem: ParsingProblem, state: IntArray) -> BestTree:
    """The best tree that a state of the arcs leaves.

    Heads are chosen word by word, those with the fewest first. A factor is scored once the last word that it looks
    at has its head, and what it forbids is followed no further. `state` (integers (arcs,)): with few
    `choices_left`: all are held in memory at once.
    """
    arcs = problem.decisions
    into = [np.flatnonzero(state[arcs.first[m] : arcs.first[m + 1]] != OFF) + arcs.first[m] for m in _words(arcs)]
    order = sorted(range(arcs.length), key=lambda word: len(into[word]))
    rank = np.empty(arcs.length, np.int64)
    rank[order] = np.arange(arcs.length)
    chosen = np.full((1, arcs.length), -1, np.int64)
    scores, sizes = np.zeros(1), np.zeros(1)
    pending = _pending(problem, state, rank)
    for step, word in enumerate(order):
        count = len(into[word])
        chosen = np.repeat(chosen, count, axis=0)
        chosen[:, word] = np.tile(into[word], len(scores))
        own = problem.arc_weights[chosen[:, word]]
        scores, sizes = np.repeat(scores, count) + own, np.repeat(sizes, count) + np.abs(own)
        for scope, score in pending[step]:
            fires = (chosen[:, arcs.modifiers[scope] - 1] == scope).all(axis=1)
            scores[fires] += score
            sizes[fires] += abs(score)
        _add_configurations(problem, state, rank, step, chosen, scores, sizes)
        allowed = scores > -np.inf
        chosen, scores, sizes = chosen[allowed], scores[allowed], sizes[allowed]
    heads = arcs.heads[chosen]
    trees = np.flatnonzero(_are_trees(heads, problem.single_root))
    if problem.projective:
        trees = np.array([row for row in trees if crossing(heads[row]) is None], np.int64)
    heads, scores, sizes = heads[trees], scores[trees], sizes[trees]
    for factor in problem.backbone_factors:
        parts = np.array([factor.value(tree) for tree in heads])
        scores, sizes = scores + parts, sizes + np.where(np.isfinite(parts), np.abs(parts), 0.0)
    return _best(problem, heads, scores, sizes)


def _words(arcs: Arcs) -> range:
    return range(1, arcs.length + 1)


def _pending(problem: ParsingProblem, state: IntArray, rank: IntArray) -> list[list[tuple[IntArray, float]]]:
    """The conjunctive scopes that may fire, by the step after which they are decided."""
    pending: list[list[tuple[IntArray, float]]] = [[] for _ in rank]
    for scored in problem.conjunctions:
        left = np.flatnonzero((state[scored.scopes] != OFF).all(axis=1))
        if not left.size:
            continue
        scopes = scored.scopes[left]
        last = rank[problem.decisions.modifiers[scopes] - 1].max(axis=1)
        for step, scope, score in zip(last.tolist(), scopes, scored.scores(left).tolist(), strict=True):
            if score:
                pending[step].append((scope, score))
    return pending


def _add_configurations(
    problem: ParsingProblem,
    state: IntArray,
    rank: IntArray,
    step: int,
    chosen: IntArray,
    scores: FloatArray,
    sizes: FloatArray,
) -> None:
    """Add what the configuration factors score that are decided after this step; each configuration once."""
    words = problem.decisions.modifiers
    for factor, scope in problem.configurations:
        looked_at = scope[state[scope] != OFF]
        last = int(rank[words[looked_at] - 1].max()) if looked_at.size else 0
        if last != step or not len(chosen):
            continue
        on = chosen[:, words[scope] - 1] == scope
        packed = np.packbits(on, axis=1)
        _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        values = np.array([factor.value(on[row]) for row in first], np.float64)[kind.ravel()]
        scores += values
        sizes += np.where(np.isfinite(values), np.abs(values), 0.0)


def _are_trees(heads: IntArray, single_root: bool) -> BoolArray:
    """Rows that are trees: every word reaches the root, (rows,)."""
    above = np.concatenate([np.zeros((len(heads), 1), np.int64), heads], axis=1)
    reached = heads
    for _ in range(heads.shape[1].bit_length()):
        # Twice as far up at each step.
        above = np.take_along_axis(above, above, axis=1)
        reached = above[:, 1:]
    trees: BoolArray = (reached == 0).all(axis=1)
    if single_root:
        trees &= np.count_nonzero(heads == 0, axis=1) == 1
    return trees


def _best(problem: ParsingProblem, heads: IntArray, scores: FloatArray, sizes: FloatArray) -> BestTree:
    terms = problem.length + sum(len(scored.scopes) for scored in problem.conjunctions) + len(problem.factors)
    high = scores + 2.0**-52 * terms * sizes
    low = scores - 2.0**-52 * terms * sizes
    rows = np.flatnonzero((scores > -np.inf) & (high >= low.max(initial=-np.inf)))
    if not rows.size:
        return BestTree(None, -math.inf)
    rows = rows[np.argsort(-scores[rows], kind="stable")]
    trees = [problem.tree(heads[row]) for row in rows[:EXACT]]
    values = [problem.value(tree) for tree in trees]
    best = int(np.argmax(values))
    return BestTree(trees[best], max(values[best], float(high[rows[EXACT:]].max(initial=-np.inf))))
