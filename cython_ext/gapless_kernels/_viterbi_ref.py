"""NumPy twin of the compiled Viterbi kernels: same signatures, same sums in the same order, same answers.

Source: A. Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding algorithm,
IEEE Transactions on Information Theory 13(2), 1967.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_chain, check_offsets, check_output, check_potentials

__all__ = ["edge_maxima", "forward_messages", "viterbi", "viterbi_batch"]

Real = TypeVar("Real", np.float32, np.float64)


def viterbi(unary: npt.NDArray[Real], transition: npt.NDArray[Real], labels: npt.NDArray[np.int64]) -> float:
    """Find a best label path of a chain.

    A path's score is the sum of ``unary[i, y_i]`` and of ``transition[y_i, y_{i+1}]`` (or
    ``transition[i, y_i, y_{i+1}]``). Scores of starting and ending belong in the first and last row of
    `unary`.

    Parameters
    ----------
    unary : (n, K) array of float32 or float64
        Label scores, finite or ``-inf``.
    transition : (K, K) or (n-1, K, K) array of the same type
        Pair scores, source first, finite or ``-inf``.
    labels : (n,) array of int64
        Overwritten with a best path; with -1 everywhere if every path scores ``-inf``. Among equals the
        lowest last label wins, then the lowest label before it, and so on.

    Returns
    -------
    float
        The path's score, summed in the type of `unary` from the left; ``-inf`` if there is no path.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, or `labels` is read-only.
    """
    n, k = check_chain(unary, transition)
    check_output("labels", labels, (n,), np.int64)
    messages = np.empty((n, k), unary.dtype)
    _forward(unary, transition, messages)
    value = float(messages[-1].max())
    if value == -np.inf:
        labels[:] = -1
        return value
    labels[-1] = messages[-1].argmax()
    for i in range(n - 2, -1, -1):
        labels[i] = (messages[i] + _pair_scores(transition, i)[:, labels[i + 1]]).argmax()
    return value


def viterbi_batch(
    unary: npt.NDArray[Real],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[Real],
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[Real],
) -> None:
    """Find a best label path of each of many chains that share their transitions.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) array of the same type as `unary`
        Pair scores, source first, finite or ``-inf``.
    labels : (N,) array of int64
        Overwritten with the paths, as by `viterbi`.
    values : (S,) array of the same type as `unary`
        Overwritten with the scores, as returned by `viterbi`.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, or an output is read-only.
    """
    rows, _ = check_chain(unary, transition, one_transition=True)
    sentences = check_offsets(offsets, rows)
    check_output("labels", labels, (rows,), np.int64)
    check_output("values", values, (sentences,), unary.dtype)
    for s in range(sentences):
        here = slice(offsets[s], offsets[s + 1])
        values[s] = viterbi(unary[here], transition, labels[here])


def forward_messages(unary: npt.NDArray[Real], transition: npt.NDArray[Real], messages: npt.NDArray[Real]) -> None:
    """Compute the best score of a prefix for every position and label it may end in.

    Parameters
    ----------
    unary : (n, K) array of float32 or float64
        Label scores, finite or ``-inf``.
    transition : (K, K) or (n-1, K, K) array of the same type
        Pair scores, source first, finite or ``-inf``.
    messages : (n, K) array of the same type
        Overwritten: ``messages[i, x]`` is the best score of a path through positions 0 to ``i`` that ends in
        label ``x``, ``unary[i, x]`` included; ``-inf`` if there is none. Must not overlap the inputs.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, or `messages` is read-only.
    """
    n, k = check_chain(unary, transition)
    check_output("messages", messages, (n, k), unary.dtype)
    _forward(unary, transition, messages)


def edge_maxima(
    potentials: npt.NDArray[np.float64],
    unary: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    maxima: npt.NDArray[np.float64],
) -> None:
    """Compute by how much each edge of a chain exceeds a potential.

    Entry ``i`` is the maximum over ``x`` and ``y`` of
    ``((potentials[i, x] + transition[x, y]) + unary[i+1, y]) - potentials[i+1, y]``, over the labels whose
    potentials are finite; ``-inf`` where there are none. Any path through such labels then scores at most
    ``max(unary[0] - potentials[0])`` plus the sum of the entries plus ``max(potentials[-1])``.

    Parameters
    ----------
    potentials : (n, K) array of float64
        A number for each label; labels with ``-inf`` (or any other number that is not finite) are left out.
    unary : (n, K) array of float64
        Label scores, finite or ``-inf``.
    transition : (K, K) or (n-1, K, K) array of float64
        Pair scores, source first, finite or ``-inf``.
    maxima : (n-1,) array of float64
        Overwritten.

    Raises
    ------
    TypeError
        If an argument has the wrong type; only float64 will do, as proofs are not made in float32.
    ValueError
        If an argument has the wrong shape, or `maxima` is read-only.
    """
    n, _ = check_chain(unary, transition)
    check_output("maxima", maxima, (n - 1,), np.float64)
    check_potentials(potentials, unary)
    finite = np.isfinite(potentials)
    for i in range(n - 1):
        here, there = finite[i], finite[i + 1]
        pairs = potentials[i, here, None] + _pair_scores(transition, i)[np.ix_(here, there)]
        excess = (pairs + unary[i + 1, there]) - potentials[i + 1, there]
        maxima[i] = excess.max(initial=-np.inf)


def _pair_scores(transition: npt.NDArray[Real], edge: int) -> npt.NDArray[Real]:
    return transition if transition.ndim == 2 else transition[edge]


def _forward(unary: npt.NDArray[Real], transition: npt.NDArray[Real], messages: npt.NDArray[Real]) -> None:
    messages[0] = unary[0]
    for i in range(1, len(unary)):
        messages[i] = unary[i] + (messages[i - 1][:, None] + _pair_scores(transition, i - 1)).max(axis=0)
