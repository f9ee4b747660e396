"""Sums over all arborescences by the matrix-tree theorem; the compiled kernel and its NumPy twin share it."""

import numpy as np
import numpy.typing as npt

__all__ = ["tree_marginals"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Step = tuple[int, Integers, Integers, float, Floats, Floats, Floats]


def tree_marginals(weights: Floats, single_root: bool) -> tuple[float, Floats]:
    """Compute the log of the sum of exp(value) over all trees, and the probability of each arc.

    The sum is a determinant (Tutte 1984; Koo et al. 2007), which Gaussian elimination would lose to cancelling
    where weights differ much. So words are eliminated without subtraction, as Grassmann, Taksar and Heyman do for
    Markov chains, and in logarithms: a word's arcs in, together worth d, give d to the product, and every way
    through the word becomes part of an arc past it. With a single root, arcs out of 0 do not count into d until one
    word is left: this is the part of the sum that is linear in them.

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weights of arcs, ``-inf`` where there is none; column 0 and the diagonal are ignored.
    single_root : bool
        Whether a tree has exactly one arc out of 0.

    Returns
    -------
    log_partition : float
        ``-inf`` if there is no tree.
    marginals : (n+1, n+1) array of float64
        Probabilities, zero where there is no arc; all zero if there is no tree.
    """
    n = len(weights) - 1
    current = weights.astype(np.float64)
    current[:, 0] = -np.inf
    np.fill_diagonal(current, -np.inf)
    left = np.arange(1, n + 1)
    log_partition = 0.0
    steps: list[Step] = []
    least = 1 if single_root else 0
    while left.size > 1:
        heads = np.concatenate([[0], left])
        # A word that only 0 can be head of must be the last, if there is to be a single root.
        enterable = np.flatnonzero(current[np.ix_(heads[least:], left)].max(axis=0) > -np.inf)
        if enterable.size == 0 or (not single_root and enterable.size < left.size):
            return -np.inf, np.zeros_like(current)
        word = int(left[enterable[-1]])
        left = left[left != word]
        heads = np.concatenate([[0], left])
        into = current[heads, word].copy()
        total = float(np.logaddexp.reduce(into[least:]))
        past = into[:, None] + current[word, left] - total
        # No arc leads from a word to itself.
        past[1 + np.arange(left.size), np.arange(left.size)] = -np.inf
        before = current[np.ix_(heads, left)]
        after = np.logaddexp(before, past)
        current[np.ix_(heads, left)] = after
        log_partition += total
        steps.append((word, heads, left, total, into, _shares(past, after), _shares(before, after)))
    last = int(left[0])
    log_partition += float(current[0, last])
    if not log_partition > -np.inf:
        return -np.inf, np.zeros_like(current)
    return log_partition, _arc_shares(steps, last, least, n)


def _shares(part: Floats, whole: Floats) -> Floats:
    possible = whole > -np.inf
    differences = np.subtract(part, whole, out=np.full_like(whole, -np.inf), where=possible)
    return np.exp(differences)


def _arc_shares(steps: list[Step], last: int, least: int, n: int) -> Floats:
    """Differentiate the log-partition by the weights, from the last step back."""
    marginals = np.zeros((n + 1, n + 1))
    marginals[0, last] = 1.0
    for word, heads, left, total, into, past, before in reversed(steps):
        grid = np.ix_(heads, left)
        through = marginals[grid] * past
        marginals[grid] *= before
        marginals[heads, word] = through.sum(axis=1)
        marginals[word, left] = through.sum(axis=0)
        marginals[heads[least:], word] += (1.0 - through.sum()) * np.exp(into[least:] - total)
    return np.clip(marginals, 0.0, 1.0)
