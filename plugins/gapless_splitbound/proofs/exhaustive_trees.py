"""The best tree that agrees with fixings, by scoring every choice of heads: written for the verifier."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, IntArray
from gapless.roles import Fixings, charge_work
from gapless_dependency import DependencyTree, ParsingProblem

ULP = 2.0**-52
MOST_CHOICES = 1 << 16
"""Limit on the choices of heads: a forged certificate must not make the verifier work for hours."""

MOST_SCORED_ALONE = 1 << 12
"""The limit where factors can only be scored tree by tree, in Python."""


def most_choices(problem: ParsingProblem) -> int:
    """Return the limit on the choices of heads that `best_completion` scores."""
    return MOST_SCORED_ALONE if problem.backbone_factors else MOST_CHOICES


def best_completion(problem: ParsingProblem, fixings: Fixings) -> float:
    """Return the score of the best tree under `fixings`; -inf if there is none.

    Raises `InvalidProblem`: more than `most_choices` ways to choose heads. `fixings`: with what they imply: a word
    with one candidate has it on.
    """
    arcs, open_arcs = problem.decisions, fixings.state != 0
    choices = [
        np.flatnonzero(open_arcs[arcs.first[m] : arcs.first[m + 1]]) + arcs.first[m]
        for m in range(1, problem.length + 1)
    ]
    count = math.prod(len(into) for into in choices)
    limit = most_choices(problem)
    if count > limit:
        raise InvalidProblem(f"{count} choices of heads are left, at most {limit} are enumerated")
    if count == 0:
        return -math.inf
    charge_work(8 * count * problem.length**2, 50 * problem.length)
    # Choice number k, written in the mixed radix of the candidates of each word.
    selected = np.empty((count, problem.length), np.int64)
    numbers = np.arange(count)
    for column, into in enumerate(choices):
        selected[:, column] = into[numbers % len(into)]
        numbers //= len(into)
    selected = selected[
        are_trees(arcs.heads[selected], single_root=problem.single_root, projective=problem.projective)
    ]
    scores = problem.arc_weights[selected].sum(axis=1)
    sizes, terms = np.abs(problem.arc_weights[selected]).sum(axis=1), problem.length + 4
    for factor in problem.conjunctions:
        possible = np.flatnonzero(open_arcs[factor.scopes].all(axis=1))
        charge_work(factor.scopes.size + 2 * possible.size * len(selected), 10 + 10 * possible.size)
        for scope, score in zip(factor.scopes[possible], factor.scores(possible), strict=True):
            fires = (selected[:, arcs.modifiers[scope] - 1] == scope).all(axis=1)
            scores[fires] += score
            sizes[fires] += abs(score) if score > -math.inf else 0.0
        terms += len(possible)
    for other, arcs_of_it in problem.configurations:
        on: BoolArray = selected[:, arcs.modifiers[arcs_of_it] - 1] == arcs_of_it
        # Few configurations of the scope differ between many trees: value each once.
        values: dict[bytes, float] = {}
        charge_work(on.size, 2 * len(on))
        for number, configuration in enumerate(on):
            key = configuration.tobytes()
            if key not in values:
                values[key] = other.value(configuration)
            scores[number] += values[key]
            sizes[number] += abs(values[key]) if values[key] > -math.inf else 0.0
        terms += 1
    if problem.backbone_factors:
        charge_work(0, 50 * len(selected))
        trees = (DependencyTree(arcs.heads[row]) for row in selected[scores > -math.inf])
        return max((problem.value(tree) for tree in trees if not problem.violations(tree)), default=-math.inf)
    # These sums are rounded; the problem's own value decides among all trees that may be the best.
    upper, best = scores + ULP * terms * sizes, -math.inf
    for row in np.argsort(-upper, kind="stable"):
        if upper[row] <= best:
            break
        charge_work(0, 50)
        tree = DependencyTree(arcs.heads[selected[row]])
        if not problem.violations(tree):
            best = max(best, problem.value(tree))
    return best


def are_trees(heads: IntArray, *, single_root: bool, projective: bool) -> BoolArray:
    """Mark the rows that are the heads of a tree; bool (rows,).

    `heads` (int64 (rows, n)): in 0..n, that of word 1 first. `single_root`, `projective`: as in `ParsingProblem`.
    """
    count, n = heads.shape
    above = np.concatenate([np.zeros((count, 1), np.int64), heads], axis=1)
    # Pointer doubling: a word that does not reach the root within n steps is on or below a cycle.
    for _ in range(n.bit_length()):
        above = np.take_along_axis(above, above, axis=1)
    trees: BoolArray = np.all(above == 0, axis=1)
    if single_root:
        trees[(heads == 0).sum(axis=1) != 1] = False
    if projective:
        rows = np.flatnonzero(trees)
        words = np.arange(1, n + 1)
        low, high = np.minimum(heads[rows], words), np.maximum(heads[rows], words)
        for word in range(n):
            # Two arcs cross when exactly one end of one lies strictly between the ends of the other.
            begin, end = low[:, [word]], high[:, [word]]
            trees[rows[((begin < low) & (low < end) & (end < high)).any(axis=1)]] = False
    return trees
