"""Dependency trees by enumeration: heads (n+1,) of the words 1 to n, -1 in place 0."""

import itertools
from functools import cache

import numpy as np


def is_tree(heads, single_root, projective):
    """Whether every word is below 0, no arcs cross where that matters, and a single root is single."""
    words = range(1, len(heads))
    reached = {0}
    for _ in words:
        reached |= {m for m in words if heads[m] in reached}
    arcs = [sorted((heads[m], m)) for m in words]
    crossing = projective and any(a < c < b < d for a, b in arcs for c, d in arcs)
    roots = sum(heads[m] == 0 for m in words)
    return heads[0] == -1 and len(reached) == len(heads) and not crossing and (roots == 1 or not single_root)


@cache
def every_tree(n, single_root, projective=True):
    """Heads of all trees of n words, (trees, n+1)."""
    every = ((-1, *heads) for heads in itertools.product(range(n + 1), repeat=n))
    return np.array([heads for heads in every if is_tree(heads, single_root, projective)])


def tree_values(weights, trees):
    """Sums of the weights of trees, added from word 1 on."""
    total = np.zeros(len(trees))
    for word in range(1, len(weights)):
        total += weights[trees[:, word], word]
    return total


def by_arc(trees, values, combine, empty):
    """Combine the values of the trees that hold each arc [head, modifier]; `empty` where there are none."""
    result = np.full((trees.shape[1],) * 2, empty)
    combine.at(result, (trees[:, 1:], np.arange(1, trees.shape[1])), values[:, None])
    return result


def forced(weights, head, modifier):
    """Weights with that arc as the only one into `modifier`."""
    others = weights.copy()
    others[:, modifier] = -np.inf
    others[head, modifier] = weights[head, modifier]
    return others


def real_arcs(weights):
    """Whether an entry is that of an arc: neither on the diagonal nor in column 0."""
    real = ~np.eye(len(weights), dtype=bool)
    real[:, 0] = False
    return real
