"""NumPy twin of the compiled kernels for arborescences: same signatures, same answers.

Values agree with the compiled ones up to the rounding of differences; trees may differ among equals.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_count
from gapless_kernels.arborescences._marginals import tree_marginals
from gapless_kernels.parsing._arguments import check_weights
from gapless_kernels.parsing._k_best import trees_in_order

__all__ = [
    "arborescence",
    "arborescence_k_best",
    "arborescence_marginals",
    "arborescence_max_marginals",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def arborescence(weights: Floats, single_root: bool) -> tuple[float, Integers]:
    """Find a best arborescence out of 0, by contraction of cycles (Chu and Liu 1965; Edmonds 1967; Tarjan 1977).

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weights of the arcs [head, modifier], ``n >= 1``; 0 is the root, ``-inf`` means that there is no such arc.
        Column 0 and the diagonal are ignored.
    single_root : bool
        Whether exactly one arc leaves 0; else one or more do.

    Returns
    -------
    value : float
        The sum of the tree's weights over the words 1 to n, in this order; ``-inf`` if there is no tree.
    heads : (n+1,) array of int64
        The head of each word; -1 for 0, and everywhere if there is no tree.

    Raises
    ------
    TypeError
        If `weights` is not a float64 array.
    ValueError
        If the shape is wrong, or a weight is NaN or plus infinity.
    """
    return _best(check_weights(weights), single_root)


def arborescence_max_marginals(
    weights: Floats, single_root: bool, threshold: float = -np.inf
) -> tuple[float, Integers, Floats]:
    """Find, for every arc, the best value of a tree with it.

    Parameters
    ----------
    weights, single_root
        As for `arborescence`.
    threshold : float
        Entries that are at least this are exact. Others are below it, but may be above the true value (never
        below it, up to rounding), which is faster. By default all are exact.

    Returns
    -------
    value, heads
        As for `arborescence`.
    marginals : (n+1, n+1) array of float64
        The best values; ``-inf`` where no tree has the arc, in column 0 and on the diagonal.

    Raises
    ------
    TypeError, ValueError
        As for `arborescence`.
    """
    arcs = check_weights(weights)
    value, heads = _best(arcs, single_root)
    marginals = np.full(arcs.shape, -np.inf)
    for h, m in np.ndindex(arcs.shape):
        if m > 0 and h != m and arcs[h, m] > -np.inf:
            forced = arcs.copy()
            forced[:, m] = -np.inf
            forced[h, m] = arcs[h, m]
            marginals[h, m] = _best(forced, single_root)[0]
    return value, heads, marginals


def arborescence_k_best(weights: Floats, k: int, single_root: bool) -> tuple[Floats, Integers]:
    """List the k best arborescences.

    Parameters
    ----------
    weights, single_root
        As for `arborescence`.
    k : int
        Number of trees, at least 1.

    Returns
    -------
    values : (k',) array of float64
        Their values, falling; k' is k or the number of trees.
    heads : (k', n+1) array of int64
        Their heads, with -1 in column 0. No tree comes twice.

    Raises
    ------
    TypeError, ValueError
        As for `arborescence`, or if `k` is not a positive integer.
    """
    return trees_in_order(check_weights(weights), check_count(k), bool(single_root), _best)


def arborescence_marginals(weights: Floats, single_root: bool) -> tuple[float, Floats]:
    """Sum exp(value) over all arborescences (matrix-tree theorem; Koo et al. 2007).

    Parameters
    ----------
    weights, single_root
        As for `arborescence`.

    Returns
    -------
    log_partition : float
        The log of the sum; ``-inf`` if there is no tree.
    marginals : (n+1, n+1) array of float64
        The probability of each arc, if a tree's is in proportion to exp(value).

    Raises
    ------
    TypeError, ValueError
        As for `arborescence`.
    """
    return tree_marginals(check_weights(weights), bool(single_root))


def _best(arcs: Floats, single_root: bool) -> tuple[float, Integers]:
    infeasible = -np.inf, np.full(len(arcs), -1)
    forest = _contracted(arcs, 0)
    if forest.stuck is not None:
        return infeasible
    heads = forest.heads()
    if single_root and (heads[1:] == 0).sum() > 1:
        forest = _contracted(arcs, 1)
        if forest.stuck is not None:
            return infeasible
        heads = forest.heads()
    value = 0.0
    for m in range(1, len(arcs)):
        value += float(arcs[heads[m], m])
    return value, heads


@dataclass
class _Forest:
    """Words and the cycles contracted; node i is word i + 1 for the first n."""

    members: list[set[int]]
    values: list[float]
    arcs: list[tuple[int, int]]
    around: list[int]
    terminal: int = -1
    stuck: int | None = None

    def heads(self) -> Integers:
        """Open the cycles from the outermost on."""
        arcs = list(self.arcs)
        for node in reversed(range(len(arcs))):
            for inner in (i for i, around in enumerate(self.around) if around == node):
                if arcs[node][1] in self.members[inner]:
                    arcs[inner] = arcs[node]
        # A contracted node holds several words, so the nodes of one word are the words.
        n = sum(len(members) == 1 for members in self.members)
        return np.array([-1, *(head for head, _ in arcs[:n])])


def _contracted(weights: Floats, first_head: int) -> _Forest:
    """Contract cycles of best arcs with heads from `first_head` on; with 1, one node takes an arc out of 0 last."""
    n = len(weights) - 1
    forest = _Forest([{m} for m in range(1, n + 1)], [], [], [-1] * n)
    columns = [weights[:, m].copy() for m in range(1, n + 1)]
    origins = [np.full(n + 1, m) for m in range(1, n + 1)]
    tops = list(range(n))

    def enter(node: int) -> None:
        """Give a new node its best arc, or note that it has none."""
        columns[node][list(forest.members[node])] = -np.inf
        head = first_head + int(columns[node][first_head:].argmax())
        forest.values.append(float(columns[node][head]))
        forest.arcs.append((head, int(origins[node][head])))
        if forest.values[node] > -np.inf:
            return
        if first_head == 0 or forest.terminal >= 0:
            forest.stuck = node
        else:
            forest.terminal = node

    for node in range(n):
        enter(node)
        if forest.stuck is not None:
            return forest
    while cycle := _cycle(forest, tops):
        made = len(columns)
        offers = np.array([columns[node] - forest.values[node] for node in cycle])
        winners = offers.argmax(axis=0)
        columns.append(offers.max(axis=0))
        origins.append(np.array([origins[node] for node in cycle])[winners, np.arange(n + 1)])
        forest.members.append(set().union(*(forest.members[node] for node in cycle)))
        forest.around.append(-1)
        for node in cycle:
            forest.around[node] = made
        tops = [node for node in tops if node not in cycle] + [made]
        enter(made)
        if forest.stuck is not None:
            return forest
    if forest.terminal >= 0:
        node = forest.terminal
        forest.values[node] = float(columns[node][0])
        forest.arcs[node] = 0, int(origins[node][0])
        if not forest.values[node] > -np.inf:
            forest.stuck = node
    return forest


def _cycle(forest: _Forest, tops: list[int]) -> list[int]:
    """Return the nodes of a cycle of best arcs among the top nodes; empty if there is none."""
    around = {word: node for node in tops for word in forest.members[node]}
    visited: set[int] = set()
    for start in tops:
        walk: list[int] = []
        node = start
        while node not in visited:
            visited.add(node)
            walk.append(node)
            head = forest.arcs[node][0]
            if node == forest.terminal or head == 0:
                break
            node = around[head]
        else:
            if node in walk:
                return walk[walk.index(node) :]
    return []
