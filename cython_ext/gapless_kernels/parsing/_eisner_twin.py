"""NumPy twin of the kernels for first-order projective parsing: same signatures, same values up to rounding.

Spans are pairs of words ``i <= j``. A *complete* span headed by its first word (``right``) or its last (``left``)
holds all descendants of the head on that side; an *incomplete* one reaches from a head to one of its modifiers. See
Eisner (1996), "Three new probabilistic models for dependency parsing", section 3.
"""

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_count
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.parsing._k_best import trees_in_order

__all__ = ["eisner", "eisner_k_best", "eisner_marginals", "eisner_max_marginals"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class _Charts:
    """Values of all spans by one way of adding alternatives, and outside values of all arcs.

    With a single root the spans are those of the words and the root comes last. With several, the root is the first
    word of the spans.
    """

    def __init__(self, weights: Floats, single_root: bool, add: np.ufunc) -> None:
        self.first = 1 if single_root else 0
        self.root = weights[0, 1:]
        self.add = add
        arcs = weights[self.first :, self.first :].copy()
        np.fill_diagonal(arcs, -np.inf)
        if not single_root:
            arcs[:, 0] = -np.inf
        self.arcs = arcs
        m = len(arcs)
        # Upper triangles: spans [i, j].
        self.complete_right = np.full((m, m), -np.inf)
        self.complete_left = self.complete_right.copy()
        self.incomplete_right = self.complete_right.copy()
        self.incomplete_left = self.complete_right.copy()
        np.fill_diagonal(self.complete_right, 0.0)
        np.fill_diagonal(self.complete_left, 0.0)
        for length in range(1, m):
            for i in range(m - length):
                j = i + length
                halves = add.reduce(self.complete_right[i, i:j] + self.complete_left[i + 1 : j + 1, j])
                self.incomplete_right[i, j] = halves + arcs[i, j]
                self.incomplete_left[i, j] = halves + arcs[j, i]
                self.complete_right[i, j] = add.reduce(
                    self.incomplete_right[i, i + 1 : j + 1] + self.complete_right[i + 1 : j + 1, j]
                )
                self.complete_left[i, j] = add.reduce(self.complete_left[i, i:j] + self.incomplete_left[i:j, j])

    def by_root(self) -> Floats:
        """Value of the trees with each word as the root's only modifier, for a single root."""
        values: Floats = self.root + (self.complete_left[0] + self.complete_right[:, -1])
        return values

    def total(self) -> float:
        """Value of all trees together."""
        return float(self.add.reduce(self.by_root()) if self.first else self.complete_right[0, -1])

    def arc_values(self) -> Floats:
        """Value of the trees with each arc, (n+1, n+1)."""
        m, add = len(self.arcs), self.add
        right, left, halves = (np.full((m, m), -np.inf) for _ in range(3))
        values = np.full((m, m), -np.inf)
        if self.first:
            right[:, -1] = self.root + self.complete_left[0]
            left[0] = self.root + self.complete_right[:, -1]
        else:
            right[0, -1] = 0.0
        for length in range(m - 1, 0, -1):
            for i in range(m - length):
                j = i + length
                right[i, j] = add.reduce(
                    [
                        right[i, j],
                        add.reduce(
                            halves[i, j + 1 :] + self.complete_left[min(j + 1, m - 1), j + 1 :], initial=-np.inf
                        ),
                        add.reduce(right[:i, j] + self.incomplete_right[:i, i], initial=-np.inf),
                    ]
                )
                left[i, j] = add.reduce(
                    [
                        left[i, j],
                        add.reduce(halves[:i, j] + self.complete_right[:i, i - 1], initial=-np.inf),
                        add.reduce(left[i, j + 1 :] + self.incomplete_left[j, j + 1 :], initial=-np.inf),
                    ]
                )
                arc_right = add.reduce(right[i, j:] + self.complete_right[j, j:])
                arc_left = add.reduce(left[: i + 1, j] + self.complete_left[: i + 1, i])
                halves[i, j] = add(arc_right + self.arcs[i, j], arc_left + self.arcs[j, i])
                values[i, j] = arc_right + self.incomplete_right[i, j]
                values[j, i] = arc_left + self.incomplete_left[i, j]
        if not self.first:
            return values
        every = np.full((m + 1, m + 1), -np.inf)
        every[1:, 1:] = values
        every[0, 1:] = self.by_root()
        return every

    def best_heads(self) -> Integers:
        """Trace the heads of a best tree, which must exist; `add` must be the maximum."""
        heads = np.full(len(self.arcs) + self.first, -1)
        last = len(self.arcs) - 1
        if self.first:
            root = int(np.argmax(self.by_root()))
            heads[root + 1] = 0
            spans = [(0, root, False), (root, last, True)]
        else:
            spans = [(0, last, True)]
        while spans:
            i, j, right = spans.pop()
            if i == j:
                continue
            if right:
                end = (
                    i
                    + 1
                    + int(
                        np.argmax(self.incomplete_right[i, i + 1 : j + 1] + self.complete_right[i + 1 : j + 1, j])
                    )
                )
                spans.append((end, j, True))
                begin = i
                heads[end + self.first] = i + self.first
            else:
                begin = i + int(np.argmax(self.complete_left[i, i:j] + self.incomplete_left[i:j, j]))
                spans.append((i, begin, False))
                end = j
                heads[begin + self.first] = j + self.first
            middle = begin + int(
                np.argmax(self.complete_right[begin, begin:end] + self.complete_left[begin + 1 : end + 1, end])
            )
            spans += [(begin, middle, True), (middle + 1, end, False)]
        return heads


def _value(weights: Floats, heads: Integers) -> float:
    total = 0.0
    for word in range(1, len(heads)):
        total += weights[heads[word], word]
    return float(total)


def _best(charts: _Charts, weights: Floats) -> tuple[float, Integers]:
    if not charts.total() > -np.inf:
        return -np.inf, np.full(len(weights), -1)
    heads = charts.best_heads()
    return _value(weights, heads), heads


def eisner(weights: Floats, single_root: bool) -> tuple[float, Integers]:
    """Find the best projective tree under arc weights.

    Time O(n^3), memory O(n^2).

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weight of the arc [head, modifier], ``n >= 1``; 0 is the root, which is to the left of all words; ``-inf``
        means that there is no such arc. Column 0 and the diagonal are ignored. Sums of weights must stay within the
        range of float64.
    single_root : bool
        Whether exactly one word is headed by the root; otherwise at least one is.

    Returns
    -------
    value : float
        The sum of the tree's weights, added from word 1 to word n; ``-inf`` if there is no tree.
    heads : (n+1,) array of int64
        The head of each word; ``heads[0]`` is -1, and so is all of it if there is no tree. Which of several best
        trees is returned is unspecified.

    Raises
    ------
    TypeError
        If `weights` is not a float64 array.
    ValueError
        If the shape is wrong, or a weight is NaN or plus infinity; the message names the place.
    """
    weights = check_weights(weights)
    return _best(_Charts(weights, single_root, np.maximum), weights)


def eisner_max_marginals(weights: Floats, single_root: bool) -> tuple[float, Integers, Floats]:
    """Find the best projective tree, and the value of the best one with each arc.

    Parameters
    ----------
    weights, single_root
        As for `eisner`.

    Returns
    -------
    value, heads
        As `eisner` returns them.
    max_marginals : (n+1, n+1) array of float64
        The value of the best tree that has the arc [head, modifier], up to rounding, as its sum is not made in the
        order of the words; ``-inf`` where there is none.

    Raises
    ------
    TypeError, ValueError
        As `eisner` does.
    """
    weights = check_weights(weights)
    charts = _Charts(weights, single_root, np.maximum)
    return *_best(charts, weights), charts.arc_values()


def eisner_marginals(weights: Floats, single_root: bool) -> tuple[float, Floats]:
    """Compute arc probabilities under the distribution of trees proportional to exp(sum of weights).

    Works with logarithms throughout, so weights of any size are fine.

    Parameters
    ----------
    weights, single_root
        As for `eisner`; ``-inf`` is probability 0.

    Returns
    -------
    log_partition : float
        The logarithm of the sum over all trees of exp(sum of weights); ``-inf`` if there is no tree.
    marginals : (n+1, n+1) array of float64
        The probability of each arc; each column but the first sums to 1 up to rounding. All 0 if there is no tree.

    Raises
    ------
    TypeError, ValueError
        As `eisner` does.
    """
    weights = check_weights(weights)
    charts = _Charts(weights, single_root, np.logaddexp)
    total = charts.total()
    if not total > -np.inf:
        return -np.inf, np.zeros(weights.shape)
    return total, np.exp(np.minimum(charts.arc_values() - total, 0.0))


def eisner_k_best(weights: Floats, k: int, single_root: bool) -> tuple[Floats, Integers]:
    """Find the k best projective trees.

    Each tree has one derivation, so the k best derivations are k trees. The kernel makes only those that are
    asked for, by Huang and Chiang (2005), "Better k-best parsing", algorithm 3; here Lawler's partition excludes
    one tree after the other.

    Parameters
    ----------
    weights, single_root
        As for `eisner`.
    k : int
        Number of trees, at least 1.

    Returns
    -------
    values : (k',) array of float64
        Values of the trees, best first, summed as by `eisner`; ``k' <= k`` where there are fewer trees.
    heads : (k', n+1) array of int64
        The heads of each tree, all different.

    Raises
    ------
    TypeError, ValueError
        As `eisner` does; also if `k` is no integer or less than 1.
    """
    return trees_in_order(check_weights(weights), check_count(k), single_root, eisner)
