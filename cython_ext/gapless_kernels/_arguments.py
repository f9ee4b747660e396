"""Shape and type checks shared by the compiled kernels and their NumPy twins.

The loops trust their arguments, so these checks refuse whatever could make them read or write out of bounds.
Values are not checked: NaN gives an unspecified answer, but never an access outside the arrays.

An argument that is no array, or of another type, is a TypeError; a wrong shape or value is a ValueError. The
message names the argument and what is expected.
"""

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

FLOAT64 = np.dtype(np.float64)
REALS = (np.dtype(np.float32), FLOAT64)
"""The number types of label scores."""
INDEX = np.dtype(np.intp)
"""The type of NumPy's own indices: int64, or int32 on machines of 32 bits (a browser), where only the twins run."""


def owned(*arrays: Any) -> list[Any]:
    """Copy arrays whose numbers a loop uses as indices or counts, before these are checked; leave what is no array.

    Another thread may write to the caller's arrays while a loop runs without the GIL, and a number that was in
    range when it was checked need not be in range when it is used. Scores need no copy: they are no indices.
    """
    return [np.array(array, order="C") if isinstance(array, np.ndarray) else array for array in arrays]


def check_type(name: str, array: Any, *types: npt.DTypeLike, optional: bool = False) -> None:
    """Check for an array of one of the `types`, of any where none is given; None will do where it is `optional`."""
    if not isinstance(array, np.ndarray):
        if not (optional and array is None):
            noun = "NumPy array or None" if optional else "NumPy array"
            raise TypeError(f"{name} must be a {noun}, got {type(array).__name__}")
    elif types and array.dtype not in types and not (array.dtype == INDEX and np.int64 in types):
        raise TypeError(f"{name} must be {' or '.join(str(np.dtype(kind)) for kind in types)}, got {array.dtype}")


def check_array(
    name: str, array: Any, shape: tuple[int, ...], dtype: npt.DTypeLike = FLOAT64, *, optional: bool = False
) -> None:
    """Check for an array of a type and shape; None will do where it is `optional`."""
    # Tested here first, without a call: small problems take a few microseconds.
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        check_type(name, array, dtype, optional=optional)
    if array is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")


def check_output(name: str, array: npt.NDArray[Any], shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
    """Check an array that a kernel writes to: as `check_array`, and it must be writeable."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        check_array(name, array, shape, dtype)
    elif not array.flags.writeable:
        raise ValueError(f"{name} must be writeable: it is an output")


def check_chain(unary: npt.NDArray[Any], transition: npt.NDArray[Any]) -> tuple[int, int]:
    """Check the scores of a chain; return its positions n and labels K.

    Parameters
    ----------
    unary : (n, K) array of float32 or float64
        Scores of labels, ``n >= 1`` and ``K >= 1``.
    transition : (K, K) or (n-1, K, K) array of the same type
        Scores of label pairs, source first.
    """
    if not isinstance(unary, np.ndarray) or unary.dtype not in REALS:
        check_type("unary", unary, *REALS)
    if not isinstance(transition, np.ndarray) or transition.dtype != unary.dtype:
        check_type("transition", transition)
        raise TypeError(f"transition must have the type of unary, {unary.dtype}, got {transition.dtype}")
    return _check_shapes(unary, transition, 1)


def check_tree(
    unary: npt.NDArray[Any], transition: npt.NDArray[Any], *, one_transition: bool = False
) -> tuple[int, int]:
    """Check the scores of a tree, or of several whose rows follow each other; return their nodes n and labels K.

    Parameters
    ----------
    unary : (n, K) array of float64
        Scores of labels, ``n >= 1`` and ``K >= 1``.
    transition : (K, K) or (n, K, K) array of float64
        Scores of label pairs, the parent's label first.
    one_transition : bool
        Whether only the first of the two shapes is allowed.
    """
    check_type("unary", unary, FLOAT64)
    check_type("transition", transition, FLOAT64)
    return _check_shapes(unary, transition, None if one_transition else 0)


def _check_shapes(unary: npt.NDArray[Any], transition: npt.NDArray[Any], fewer: int | None) -> tuple[int, int]:
    """Check for one matrix of transitions or, unless `fewer` is None, one for each row of `unary` but `fewer`."""
    if unary.ndim != 2 or 0 in unary.shape:
        raise ValueError(f"unary must have shape (n, K) with n >= 1 and K >= 1, got {unary.shape}")
    n, labels = unary.shape
    expected = (labels, labels)
    if transition.shape != expected and (fewer is None or transition.shape != (n - fewer, *expected)):
        shapes = f"{expected}" if fewer is None else f"{expected} or {(n - fewer, *expected)}"
        raise ValueError(f"transition must have shape {shapes}, got {transition.shape}")
    return n, labels


def check_offsets(offsets: npt.NDArray[Any], rows: int) -> int:
    """Check the offsets of sentences in an array that holds the rows of all of them; return their number, S.

    Parameters
    ----------
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``: they rise strictly from 0, as no
        sentence is empty.
    rows : int
        The number of rows, N, at which they end.
    """
    check_type("offsets", offsets, np.int64)
    if offsets.ndim != 1 or offsets.shape[0] < 2:
        raise ValueError(f"offsets must have shape (S+1,) with S >= 1, got {offsets.shape}")
    if offsets[0] != 0 or offsets[-1] != rows:
        raise ValueError(f"offsets must run from 0 to {rows}, the rows of unary, got {offsets[0]} to {offsets[-1]}")
    # Compared, not subtracted: a difference of two int64 can overflow and look positive.
    falls = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if falls.size:
        first = int(falls[0])
        pair = f"{offsets[first]} then {offsets[first + 1]}"
        raise ValueError(f"offsets must rise strictly, got {pair} for sentence {first}")
    return int(offsets.shape[0]) - 1


def check_square(name: str, array: npt.NDArray[Any], labels: int | None = None) -> int:
    """Check a float64 table with an entry for each pair of labels, of which there are `labels` if given.

    Returns the number of labels, K.
    """
    check_type(name, array, FLOAT64)
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
        The parent of each node, numbered within its tree, which comes before its child; -1 for a root.
    offsets : (T+1,) array of int64
        First rows of the trees, as passed by `check_offsets`.
    """
    rows = int(offsets[-1])
    check_array("parents", parents, (rows,), np.int64)
    numbers = np.arange(rows) - np.repeat(offsets[:-1], np.diff(offsets))
    wrong = np.flatnonzero((parents < -1) | (parents >= numbers))
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(
            f"parents must be -1 or come before their children, got {parents[row]} in row {row}, "
            f"which is node {numbers[row]} of its tree"
        )


def check_count(k: int, name: str = "k") -> int:
    """Check for an integer of at least 1, and return it."""
    try:
        count = operator.index(k)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {type(k).__name__}") from None
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {count}")
    return count
