"""NumPy twin of the k best paths: same signature, plain dynamic programming over lists, no pruning."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._status import DECIDED, INFEASIBLE, INVALID
from gapless_kernels.sparse_chains._arguments import check_k_best

__all__ = ["k_best_batch"]

Array = npt.NDArray[Any]
Ranked = list[tuple[float, tuple[int, ...]]]


def k_best_batch(
    unary: Array,
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    status: npt.NDArray[np.uint8],
    *,
    lower: npt.NDArray[np.float64] | None = None,
    upper: npt.NDArray[np.float64] | None = None,
    table: npt.NDArray[np.float64] | None = None,
    thresholds: npt.NDArray[np.float64] | None = None,
) -> None:
    """Find the k best paths of each of many chains, best first, always in float64.

    The compiled kernel finds them from the forward messages by the recursive enumeration of Jimenez and Marzal
    1999, which extends each label's list of prefixes only on demand. Pruning of the forward pass for one best path
    is valid for k: messages of dropped labels are exact, only their offers are left out, and the enumeration adds
    those that belong to a k-th best path.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``; for one sentence also (N-1, K, K), without pruning.
    initial, final : (K,) array of float64, or None
        Scores of the first and of the last label.
    labels : (k, N) array of int64
        Overwritten: row ``j`` holds each sentence's path of rank ``j``, or -1 where it has fewer paths. The order
        of equal paths is unspecified; all paths of a sentence differ.
    values : (S, k) array of float64
        Overwritten with the paths' scores, falling; ``-inf`` where there is no path, NaN where INVALID.
    counts : (S,) array of int64
        Overwritten with the number of paths of each sentence in `labels`.
    status : (S,) array of uint8
        Overwritten with DECIDED, INVALID (a label score is NaN or plus infinity) or INFEASIBLE (all is forbidden).
    lower, upper : (K,) array of float64, optional
        Prune by these bounds, see `viterbi_pruned_batch`.
    table : (K, K) array of float64, optional
        Prune by pairwise dominance: ``table[y, x]`` is at least ``transition[x, r] - transition[y, r]`` for every
        ``r`` that ``x`` may go to; plus infinity where ``y`` may not. The twin needs no pruning.
    thresholds : (S,) array of float64, optional
        Paths that score less are left out, and not searched for.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, or an output is read-only.
    MemoryError
        If the lists do not fit into memory.
    """
    check_k_best(
        unary, offsets, transition, initial, final, labels, values, counts, status, lower, upper, table, thresholds
    )
    k = len(labels)
    pairs = transition if transition.ndim == 3 else np.broadcast_to(transition, (len(unary), *transition.shape))
    for s, (begin, end) in enumerate(pairwise(offsets)):
        local = unary[begin:end].astype(np.float64)
        labels[:, begin:end], values[s], counts[s] = -1, -np.inf, 0
        if not (local < np.inf).all():
            values[s], status[s] = np.nan, INVALID
            continue
        local[0] += 0.0 if initial is None else initial
        local[-1] += 0.0 if final is None else final
        paths_found = _k_best(local, pairs, k)
        status[s] = DECIDED if paths_found else INFEASIBLE
        for rank, (value, path) in enumerate(paths_found):
            if thresholds is None or value >= thresholds[s]:
                labels[rank, begin:end], values[s, rank], counts[s] = path, value, rank + 1


def _k_best(local: Array, transition: Array, k: int) -> Ranked:
    prefixes: list[Ranked] = [[(float(score), (x,))] if score > -np.inf else [] for x, score in enumerate(local[0])]
    for i, row in enumerate(local[1:]):
        pairs = transition[i].tolist()
        prefixes = [
            _best(
                (
                    (score + (value + pairs[x][y]), (*path, y))
                    for x, ranked in enumerate(prefixes)
                    for value, path in ranked
                    if score > -np.inf and pairs[x][y] > -np.inf
                ),
                k,
            )
            for y, score in enumerate(row.tolist())
        ]
    return _best((entry for ranked in prefixes for entry in ranked), k)


def _best(entries: Any, k: int) -> Ranked:
    return sorted(entries, key=lambda entry: -entry[0])[:k]
