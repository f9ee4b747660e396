"""Viterbi's algorithm as textbooks write it."""

import numpy as np


def viterbi(unary, transition, initial, final):
    """Find the best chain in O(n K^2)."""
    n, count = unary.shape
    back = np.zeros((n, count), dtype=np.intp)
    into = np.ascontiguousarray(transition.T)
    best = unary[0] + initial
    for i in range(1, n):
        arrive = into + best
        back[i] = arrive.argmax(axis=1)
        best = arrive[np.arange(count), back[i]] + unary[i]
    labels = np.zeros(n, dtype=np.intp)
    labels[-1] = (best + final).argmax()
    for i in range(n - 1, 0, -1):
        labels[i - 1] = back[i, labels[i]]
    return labels
