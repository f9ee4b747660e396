"""Checks of the arguments of the kernels for chains that share their transitions; see `_arguments`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_offsets, check_output, check_square

__all__ = ["check_batch", "check_dominance", "check_ends", "check_rows", "check_transition"]

_REALS = (np.dtype(np.float32), np.dtype(np.float64))


def check_transition(transition: npt.NDArray[Any], dtype: npt.DTypeLike, most: int) -> int:
    """Check a transition matrix before tables are made of it; once per matrix, so values are checked, too.

    Parameters
    ----------
    transition : (K, K) array of float64
        Pair scores.
    dtype : dtype
        The type of the tables.
    most : int
        The largest number of labels allowed.

    Returns
    -------
    int
        The number of labels, K.

    Raises
    ------
    TypeError
        If it is not a float64 array, or `dtype` is neither float32 nor float64.
    ValueError
        If it is not square, has no or too many rows, or holds NaN or plus infinity.
    """
    if np.dtype(dtype) not in _REALS:
        raise TypeError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    check_square("transition", transition)
    if len(transition) > most:
        raise ValueError(f"transition has {len(transition)} labels, tables are made for at most {most}")
    improper = np.argwhere(np.isnan(transition) | (transition == np.inf))
    if improper.size:
        x, y = improper[0].tolist()
        raise ValueError(f"transition[{x}, {y}] is {transition[x, y]}, expected a number or -inf")
    return len(transition)


def check_ends(initial: npt.NDArray[Any] | None, final: npt.NDArray[Any] | None, labels: int) -> None:
    """Check the scores of first and last labels.

    Parameters
    ----------
    initial, final : (K,) array of float64, or None
        Scores of the first and of the last label.
    labels : int
        The number of labels, K.

    Raises
    ------
    TypeError
        If one is neither None nor a float64 array.
    ValueError
        If a shape is wrong.
    """
    for name, array in (("initial", initial), ("final", final)):
        if array is None:
            continue
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array or None, got {type(array).__name__}")
        if array.dtype != np.float64:
            raise TypeError(f"{name} must be float64, got {array.dtype}")
        if array.shape != (labels,):
            raise ValueError(f"{name} must have shape {(labels,)}, got {array.shape}")


def check_rows(unary: npt.NDArray[Any], labels: int, dtype: npt.DTypeLike | None = None) -> int:
    """Check the label scores of one or more sentences.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores.
    labels : int
        The number of labels expected, K.
    dtype : dtype, optional
        The type expected; either without one.

    Returns
    -------
    int
        The number of rows, N.

    Raises
    ------
    TypeError
        If it is not an array of such a type.
    ValueError
        If the shape is wrong.
    """
    if not isinstance(unary, np.ndarray):
        raise TypeError(f"unary must be a NumPy array, got {type(unary).__name__}")
    if unary.dtype not in _REALS:
        raise TypeError(f"unary must be float32 or float64, got {unary.dtype}")
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
    """Check the arguments of a batch kernel.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, of type `dtype` if that is given.
    offsets : (S+1,) array of int64
        Starts of the sentences, see `check_offsets`.
    transition : (K, K) array of float64
        Pair scores.
    initial, final : (K,) array of float64, or None
        Scores of the first and the last label.
    labels, values, status, survivors : arrays
        Outputs: (N,) int64, (S,) float64, (S,) uint8, and (S,) int64 or None.
    dtype : dtype, optional
        The type that `unary` must have.

    Returns
    -------
    int
        The number of sentences, S.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, or an output is read-only.
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
    """Check the arguments of `dominance`.

    Parameters
    ----------
    unary : (n, K) array of float64
        Label scores.
    transition : (K, K) array of float64
        Pair scores.
    initial, final : (K,) array of float64, or None
        Scores of the first and the last label.
    labels, kept, dominators : arrays
        Outputs: (n,) int64, (n, K) bool, (n,) int64.
    dtype : dtype
        The type of the tables; only float64 will do.

    Returns
    -------
    int
        The number of positions, n.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, or an output is read-only.
    """
    if dtype != np.float64:
        raise TypeError(f"tables must be float64, as proofs are not made in float32, got {dtype}")
    rows = check_rows(unary, len(transition), dtype)
    check_ends(initial, final, len(transition))
    check_output("labels", labels, (rows,), np.int64)
    check_output("kept", kept, (rows, len(transition)), np.bool_)
    check_output("dominators", dominators, (rows,), np.int64)
    return rows
