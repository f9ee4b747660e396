"""NumPy twin of the compiled dominance kernels: same signatures, same guarantees.

A label x may be dropped at a position when another label y leads it by more than x can regain later,
``row[x] + excess[y, x] <= row[y]``: whatever follows x could follow y and score no less. This is Goldstein's
criterion of dead-end elimination (R. F. Goldstein, Efficient rotamer elimination applied to protein side-chains,
Biophysical Journal 66, 1994, eq. 3) applied to whole prefixes, from left to right.

The twins may drop different labels, and of several best paths return different ones; the value is the same, and so
is what float32 decides, except close to its rounding bound.
"""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID
from gapless_kernels.chains._batch_arguments import check_batch, check_dominance
from gapless_kernels.chains._dominance_tables import DominanceTables, lay_out
from gapless_kernels.chains._path_value import path_value
from gapless_kernels.chains._viterbi_twin import decode_sentence, float_limits, viterbi_batch

__all__ = ["dominance", "dominance_batch", "dominance_tables", "viterbi_batch"]

Real = TypeVar("Real", np.float32, np.float64)


def dominance_tables(transition: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> DominanceTables:
    """Make the tables of one transition matrix, in O(K^3).

    Parameters
    ----------
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``. Kept by the tables where it is contiguous, so it must not
        change.
    dtype : dtype
        float32 or float64, the type of the label scores to come. Computed in float64 either way.

    Returns
    -------
    DominanceTables
        The tables; `DominanceTables.nbytes` is their size.

    Raises
    ------
    TypeError
        If `transition` is not float64 or `dtype` is neither.
    ValueError
        If `transition` is not square and not empty, holds NaN or plus infinity, or has more than 65,536 labels.
    """
    return lay_out(transition, dtype, _largest_differences)


def dominance_batch(
    unary: npt.NDArray[Real],
    offsets: npt.NDArray[np.int64],
    tables: DominanceTables,
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
    survivors: npt.NDArray[np.int64] | None = None,
) -> None:
    """Find a best label path of each of many chains that share their transitions.

    Parameters
    ----------
    unary : (N, K) array of the tables' type
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    tables : DominanceTables
        Made from the transitions by `dominance_tables`.
    initial, final : (K,) array of float64, or None
        Added to the first and to the last row of each sentence; finite or ``-inf``.
    labels : (N,) array of int64
        Overwritten with best paths; with -1 where there is none or a score is improper.
    values : (S,) array of float64
        Overwritten with the paths' scores in float64, ``local + (sum so far + transition)`` from the left; or
        ``-inf``.
    status : (S,) array of uint8
        Overwritten with the codes of `gapless_kernels`. Float32 scores that are too close, or too large for sums
        (above 1e30), make a sentence DOUBTFUL: its path is good but perhaps not best, or missing (-1). INVALID
        where a NaN or plus infinity was read; not all scores are.
    survivors : (S,) array of int64, optional
        Overwritten with the numbers of labels that were kept, summed over positions; K each where the sentence was
        decoded densely.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, or an output is read-only.
    MemoryError
        If there is no memory for the records of the sentences in work.
    """
    check_batch(unary, offsets, tables.transition, initial, final, labels, values, status, survivors, tables.dtype)
    for s in range(len(offsets) - 1):
        span = slice(offsets[s], offsets[s + 1])
        values[s], status[s], kept, _ = _decode(unary[span], tables, initial, final, labels[span])
        if survivors is not None:
            survivors[s] = kept.sum()


def dominance(
    unary: npt.NDArray[np.float64],
    tables: DominanceTables,
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    kept: npt.NDArray[np.bool_],
    dominators: npt.NDArray[np.int64],
) -> float:
    """Find a best label path of one chain, the labels that survived, and those that dominate the others.

    Parameters
    ----------
    unary : (n, K) array of float64
        Label scores, finite or ``-inf``.
    tables : DominanceTables
        Made from the transitions for float64 by `dominance_tables`.
    initial, final : (K,) array of float64, or None
        Added to the first and to the last row; finite or ``-inf``.
    labels : (n,) array of int64
        Overwritten with a best path; with -1 if every path scores ``-inf``.
    kept : (n, K) array of bool
        Overwritten: the labels that survived at each position; at the last position, the path's. Messages
        computed from survivors alone are those of all labels, up to rounding. Without a path, none survive from the
        position on that no path reaches. All survive where scores are so large, beyond 1e300, that sums may
        overflow.
    dominators : (n,) array of int64
        Overwritten with the survivor at each position that the dropped ones are dominated by; with 0 where none
        survive.

    Returns
    -------
    float
        The path's score, ``local + (sum so far + transition)`` from the left; ``-inf`` if there is no path.

    Raises
    ------
    TypeError
        If an argument has the wrong type, or `tables` are not for float64.
    ValueError
        If an argument has the wrong shape, an output is read-only, or a score that was read is NaN or plus
        infinity.
    MemoryError
        If there is no memory for the survivors.
    """
    check_dominance(unary, tables.transition, initial, final, labels, kept, dominators, tables.dtype)
    value, status, kept[...], dominators[...] = _decode(unary, tables, initial, final, labels)
    if status == INVALID:
        raise ValueError("unary holds NaN or plus infinity")
    return value


def _largest_differences(transition: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Compute ``max_r (transition[x, r] - transition[y, r])`` for all y (rows) and x (columns)."""
    # -inf less -inf is NaN, which fmax passes over: where x has no successor there is nothing to give back.
    return np.array([np.fmax.reduce(np.fmax(transition - row, -np.inf), axis=1) for row in transition])


def _decode(
    unary: npt.NDArray[Any],
    tables: DominanceTables,
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
) -> tuple[float, int, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Decode one sentence into `labels`; return value, status, survivors and dominators."""
    n, k = unary.shape
    single, limit, rounding, tiny = float_limits(unary.dtype)
    real = unary.dtype.type
    first = tables.gauge if initial is None else initial + tables.gauge
    last = -tables.gauge if final is None else final - tables.gauge
    sizes = [np.abs(end[end > -np.inf]).max(initial=0) for end in (first, last, initial, final) if end is not None]
    largest = 1.0001 * max(tables.largest, *sizes)
    moves, excess = tables.moves[:, :k], tables.excess[:, :k]
    kept, dominators = np.zeros((n, k), bool), np.zeros(n, np.int64)
    errors, messages = np.zeros(n), np.zeros((n, k), unary.dtype)

    def overflowing() -> tuple[float, int, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Leave the sentence to float64."""
        if single:
            return nothing(DOUBTFUL)
        kept[...] = True
        value, status = decode_sentence(unary, tables.transition, initial, final, labels)
        return value, status, kept, np.maximum(labels, 0)

    def nothing(status: int) -> tuple[float, int, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        labels[:] = -1
        return -np.inf, status, kept, dominators

    if not largest < limit:
        return overflowing()
    offers = first.astype(unary.dtype)
    error = size = 0.0
    for i in range(n):
        if not (unary[i] < np.inf).all():
            return nothing(INVALID)
        row = unary[i] + offers
        if i == n - 1:
            break
        y = int(row.argmax())
        best = float(row[y])
        if best == -np.inf:
            return nothing(INFEASIBLE)
        spread = 2 * error + rounding * (2 * size + 14 * largest + 12 * abs(best)) + tiny
        with np.errstate(invalid="ignore", over="ignore"):
            kept[i] = row + excess[y] >= real(best - spread)
        dominators[i] = y
        alive = np.flatnonzero(kept[i])
        if not alive.size:
            # Even y was dropped: no label has a successor.
            kept[i, y] = True
            return nothing(INFEASIBLE)
        if not kept[i, y]:
            # It has no successor, and then drops nothing but what no path can use.
            dominators[i] = alive[row[alive].argmax()]
        if alive.size == 1:
            error = size = 0.0
        else:
            if not abs(best) < limit:
                return overflowing()
            messages[i, alive] = row[alive] - row[y]
            previous_size, size = size, float(np.abs(messages[i, alive]).max())
            if not size < limit:
                return overflowing()
            error += rounding * (previous_size + 5 * largest + abs(best) + 2 * size) + tiny
        errors[i] = error
        offers = (messages[i, alive, None] + moves[alive]).max(axis=0)
    with np.errstate(over="ignore"):
        totals = row + last.astype(unary.dtype)
    labels[-1] = totals.argmax()
    best = float(totals[labels[-1]])
    if best == -np.inf:
        return nothing(INFEASIBLE)
    bound = 2 * error + rounding * (2 * size + 28 * largest + 8 * abs(best)) + tiny
    doubtful = np.count_nonzero(totals >= real(best - bound)) > 1
    kept[-1, labels[-1]] = True
    dominators[-1] = labels[-1]
    for i in range(n - 2, -1, -1):
        alive = np.flatnonzero(kept[i])
        sums = messages[i, alive] + moves[alive, labels[i + 1]]
        labels[i] = alive[sums.argmax()]
        if alive.size > 1:
            lower_limit = sums.max() - (2 * errors[i] + rounding * (8 * largest + 4 * abs(sums.max())) + tiny)
            doubtful |= np.count_nonzero(sums >= lower_limit) > 1
    value = path_value(unary, tables.transition, initial, final, labels)
    return value, DOUBTFUL if single and doubtful else DECIDED, kept, dominators
