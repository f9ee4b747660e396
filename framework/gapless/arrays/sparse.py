"""Compressed sparse row matrices in three flat arrays, and converters to read-only arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.errors import InvalidProblem

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def frozen_array(values: Any, dtype: type) -> NDArray[Any]:
    """Return a read-only contiguous view or copy of `values` in `dtype`."""
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype)
    # The caller's own array must stay writeable: only a view of it is frozen.
    if array is values or array.base is not None:
        array = array.view()
    array.flags.writeable = False
    return array


def int_array(values: Any) -> IntArray:
    """Convert to read-only int64.

    Raises `InvalidProblem`: no numbers, fractions, NaN or a number that int64 does not hold.
    """
    try:
        raw = np.asarray(values)
        with np.errstate(invalid="raise"):
            integers = frozen_array(values, np.int64)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise InvalidProblem(f"expected integers, got {values!r:.80}") from error
    # NumPy would parse text, and wrap an unsigned number from 2**63 on to a negative one.
    if raw.dtype.kind in "SU" or (raw.dtype.kind in "fu" and (integers != raw).any()):
        index = int(np.flatnonzero((integers != raw).ravel())[0]) if raw.dtype.kind in "fu" else 0
        raise InvalidProblem(f"expected integers, got {raw.ravel()[index]} at place {index}")
    return integers


def float_array(values: Any) -> FloatArray:
    """Convert to read-only float64. Raises `InvalidProblem`: no numbers."""
    try:
        return frozen_array(values, np.float64)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise InvalidProblem(f"expected numbers, got {values!r:.80}") from error


def bool_array(values: Any) -> BoolArray:
    """Convert to read-only bool."""
    return frozen_array(values, np.bool_)


@attrs.frozen(eq=False)
class Sparse:
    """Rows of (index, value) pairs.

    Parameters
    ----------
    indptr : int64 (m + 1,)
        Row r holds the entries ``indptr[r]:indptr[r + 1]``.
    indices : int64 (nnz,)
    values : float64 (nnz,)

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import Sparse
    >>> rows = Sparse.from_rows([[0, 2], [1]], [[1.0, 2.0], [5.0]])
    >>> rows.dot(np.array([1.0, 1.0, 10.0]))
    array([21.,  5.])
    """

    indptr: IntArray = attrs.field(converter=int_array)
    indices: IntArray = attrs.field(converter=int_array)
    values: FloatArray = attrs.field(converter=float_array)

    def __attrs_post_init__(self) -> None:
        if self.indptr.size < 1 or self.indptr[0] != 0 or (self.indptr[1:] < self.indptr[:-1]).any():
            raise InvalidProblem("Sparse: indptr must start at 0 and never fall")
        if self.indices.shape != self.values.shape or self.indptr[-1] != self.indices.size:
            raise InvalidProblem(
                f"Sparse: indptr ends at {self.indptr[-1]} but there are {self.indices.size} indices "
                f"and {self.values.size} values"
            )

    @classmethod
    def empty(cls, rows: int = 0) -> Sparse:
        """Make `rows` rows without entries."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]], values: Iterable[Sequence[float]] | None = None) -> Sparse:
        """Make rows from sequences of indices; `values` defaults to ones."""
        lists = [np.asarray(row, np.int64) for row in rows]
        indptr = np.cumsum([0, *(row.size for row in lists)])
        indices = np.concatenate(lists) if lists else np.zeros(0, np.int64)
        if values is None:
            return cls(indptr, indices, np.ones(indices.size))
        numbers = [np.asarray(row, np.float64) for row in values]
        return cls(indptr, indices, np.concatenate(numbers) if numbers else np.zeros(0))

    @classmethod
    def from_entries(cls, rows: IntArray, indices: IntArray, values: FloatArray, count: int) -> Sparse:
        """Make `count` rows of entries in any order; a row keeps the order of its entries."""
        order = np.argsort(rows, kind="stable")
        return cls(np.searchsorted(rows[order], np.arange(count + 1)), indices[order], values[order])

    def __len__(self) -> int:
        return self.indptr.size - 1

    def row(self, r: int) -> tuple[IntArray, FloatArray]:
        """Return the indices and values of row `r`."""
        span = slice(self.indptr[r], self.indptr[r + 1])
        return self.indices[span], self.values[span]

    def row_numbers(self) -> IntArray:
        """Return the row of each entry, int64 (nnz,)."""
        return np.repeat(np.arange(len(self)), self.indptr[1:] - self.indptr[:-1])

    def dot(self, vector: FloatArray) -> FloatArray:
        """Compute ``self @ vector``, shape (m,); 0 x inf never arises because zeros are not stored."""
        return np.bincount(
            self.row_numbers(), weights=self.values * vector[self.indices], minlength=len(self)
        ).astype(np.float64)

    def transpose_dot(self, vector: FloatArray, columns: int) -> FloatArray:
        """Compute ``self.T @ vector``, shape (columns,)."""
        return np.bincount(
            self.indices, weights=self.values * vector[self.row_numbers()], minlength=columns
        ).astype(np.float64)

    def take(self, rows: IntArray) -> Sparse:
        """Select rows, in the given order."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        # Old minus new begin of each row: added to 0, 1, 2, ... it gives the entries without a loop over rows.
        starts = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths)
        entries = starts + np.arange(indptr[-1])
        return Sparse(indptr, self.indices[entries], self.values[entries])
