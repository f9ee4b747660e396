"""NumPy twin of the compiled kernels for trees: same signatures, same sums in the same order, same answers."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import (
    check_offsets,
    check_output,
    check_parents,
    check_square,
    check_tree,
    check_type,
)

__all__ = ["parent_leads", "tree_dominance", "tree_viterbi"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def tree_viterbi(
    unary: Floats,
    parents: Integers,
    offsets: Integers,
    transition: Floats,
    messages: Floats,
    labels: Integers,
    values: Floats,
) -> None:
    """Find a best labelling of each of many trees by max-messages from the leaves to the roots.

    A labelling's score is the sum of ``unary[i, y_i]`` over all nodes and of ``transition[y_p, y_i]`` (or
    ``transition[i, y_p, y_i]``) over all nodes with a parent p. Scores are finite or ``-inf``.

    Parameters
    ----------
    unary : (N, K) array of float64
        Label scores of all nodes, tree after tree.
    parents : (N,) array of int64
        The number, within its own tree, of each node's parent: smaller than the node's own; -1 for a root. A tree
        may have several roots.
    offsets : (T+1,) array of int64
        Tree ``t`` is made of the rows ``offsets[t]`` to ``offsets[t+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) or (N, K, K) array of float64
        Pair scores, the parent's label first; entry ``i`` of three dimensions is for the edge above node ``i``, and
        is ignored where ``i`` is a root.
    messages : (N, K) array of float64
        Overwritten: ``messages[i, x]`` is the best score of the labels of node ``i`` and all below it, if it has
        label ``x``, every sum rounded up; ``-inf`` if there are none. So, in exact arithmetic, no message is below
        ``unary[i, x]`` plus the best ``transition[x, y] + messages[c, y]`` of each child ``c``, and together they
        prove a bound. Must not overlap the inputs.
    labels : (N,) array of int64
        Overwritten with the labellings; with -1 on all of a tree without an allowed one. Among equals the lowest
        label wins, from the roots down.
    values : (T,) array of float64
        Overwritten with the scores of the labellings, each summed in the order of the nodes, as
        ``unary + (sum so far + transition)``; ``-inf`` where nothing is allowed.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, a parent does not come before its child, or an output is read-only.
    """
    check_tree(unary, transition)
    _decode(unary, parents, offsets, transition, None, messages, labels, values, None)


def tree_dominance(
    unary: Floats,
    parents: Integers,
    offsets: Integers,
    transition: Floats,
    child_first: Floats,
    leads: Floats,
    messages: Floats,
    labels: Integers,
    values: Floats,
    survived: Integers,
) -> None:
    """Find a best labelling of each of many trees by messages from undominated labels only.

    With ``b`` the best label of a node by its message, label ``x`` is dropped when ``messages[x] + leads[b, x]``
    is below ``messages[b]``: whatever label the parent has, ``b`` serves it better. A rounded sum is below a number
    only if the sum itself is, and the leads are never rounded down, so rounding drops nothing. What the others
    offer is what all would offer: messages, labels and values are those of `tree_viterbi`, bit by bit.

    Parameters
    ----------
    unary, parents, offsets, messages, labels, values
        As for `tree_viterbi`.
    transition : (K, K) array of float64
        Pair scores, the parent's label first.
    child_first : (K, K) array of float64
        Its transpose, contiguous for speed.
    leads : (K, K) array of float64
        As `parent_leads` makes it.
    survived : (T,) array of int64
        Overwritten with the number of labels that were kept in each tree; a root counts one.

    Raises
    ------
    TypeError, ValueError
        As for `tree_viterbi`.
    """
    _, k = check_tree(unary, transition, one_transition=True)
    check_square("child_first", child_first, k)
    check_square("leads", leads, k)
    check_type("survived", survived, np.int64)
    _decode(unary, parents, offsets, transition, leads, messages, labels, values, survived)


def parent_leads(transition: Floats, leads: Floats) -> None:
    """Compute the largest lead of one label of a child over another, over all labels of its parent.

    Parameters
    ----------
    transition : (K, K) array of float64
        Pair scores, the parent's label first; finite or ``-inf``.
    leads : (K, K) array of float64
        Overwritten: ``leads[y, x]`` is the maximum of ``transition[p, x] - transition[p, y]`` over the labels p
        that allow x, never rounded down; ``+inf`` if one of them forbids y, ``-inf`` if no p allows x.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or shape, or `leads` is read-only.
    """
    k = check_square("transition", transition)
    check_output("leads", leads, (k, k), np.float64)
    with np.errstate(invalid="ignore"):
        for y in range(k):
            differences = transition - transition[:, y, None]
            # -inf beside -inf is NaN: a parent's label that forbids both says nothing.
            largest = np.where(transition > -np.inf, differences, -np.inf).max(axis=0)
            leads[y] = np.where(largest > -np.inf, np.nextafter(largest, np.inf), -np.inf)


def _decode(
    unary: Floats,
    parents: Integers,
    offsets: Integers,
    transition: Floats,
    leads: Floats | None,
    messages: Floats,
    labels: Integers,
    values: Floats,
    survived: Integers | None,
) -> None:
    """Check what both kernels have in common; decode from survivors by `leads`, or from all labels without."""
    n, k = unary.shape
    trees = check_offsets(offsets, n)
    check_parents(parents, offsets)
    check_output("messages", messages, (n, k), np.float64)
    check_output("labels", labels, (n,), np.int64)
    check_output("values", values, (trees,), np.float64)
    survived = np.empty(trees, np.int64) if survived is None else survived
    check_output("survived", survived, (trees,), np.int64)
    messages[...] = unary
    for t, (begin, end) in enumerate(pairwise(offsets.tolist())):
        survived[t] = 0
        for i in range(end - 1, begin - 1, -1):
            if parents[i] < 0:
                survived[t] += 1
                continue
            alive = np.arange(k) if leads is None else _survivors(messages[i], leads)
            offers = (messages[i, alive] + _pair_scores(transition, i)[:, alive]).max(axis=1, initial=-np.inf)
            _receive(messages[begin + parents[i]], offers)
            survived[t] += alive.size
        values[t] = _trace(unary, parents, begin, end, transition, messages, labels)


def _survivors(message: Floats, leads: Floats) -> Integers:
    best = int(message.argmax())
    if not message[best] > -np.inf:
        return np.zeros(0, np.int64)
    allowed = np.flatnonzero(message > -np.inf)
    kept: Integers = allowed[message[allowed] + leads[best, allowed] >= message[best]]
    return kept


def _receive(message: Floats, offers: Floats) -> None:
    message[...] = _raised(message + _raised(offers))


def _raised(values: Floats) -> Floats:
    """Round up: numbers not below the exact sums that were rounded to `values`."""
    return np.where(values > -np.inf, values + 2.0**-52 * np.where(values > -np.inf, np.abs(values), 0.0), values)


def _pair_scores(transition: Floats, node: int) -> Floats:
    return transition if transition.ndim == 2 else transition[node]


def _trace(
    unary: Floats,
    parents: Integers,
    begin: int,
    end: int,
    transition: Floats,
    messages: Floats,
    labels: Integers,
) -> float:
    total = 0.0
    for i in range(begin, end):
        if parents[i] < 0:
            y = int(messages[i].argmax())
            if messages[i, y] == -np.inf:
                labels[begin:end] = -1
                return -np.inf
        else:
            pairs = _pair_scores(transition, i)[labels[begin + parents[i]]]
            y = int((messages[i] + pairs).argmax())
            total += float(pairs[y])
        labels[i] = y
        total = float(unary[i, y]) + total
    return total
