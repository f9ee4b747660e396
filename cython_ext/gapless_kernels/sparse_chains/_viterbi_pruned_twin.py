"""NumPy twin of Viterbi decoding with pruning: same signature, always in float64, so no sentence is doubtful."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._status import DECIDED, INFEASIBLE, INVALID
from gapless_kernels.chains._path_value import path_value
from gapless_kernels.sparse_chains._arguments import check_pruned

__all__ = ["viterbi_pruned_batch"]

Array = npt.NDArray[Any]


def viterbi_pruned_batch(
    unary: Array,
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
    survivors: npt.NDArray[np.int64] | None = None,
    messages: npt.NDArray[np.float64] | None = None,
) -> None:
    """Find a best path of each of many chains; labels that cannot lead to it offer nothing.

    Label ``x`` is dropped when another, ``y``, offers more to every successor by the bounds alone:
    ``row(x) + upper[x] < row(y) + lower[y]`` (Belanger, Passos, Riedel, McCallum 2012, section 4.3, eq. 14). The
    cost of a position grows with its survivors and never exceeds that of a plain vector step.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``. The search is made in this type.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``.
    initial, final : (K,) array of float64, or None
        Scores of the first and of the last label.
    lower, upper : (K,) array of float64
        Lower and upper bounds on the scores of leaving each label; ``-inf`` in `lower` for a label that some
        successor is forbidden to, which then drops no other.
    labels : (N,) array of int64
        Overwritten with the paths; -1 for a sentence without one.
    values : (S,) array of float64
        Overwritten with the paths' scores, summed in float64; ``-inf`` where every path is forbidden.
    status : (S,) array of uint8
        Overwritten with DECIDED, DOUBTFUL (float32 only: rounding could have chosen the path), INVALID (a label
        score is NaN or plus infinity, and the value is NaN) or INFEASIBLE.
    survivors : (S,) array of int64, optional
        Overwritten with the number of labels kept, summed over positions.
    messages : (N, K) array of float64, optional
        Overwritten, where DECIDED or INFEASIBLE, with the messages of `forward_messages`: pruning changes none.
        Only for `unary` in float64.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, or an output is read-only.
    """
    check_pruned(
        unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors, messages
    )
    for s, (begin, end) in enumerate(pairwise(offsets)):
        rows = unary[begin:end].astype(np.float64)
        labels[begin:end], values[s], survivor_count = -1, -np.inf, 0
        if (rows < np.inf).all():
            local = rows.copy()
            local[0] += 0.0 if initial is None else initial
            local[-1] += 0.0 if final is None else final
            path, survivor_count, forward = _decode(local, transition, lower, upper)
            status[s] = INFEASIBLE if path is None else DECIDED
            if path is not None:
                labels[begin:end] = path
                values[s] = path_value(rows, transition, initial, final, labels[begin:end])
            if messages is not None:
                messages[begin:end] = forward
        else:
            values[s], status[s] = np.nan, INVALID
        if survivors is not None:
            survivors[s] = survivor_count


def _decode(
    local: Array, transition: Array, lower: Array, upper: Array
) -> tuple[list[int] | None, int, npt.NDArray[np.float64]]:
    """Find the best path, the number of survivors, and the forward messages."""
    messages = np.full(local.shape, -np.inf)
    members: list[npt.NDArray[np.int64]] = []
    last = len(local) - 1
    for i, row in enumerate(local):
        messages[i] = row
        if i > 0:
            previous = messages[i - 1, members[-1]]
            messages[i] += (previous[:, None] + transition[members[-1]]).max(axis=0, initial=-np.inf)
        alive = messages[i] > -np.inf
        bar = (messages[i] + lower).max()
        if i < last and bar > -np.inf:
            scale = np.abs(np.where(alive, messages[i], 0.0)).max()
            scale += np.max(np.abs(transition), where=np.isfinite(transition), initial=0.0)
            alive &= messages[i] + upper >= bar - 2.0**-48 * scale
        members.append(np.flatnonzero(alive))
        if not alive.any():
            return None, 0, messages
    path = [int(messages[-1].argmax())]
    for row, survivors in zip(messages[-2::-1], members[-2::-1], strict=True):
        path.append(int(survivors[(row[survivors] + transition[survivors, path[-1]]).argmax()]))
    return path[::-1], sum(map(len, members)), messages
