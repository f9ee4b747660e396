"""Shape and type checks shared by the compiled kernels and their NumPy twins.

The loops trust their arguments, so these checks refuse whatever could make them read or write out of bounds.
They do not look at values: a NaN gives an unspecified answer, but never a stray access.
"""

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "check_chain",
    "check_count",
    "check_model",
    "check_offsets",
    "check_output",
    "check_parents",
    "check_shared",
    "check_square",
    "check_tree",
]

_REALS = (np.dtype(np.float32), np.dtype(np.float64))


def check_chain(
    unary: npt.NDArray[Any], transition: npt.NDArray[Any], *, one_transition: bool = False
) -> tuple[int, int]:
    """Check the scores of a chain.

    Parameters
    ----------
    unary : (n, K) array of float32 or float64
        Scores of labels, ``n >= 1`` and ``K >= 1``.
    transition : (K, K) or (n-1, K, K) array of the same type
        Scores of label pairs, source first.
    one_transition : bool
        Whether only the first of the two shapes is allowed.

    Returns
    -------
    tuple of int
        ``n`` and ``K``.

    Raises
    ------
    TypeError
        If an argument is not an array, or not of type float32 or float64, or the types differ.
    ValueError
        If a shape is wrong; the message names the argument and the shape expected.
    """
    for name, array in (("unary", unary), ("transition", transition)):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
    if unary.dtype not in _REALS:
        raise TypeError(f"unary must be float32 or float64, got {unary.dtype}")
    if transition.dtype != unary.dtype:
        raise TypeError(f"transition must have the type of unary, {unary.dtype}, got {transition.dtype}")
    if unary.ndim != 2 or 0 in unary.shape:
        raise ValueError(f"unary must have shape (n, K) with n >= 1 and K >= 1, got {unary.shape}")
    n, labels = unary.shape
    expected = (labels, labels)
    if transition.shape == expected:
        return n, labels
    if one_transition:
        raise ValueError(f"transition must have shape {expected}, got {transition.shape}")
    if transition.shape != (n - 1, *expected):
        raise ValueError(f"transition must have shape {expected} or {(n - 1, *expected)}, got {transition.shape}")
    return n, labels


def check_model(
    unary: npt.NDArray[Any],
    transition: npt.NDArray[Any],
    initial: npt.NDArray[Any] | None,
    final: npt.NDArray[Any] | None,
    *,
    varying: bool = False,
) -> tuple[int, int]:
    """Check label scores of either type and the float64 scores that all sentences share.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Scores of labels, ``N >= 1`` and ``K >= 1``.
    transition : (K, K) array of float64
        Scores of label pairs, source first.
    initial, final : (K,) array of float64, or None
        Scores of the first and of the last label.
    varying : bool
        Whether transitions of shape (N-1, K, K) are allowed as well: one matrix for each edge.

    Returns
    -------
    tuple of int
        ``N`` and ``K``.

    Raises
    ------
    TypeError
        If an argument is not an array or of another type.
    ValueError
        If a shape is wrong; the message names the argument and the shape expected.
    """
    if not isinstance(unary, np.ndarray):
        raise TypeError(f"unary must be a NumPy array, got {type(unary).__name__}")
    if unary.dtype not in _REALS:
        raise TypeError(f"unary must be float32 or float64, got {unary.dtype}")
    if unary.ndim != 2 or 0 in unary.shape:
        raise ValueError(f"unary must have shape (N, K) with N >= 1 and K >= 1, got {unary.shape}")
    rows, labels = unary.shape
    one_each = (rows - 1, labels, labels)
    varies = varying and isinstance(transition, np.ndarray) and transition.shape == one_each
    check_shared("transition", transition, one_each if varies else (labels, labels))
    for name, array, shape in (("initial", initial, (labels,)), ("final", final, (labels,))):
        if array is not None:
            check_shared(name, array, shape)
    return rows, labels


def check_shared(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    """Check a float64 array that all sentences share.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    array : array
        The argument.
    shape : tuple of int
        The shape expected.

    Raises
    ------
    TypeError
        If it is not a float64 array.
    ValueError
        If the shape is wrong.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
    if array.dtype != np.float64:
        raise TypeError(f"{name} must be float64, got {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")


def check_output(name: str, array: npt.NDArray[Any], shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
    """Check an array that a kernel writes to.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    array : array
        The argument.
    shape : tuple of int
        The shape expected.
    dtype : dtype
        The type expected.

    Raises
    ------
    TypeError
        If it is not an array of that type.
    ValueError
        If the shape is wrong or the array is read-only.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
    if array.dtype != dtype:
        raise TypeError(f"{name} must be {np.dtype(dtype)}, got {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not array.flags.writeable:
        raise ValueError(f"{name} must be writeable: it is an output")


def check_offsets(offsets: npt.NDArray[Any], rows: int) -> int:
    """Check the offsets of sentences in an array that holds the rows of all of them.

    Parameters
    ----------
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``.
    rows : int
        The number of rows, N.

    Returns
    -------
    int
        The number of sentences, S.

    Raises
    ------
    TypeError
        If it is not an int64 array.
    ValueError
        If it is not one-dimensional, does not rise strictly (a sentence would be empty), or does not run
        from 0 to `rows`.
    """
    if not isinstance(offsets, np.ndarray):
        raise TypeError(f"offsets must be a NumPy array, got {type(offsets).__name__}")
    if offsets.dtype != np.int64:
        raise TypeError(f"offsets must be int64, got {offsets.dtype}")
    if offsets.ndim != 1 or offsets.shape[0] < 2:
        raise ValueError(f"offsets must have shape (S+1,) with S >= 1, got {offsets.shape}")
    if offsets[0] != 0 or offsets[-1] != rows:
        raise ValueError(f"offsets must run from 0 to {rows}, the rows of unary, got {offsets[0]} to {offsets[-1]}")
    # Compared, not subtracted: a difference of two int64 can overflow and look positive.
    falls = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if falls.size:
        at = int(falls[0])
        raise ValueError(f"offsets must rise strictly, got {offsets[at]} then {offsets[at + 1]} for sentence {at}")
    return int(offsets.shape[0]) - 1


def check_tree(
    unary: npt.NDArray[Any], transition: npt.NDArray[Any], *, one_transition: bool = False
) -> tuple[int, int]:
    """Check the scores of a tree, or of several whose rows follow each other.

    Parameters
    ----------
    unary : (n, K) array of float64
        Scores of labels, ``n >= 1`` and ``K >= 1``.
    transition : (K, K) or (n, K, K) array of float64
        Scores of label pairs, the parent's label first.
    one_transition : bool
        Whether only the first of the two shapes is allowed.

    Returns
    -------
    tuple of int
        ``n`` and ``K``.

    Raises
    ------
    TypeError
        If an argument is not a float64 array.
    ValueError
        If a shape is wrong; the message names the argument and the shape expected.
    """
    for name, array in (("unary", unary), ("transition", transition)):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
        if array.dtype != np.float64:
            raise TypeError(f"{name} must be float64, got {array.dtype}")
    if unary.ndim != 2 or 0 in unary.shape:
        raise ValueError(f"unary must have shape (n, K) with n >= 1 and K >= 1, got {unary.shape}")
    n, labels = unary.shape
    expected = (labels, labels)
    if transition.shape != expected and (one_transition or transition.shape != (n, *expected)):
        shapes = f"{expected}" if one_transition else f"{expected} or {(n, *expected)}"
        raise ValueError(f"transition must have shape {shapes}, got {transition.shape}")
    return n, labels


def check_square(name: str, array: npt.NDArray[Any], labels: int | None = None) -> int:
    """Check a table with an entry for each pair of labels.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    array : (K, K) array of float64
        The argument, ``K >= 1``.
    labels : int, optional
        K, if another argument determines it.

    Returns
    -------
    int
        K.

    Raises
    ------
    TypeError
        If it is not a float64 array.
    ValueError
        If the shape is wrong.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
    if array.dtype != np.float64:
        raise TypeError(f"{name} must be float64, got {array.dtype}")
    square = array.ndim == 2 and array.shape[0] == array.shape[1] >= 1
    if not square or (labels is not None and array.shape[0] != labels):
        expected = "(K, K) with K >= 1" if labels is None else f"{(labels, labels)}"
        raise ValueError(f"{name} must have shape {expected}, got {array.shape}")
    return int(array.shape[0])


def check_parents(parents: npt.NDArray[Any], offsets: npt.NDArray[np.int64]) -> None:
    """Check the parents of nodes in trees whose rows follow each other.

    Parameters
    ----------
    parents : (N,) array of int64
        The parent of each node, numbered within its tree; -1 for a root.
    offsets : (T+1,) array of int64
        First rows of the trees, as passed by `check_offsets`.

    Raises
    ------
    TypeError
        If it is not an int64 array.
    ValueError
        If the shape is wrong, or a parent does not come before its child.
    """
    if not isinstance(parents, np.ndarray):
        raise TypeError(f"parents must be a NumPy array, got {type(parents).__name__}")
    if parents.dtype != np.int64:
        raise TypeError(f"parents must be int64, got {parents.dtype}")
    rows = int(offsets[-1])
    if parents.shape != (rows,):
        raise ValueError(f"parents must have shape {(rows,)}, got {parents.shape}")
    numbers = np.arange(rows) - np.repeat(offsets[:-1], np.diff(offsets))
    wrong = np.flatnonzero((parents < -1) | (parents >= numbers))
    if wrong.size:
        at = int(wrong[0])
        raise ValueError(
            f"parents must be -1 or come before their children, got {parents[at]} in row {at}, "
            f"which is node {numbers[at]} of its tree"
        )


def check_count(k: int, name: str = "k") -> int:
    """Check a count.

    Parameters
    ----------
    k : int
        The number, at least 1.
    name : str
        The argument's name, for messages.

    Returns
    -------
    int
        The number.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is less than 1.
    """
    try:
        count = operator.index(k)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {type(k).__name__}") from None
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {count}")
    return count
