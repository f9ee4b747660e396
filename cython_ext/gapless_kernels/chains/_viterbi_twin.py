"""NumPy twin of the compiled Viterbi kernels: same signatures, same sums in the same order, same answers.

Source: A. Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding algorithm,
IEEE Transactions on Information Theory 13(2), 1967.
"""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_chain, check_output
from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID
from gapless_kernels.chains._batch_arguments import check_batch
from gapless_kernels.chains._path_value import path_value

__all__ = ["forward_messages", "viterbi", "viterbi_batch"]

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
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
) -> None:
    """Find a best label path of each of many chains that share their transitions.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``.
    initial, final : (K,) array of float64, or None
        Added to the first and to the last row of each sentence; finite or ``-inf``.
    labels : (N,) array of int64
        Overwritten with best paths, found by sums in the type of `unary`; with -1 where there is none or a score is
        improper. Among equals the lowest last label wins, then the lowest label before it, and so on.
    values : (S,) array of float64
        Overwritten with the paths' scores in float64, ``local + (sum so far + transition)`` from the left; or
        ``-inf``.
    status : (S,) array of uint8
        Overwritten with the codes of `gapless_kernels`. Only float32 scores make a sentence DOUBTFUL: some
        label of its path is ahead of another by less than the sums may be wrong, or scores are beyond 1e30.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, or an output is read-only.
    MemoryError
        If there is no memory for the messages of the sentences in work.
    """
    check_batch(unary, offsets, transition, initial, final, labels, values, status)
    for s in range(len(offsets) - 1):
        span = slice(offsets[s], offsets[s + 1])
        values[s], status[s] = decode_sentence(unary[span], transition, initial, final, labels[span])


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


def _pair_scores(transition: npt.NDArray[Real], edge: int) -> npt.NDArray[Real]:
    return transition if transition.ndim == 2 else transition[edge]


def _forward(unary: npt.NDArray[Real], transition: npt.NDArray[Real], messages: npt.NDArray[Real]) -> None:
    messages[0] = unary[0]
    for i in range(1, len(unary)):
        messages[i] = unary[i] + (messages[i - 1][:, None] + _pair_scores(transition, i - 1)).max(axis=0)


def float_limits(dtype: np.dtype[Any]) -> tuple[bool, float, float, float]:
    """Return whether scores are float32, their limit, and bounds on a relative and an absolute rounding error."""
    single = dtype == np.float32
    return (single, 1e30, 17 / 16 * 2.0**-24, 1e-30) if single else (single, 1e300, 17 / 16 * 2.0**-53, 1e-300)


def decode_sentence(
    unary: npt.NDArray[Any],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
) -> tuple[float, int]:
    """Decode one sentence into `labels`; return its value and status."""
    n, k = unary.shape
    single, limit, rounding, tiny = float_limits(unary.dtype)
    first, last = (np.zeros(k) if end is None else end for end in (initial, final))
    finite = [np.abs(array[array > -np.inf]).max(initial=0) for array in (transition, first, last)]
    largest = 1.0001 * max(finite)
    labels[:] = -1
    if single and not largest < limit:
        return -np.inf, DOUBTFUL
    if not (unary < np.inf).all():
        return -np.inf, INVALID
    pairs, first, last = (array.astype(unary.dtype) for array in (transition, first, last))
    messages = np.empty((n, k), unary.dtype)
    messages[0] = unary[0] + first
    with np.errstate(over="ignore"):
        for i in range(1, n):
            messages[i] = unary[i] + (messages[i - 1][:, None] + pairs).max(axis=0)
            # As in the compiled kernel: a long sentence should lose no digits.
            if single and i % 16 == 0 and np.isfinite(messages[i].max()):
                messages[i] -= messages[i].max()
    allowed = messages > -np.inf
    extents = np.abs(np.where(allowed, messages, 0)).max(axis=1).astype(np.float64)
    totals = messages[-1] + last
    best = totals.max()
    if best == -np.inf:
        return -np.inf, DOUBTFUL if single and not extents.sum() + largest < limit else INFEASIBLE
    labels[-1] = totals.argmax()
    offers = [totals]
    for i in range(n - 2, -1, -1):
        offers.append(messages[i] + pairs[:, labels[i + 1]])
        labels[i] = offers[-1].argmax()
    value = path_value(unary, transition, initial, final, labels)
    if not single:
        return value, DECIDED
    if (transition > -np.inf).all():
        extents = np.abs(messages[np.arange(n), labels]) + 4 * largest
    bound = 2 * rounding * (4 * extents.sum() + 12 * largest * (n + 1)) + tiny
    near = any(np.count_nonzero(sums >= np.float32(sums.max() - bound)) > 1 for sums in offers)
    return value, DOUBTFUL if near or not bound < limit else DECIDED
