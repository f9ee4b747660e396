"""The best tree that fixings leave, by scoring every choice of heads: written for checking."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import BoolArray, IntArray
from gapless.roles import Fixings, spend_work
from gapless_dependency import DependencyTree, ParsingProblem

ULP = 2.0**-52
MOST_CHOICES = 1 << 16
"""More are refused: a certificate must not make its checker work for hours."""

MOST_SCORED_ALONE = 1 << 12
"""The same where factors can only be scored tree by tree."""


def most_choices(problem: ParsingProblem) -> int:
    """Ways to choose heads that `best_completion` goes through."""
    return MOST_SCORED_ALONE if problem.backbone_factors else MOST_CHOICES


def best_completion(problem: ParsingProblem, fixings: Fixings) -> float:
    """Score of the best tree under `fixings`; -inf if there is none.

    Raises `InvalidProblem`: more than `most_choices` ways to choose heads. `fixings`: with what they imply: a word
    with one candidate has it on.
    """
    arcs, open_arcs = problem.decisions, fixings.state != 0
    choices = [
        np.flatnonzero(open_arcs[arcs.first[m] : arcs.first[m + 1]]) + arcs.first[m]
        for m in range(1, problem.length + 1)
    ]
    count = math.prod(len(into) for into in choices)
    most = most_choices(problem)
    if count > most:
        raise InvalidProblem(f"{count} choices of heads are left, at most {most} are enumerated")
    if count == 0:
        return -math.inf
    spend_work(8 * count * problem.length**2, 50 * problem.length)
    chosen = np.empty((count, problem.length), np.int64)
    numbers = np.arange(count)
    for column, into in enumerate(choices):
        chosen[:, column] = into[numbers % len(into)]
        numbers //= len(into)
    chosen = chosen[are_trees(arcs.heads[chosen], single_root=problem.single_root, projective=problem.projective)]
    scores = problem.arc_weights[chosen].sum(axis=1)
    sizes, terms = np.abs(problem.arc_weights[chosen]).sum(axis=1), problem.length + 4
    for factor in problem.conjunctions:
        left = np.flatnonzero(open_arcs[factor.scopes].all(axis=1))
        spend_work(factor.scopes.size + 2 * left.size * len(chosen), 10 + 10 * left.size)
        for scope, score in zip(factor.scopes[left], factor.scores(left), strict=True):
            fires = (chosen[:, arcs.modifiers[scope] - 1] == scope).all(axis=1)
            scores[fires] += score
            sizes[fires] += abs(score) if score > -math.inf else 0.0
        terms += len(left)
    for other, arcs_of_it in problem.configurations:
        on: BoolArray = chosen[:, arcs.modifiers[arcs_of_it] - 1] == arcs_of_it
        seen: dict[bytes, float] = {}
        spend_work(on.size, 2 * len(on))
        for number, configuration in enumerate(on):
            key = configuration.tobytes()
            if key not in seen:
                seen[key] = other.value(configuration)
            scores[number] += seen[key]
            sizes[number] += abs(seen[key]) if seen[key] > -math.inf else 0.0
        terms += 1
    if problem.backbone_factors:
        spend_work(0, 50 * len(chosen))
        trees = (DependencyTree(arcs.heads[row]) for row in chosen[scores > -math.inf])
        return max((problem.value(tree) for tree in trees if not problem.violations(tree)), default=-math.inf)
    # These sums are rounded; the problem's own value decides among all that may be the largest.
    most_it_can_be, best = scores + ULP * terms * sizes, -math.inf
    for row in np.argsort(-most_it_can_be, kind="stable"):
        if most_it_can_be[row] <= best:
            break
        spend_work(0, 50)
        tree = DependencyTree(arcs.heads[chosen[row]])
        if not problem.violations(tree):
            best = max(best, problem.value(tree))
    return best


def are_trees(heads: IntArray, *, single_root: bool, projective: bool) -> BoolArray:
    """Rows that hold the heads of a tree; bool (rows,).

    `heads` (int64 (rows, n)): in 0..n, that of word 1 first. `single_root`, `projective`: as in `ParsingProblem`.
    """
    count, n = heads.shape
    above = np.concatenate([np.zeros((count, 1), np.int64), heads], axis=1)
    # Twice as far up each time: who is not at the root after n steps is in a circle.
    for _ in range(n.bit_length()):
        above = np.take_along_axis(above, above, axis=1)
    trees: BoolArray = np.all(above == 0, axis=1)
    if single_root:
        trees[(heads == 0).sum(axis=1) != 1] = False
    if projective:
        left = np.flatnonzero(trees)
        words = np.arange(1, n + 1)
        low, high = np.minimum(heads[left], words), np.maximum(heads[left], words)
        for word in range(n):
            begin, end = low[:, [word]], high[:, [word]]
            trees[left[((begin < low) & (low < end) & (end < high)).any(axis=1)]] = False
    return trees
