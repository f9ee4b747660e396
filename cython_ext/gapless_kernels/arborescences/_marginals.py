"""Sums over all arborescences by the matrix-tree theorem; the compiled kernel and its NumPy twin share it."""

import numpy as np
import numpy.typing as npt

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
    remaining = np.arange(1, n + 1)
    log_partition = 0.0
    steps: list[Step] = []
    first_head = 1 if single_root else 0
    while remaining.size > 1:
        heads = np.concatenate([[0], remaining])
        # A word that only 0 can be head of must be the last, if there is to be a single root.
        enterable = np.flatnonzero(current[np.ix_(heads[first_head:], remaining)].max(axis=0) > -np.inf)
        if enterable.size == 0 or (not single_root and enterable.size < remaining.size):
            return -np.inf, np.zeros_like(current)
        word = int(remaining[enterable[-1]])
        remaining = remaining[remaining != word]
        heads = np.concatenate([[0], remaining])
        into = current[heads, word].copy()
        total = float(np.logaddexp.reduce(into[first_head:]))
        past = into[:, None] + current[word, remaining] - total
        # No arc leads from a word to itself.
        past[1 + np.arange(remaining.size), np.arange(remaining.size)] = -np.inf
        unchanged = current[np.ix_(heads, remaining)]
        updated = np.logaddexp(unchanged, past)
        current[np.ix_(heads, remaining)] = updated
        log_partition += total
        steps.append((word, heads, remaining, total, into, _shares(past, updated), _shares(unchanged, updated)))
    last = int(remaining[0])
    log_partition += float(current[0, last])
    if not log_partition > -np.inf:
        return -np.inf, np.zeros_like(current)
    return log_partition, _arc_shares(steps, last, first_head, n)


def _shares(part: Floats, total_scores: Floats) -> Floats:
    possible = total_scores > -np.inf
    differences = np.subtract(part, total_scores, out=np.full_like(total_scores, -np.inf), where=possible)
    return np.exp(differences)


def _arc_shares(steps: list[Step], last: int, first_head: int, n: int) -> Floats:
    """Differentiate the log-partition by the weights, from the last step back."""
    marginals = np.zeros((n + 1, n + 1))
    marginals[0, last] = 1.0
    for word, heads, remaining, total, into, past, unchanged in reversed(steps):
        grid = np.ix_(heads, remaining)
        through = marginals[grid] * past
        marginals[grid] *= unchanged
        marginals[heads, word] = through.sum(axis=1)
        marginals[word, remaining] = through.sum(axis=0)
        marginals[heads[first_head:], word] += (1.0 - through.sum()) * np.exp(into[first_head:] - total)
    return np.clip(marginals, 0.0, 1.0)
