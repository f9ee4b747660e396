"""Checks of the arguments of the kernels for chains that share their transitions; see `_arguments`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import REALS, check_array, check_offsets, check_output, check_square, check_type


def check_transition(transition: npt.NDArray[Any], dtype: npt.DTypeLike, limit: int) -> int:
    """Check a transition matrix before tables are made of it; once per matrix, so values are checked, too.

    Parameters
    ----------
    transition : (K, K) array of float64
        Pair scores, numbers or ``-inf``.
    dtype : dtype
        The type of the tables, float32 or float64.
    limit : int
        The largest number of labels allowed.

    Returns
    -------
    int
        The number of labels, K.
    """
    if np.dtype(dtype) not in REALS:
        raise TypeError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    check_square("transition", transition)
    if len(transition) > limit:
        raise ValueError(f"transition has {len(transition)} labels, tables are made for at most {limit}")
    improper = np.argwhere(np.isnan(transition) | (transition == np.inf))
    if improper.size:
        x, y = improper[0].tolist()
        raise ValueError(f"transition[{x}, {y}] is {transition[x, y]}, expected a number or -inf")
    return len(transition)


def check_ends(initial: npt.NDArray[Any] | None, final: npt.NDArray[Any] | None, labels: int) -> None:
    """Check the scores of first and last labels, (K,) arrays of float64 or None."""
    check_array("initial", initial, (labels,), optional=True)
    check_array("final", final, (labels,), optional=True)


def check_rows(unary: npt.NDArray[Any], labels: int, dtype: npt.DTypeLike | None = None) -> int:
    """Check the (N, K) label scores of one or more sentences, of type `dtype` if that is given; return N."""
    check_type("unary", unary, *REALS)
    if dtype is not None and unary.dtype != dtype:
        raise TypeError(f"unary must have the type of the tables, {np.dtype(dtype)}, got {unary.dtype}")
    if unary.ndim != 2 or unary.shape[0] == 0 or unary.shape[1] != labels:
        raise ValueError(f"unary must have shape (N, {labels}) with N >= 1, got {unary.shape}")
    return int(unary.shape[0])


def check_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[Any],
    transition: npt.NDArray[Any],
    initial: npt.NDArray[Any] | None,
    final: npt.NDArray[Any] | None,
    labels: npt.NDArray[Any],
    values: npt.NDArray[Any],
    status: npt.NDArray[Any],
    survivors: npt.NDArray[Any] | None = None,
    dtype: npt.DTypeLike | None = None,
) -> int:
    """Check the arguments of a batch kernel; return the number of sentences, S.

    `unary` must have type `dtype` if that is given. The outputs `labels`, `values`, `status` and `survivors` are
    (N,) int64, (S,) float64, (S,) uint8, and (S,) int64 or None.
    """
    check_square("transition", transition)
    rows = check_rows(unary, len(transition), dtype)
    sentences = check_offsets(offsets, rows)
    check_ends(initial, final, len(transition))
    check_output("labels", labels, (rows,), np.int64)
    check_output("values", values, (sentences,), np.float64)
    check_output("status", status, (sentences,), np.uint8)
    if survivors is not None:
        check_output("survivors", survivors, (sentences,), np.int64)
    return sentences


def check_dominance(
    unary: npt.NDArray[Any],
    transition: npt.NDArray[Any],
    initial: npt.NDArray[Any] | None,
    final: npt.NDArray[Any] | None,
    labels: npt.NDArray[Any],
    kept: npt.NDArray[Any],
    dominators: npt.NDArray[Any],
    dtype: npt.DTypeLike,
) -> int:
    """Check the arguments of `dominance`; return the number of positions, n.

    `dtype` is the type of the tables, of which only float64 will do. The outputs `labels`, `kept` and `dominators`
    are (n,) int64, (n, K) bool and (n,) int64.
    """
    if dtype != np.float64:
        raise TypeError(f"tables must be float64, as proofs are not made in float32, got {dtype}")
    rows = check_rows(unary, len(transition), dtype)
    check_ends(initial, final, len(transition))
    check_output("labels", labels, (rows,), np.int64)
    check_output("kept", kept, (rows, len(transition)), np.bool_)
    check_output("dominators", dominators, (rows,), np.int64)
    return rows
