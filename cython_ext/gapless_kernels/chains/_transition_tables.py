"""Transition scores for column generation: centred, rounded to the type of the search, padded."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

BLOCK: Final = 16
"""Labels in a block; rows are padded to whole blocks."""
_SAMPLE = 64
# A transition lower than this many times what scores usually differ by is never taken where another is allowed.
_DEEP = 16.0
# And one this many times below labels' best transitions is a mask, not a score.
_MASK = 1024.0


@dataclass(frozen=True, eq=False)
class TransitionTables:
    """Tables computed once from the transition scores of a model.

    Moving each label's mean score of being left and of being entered from the transitions to the label scores
    changes no path's score, and makes bounds on transitions tight: column generation by them is many times faster.

    Attributes
    ----------
    transition : float64 (K, K)
        The scores themselves, source first.
    forward, backward : float32 or float64 (K, stride)
        Centred scores, source first and target first, rows padded by 0 to whole blocks of 16. Very low scores are
        raised to a common floor, minus infinity too.
    into, out_of : same type (stride,)
        Largest entry for each target, and for each source.
    leaving, entering : float64 (K,)
        Means that were moved: add them to the scores of labels with a right, a left neighbour.
    lowered : uint8 (K, K) or None
        Pairs that were raised to the floor, None if there are none. A path that takes one proves nothing.
    largest : float
        Largest magnitude in `forward`.
    """

    transition: npt.NDArray[np.float64]
    forward: npt.NDArray[Any]
    backward: npt.NDArray[Any]
    into: npt.NDArray[Any]
    out_of: npt.NDArray[Any]
    leaving: npt.NDArray[np.float64]
    entering: npt.NDArray[np.float64]
    lowered: npt.NDArray[np.uint8] | None
    largest: float


def transition_tables(
    transition: npt.NDArray[Any], dtype: npt.DTypeLike, *, centred: bool = True, spread: float = 0.0
) -> TransitionTables:
    """Lay out transition scores for the search.

    Parameters
    ----------
    transition : (K, K) array of numbers
        Pair scores, source first, finite or ``-inf``.
    dtype : dtype
        float32 or float64, the type of the label scores.
    centred : bool
        Whether to move mean scores to the labels.
    spread : float
        Usual difference of label scores, see `score_spread`; it sets the floor. Answers are exact for any number.

    Returns
    -------
    TransitionTables

    Raises
    ------
    ValueError
        If the shape is not (K, K).
    """
    exact = np.ascontiguousarray(transition, np.float64)
    if exact.ndim != 2 or exact.shape[0] != exact.shape[1] or not exact.size:
        raise ValueError(f"transition must have shape (K, K) with K >= 1, got {exact.shape}")
    count = len(exact)
    finite = np.isfinite(exact)
    leaving, entering = np.zeros(count), np.zeros(count)
    if centred:
        leaving, entering = centring(exact)
    moved = (exact - leaving[:, None]) - entering
    floor = -_DEEP * (spread + _usual_magnitude(moved[finite], spread)) - 1.0
    low = ~(moved >= floor)
    search = np.where(low, floor, moved).astype(dtype)
    return TransitionTables(
        exact,
        padded(search, dtype, 0.0),
        padded(search.T, dtype, 0.0),
        padded(search.max(axis=0)[None], dtype, 0.0)[0],
        padded(search.max(axis=1)[None], dtype, 0.0)[0],
        leaving,
        entering,
        low.astype(np.uint8) if low.any() else None,
        float(np.abs(search).max()),
    )


def score_spread(unary: npt.NDArray[Any]) -> float:
    """Estimate how far the best label of a position is above its median label, from a sample of rows (N, K).

    The median over the sample, rounded up to a power of two, so that similar batches share their tables.
    """
    rows = unary[:: max(1, len(unary) // _SAMPLE)][:_SAMPLE].astype(np.float64)
    # Masks say nothing about scores.
    rows = np.where(np.isfinite(rows), rows, np.nanmin(rows, where=np.isfinite(rows), initial=0.0))
    differences = rows.max(axis=1) - np.median(rows, axis=1)
    usual = float(np.median(differences))
    return float(2.0 ** np.ceil(np.log2(usual))) if 0.0 < usual < np.inf else 0.0


def _usual_magnitude(scores: npt.NDArray[np.float64], spread: float) -> float:
    """Find the magnitude that most scores stay below; finite masks do not count, however many there are."""
    if not scores.size:
        return 0.0
    middle, high = np.quantile(np.abs(scores), [0.5, 0.95])
    return float(min(high, _DEEP * (middle + spread)))


def centring(transition: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Compute mean scores of leaving and of entering each label, without forbidden and masked transitions.

    Parameters
    ----------
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``.

    Returns
    -------
    leaving, entering : float64 (K,)
        ``transition - leaving[:, None] - entering`` has means of about 0. A score far below those of labels' best
        transitions is taken for a mask; in the average it would cost the scores their last digits.
    """
    best = transition.max(axis=1)
    best = np.abs(best[best > -np.inf])
    masked = -_MASK * _median(best) if best.size else 0.0
    usable = np.isfinite(transition) & (transition >= masked)
    leaving = _means(transition, usable, 1)
    return leaving, _means(transition - leaving[:, None], usable, 0)


def _median(values: npt.NDArray[np.float64]) -> float:
    ordered = np.sort(values)  # np.median would import numpy.ma, which takes as long as a first decoding
    return float((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)


def _means(scores: npt.NDArray[np.float64], usable: npt.NDArray[np.bool_], axis: int) -> npt.NDArray[np.float64]:
    total: npt.NDArray[np.float64] = np.sum(scores, axis=axis, where=usable) / np.maximum(usable.sum(axis=axis), 1)
    return total


def aligned(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Allocate an array that starts on a cache line, so that no vector in a row of whole blocks straddles two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(size + 63, np.uint8)
    start = -int(memory.__array_interface__["data"][0]) % 64
    array: npt.NDArray[Any] = memory[start : start + size].view(dtype).reshape(shape)
    return array


def padded(array: npt.NDArray[Any], dtype: npt.DTypeLike, fill: float = -np.inf) -> npt.NDArray[Any]:
    """Copy a matrix into aligned rows of `dtype` that end in `fill` up to a multiple of `BLOCK`."""
    height, width = array.shape
    rows = aligned((height, -(-width // BLOCK) * BLOCK), dtype)
    rows[:, :width] = array
    rows[:, width:] = fill
    return rows
