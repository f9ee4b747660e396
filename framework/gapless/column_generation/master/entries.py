"""Growing sets of keys, and the growing sparse matrix of nonzeros between columns and rows."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.column_generation.master.growing_array import GrowingArray
from gapless.errors import InvalidProblem
from gapless.oracles.batch import Columns, Rows


@attrs.frozen(eq=False)
class Keys:
    """Positions 0, 1, ... of int64 keys, by binary search; immutable, so that views may share it."""

    ordered: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    positions: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return self.ordered.size

    def find(self, keys: IntArray) -> IntArray:
        """Return the position of each key, -1 if unknown."""
        if not self.ordered.size:
            return np.full(keys.size, -1)
        indices = self.ordered.searchsorted(keys)
        # A key beyond the last one has no entry to compare with: any entry shows that it is unknown.
        np.minimum(indices, self.ordered.size - 1, out=indices)
        positions: IntArray = np.where(self.ordered[indices] == keys, self.positions[indices], -1)
        return positions

    def fresh(self, keys: IntArray) -> IntArray:
        """Return the indices in `keys` of the unknown ones, each key once, in order."""
        if not keys.size:
            return keys
        # Generators mostly return ascending new keys: these need neither a sort nor a search.
        if not (keys[1:] > keys[:-1]).all():
            first = np.unique(keys, return_index=True)[1]
            first.sort()
            return np.asarray(first[self.find(keys[first]) < 0])
        if not self.ordered.size or keys[0] > self.ordered[-1]:
            return np.arange(keys.size)
        return np.flatnonzero(self.find(keys) < 0)

    def in_order(self) -> IntArray:
        """Return the keys by position."""
        keys = np.empty_like(self.ordered)
        keys[self.positions] = self.ordered
        return keys

    def extended(self, keys: IntArray) -> Keys:
        """Return a copy with new keys at the next positions."""
        positions = np.arange(len(self), len(self) + keys.size)
        if keys.size > 1 and not (keys[1:] > keys[:-1]).all():
            order = keys.argsort(kind="stable")
            keys, positions = keys[order], positions[order]
        if not self.ordered.size or keys[0] > self.ordered[-1]:
            return Keys(np.concatenate([self.ordered, keys]), np.concatenate([self.positions, positions]))
        # A merge of two sorted arrays: each new key moves up by the number of new keys below it.
        size = len(self) + keys.size
        indices = self.ordered.searchsorted(keys) + np.arange(keys.size)
        old = np.ones(size, bool)
        old[indices] = False
        ordered, numbers = np.empty(size, np.int64), np.empty(size, np.int64)
        ordered[indices], numbers[indices] = keys, positions
        ordered[old], numbers[old] = self.ordered, self.positions
        return Keys(ordered, numbers)


class Entries:
    """Nonzeros of a growing matrix: row, column and value of each.

    Parameters
    ----------
    row, column : int64 (entries,), optional
    value : float64 (entries,), optional
        No entries by default.
    """

    __slots__ = ("_columns", "_rows", "_values", "column", "row", "value")

    def __init__(
        self, row: IntArray | None = None, column: IntArray | None = None, value: FloatArray | None = None
    ) -> None:
        self._rows, self._columns, self._values = (
            GrowingArray(np.int64),
            GrowingArray(np.int64),
            GrowingArray(np.float64),
        )
        self.row, self.column, self.value = self._rows.array, self._columns.array, self._values.array
        if row is not None and column is not None and value is not None:
            self.add(row, column, value)

    def add(self, row: IntArray, column: IntArray, value: FloatArray) -> None:
        """Append entries."""
        self.row = self._rows.append(row)
        self.column = self._columns.append(column)
        self.value = self._values.append(value)

    def snapshot(self) -> Entries:
        """Return the entries so far, to be read only."""
        # Without `__init__`: growing arrays stay as they are, so their present views are a snapshot at no cost.
        other = Entries.__new__(Entries)
        other.row, other.column, other.value = self.row, self.column, self.value
        return other

    def times(self, z: FloatArray, rows: int) -> FloatArray:
        """Compute ``A @ z``."""
        return _sums(self.row, self.value * z[self.column], rows)

    def priced(self, price: FloatArray, columns: int) -> FloatArray:
        """Compute ``A.T @ price``."""
        return _sums(self.column, self.value * price[self.row], columns)


def _sums(index: IntArray, values: FloatArray, count: int) -> FloatArray:
    # Of empty arrays, `bincount` returns integers.
    return np.bincount(index, values, count).astype(np.float64, copy=False)


Nonzeros = tuple[IntArray, IntArray, FloatArray]


def merged(major: IntArray, minor: IntArray, value: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Sort entries by `major` and `minor`, add up duplicates and drop zeros."""
    ascending = major[1:] > major[:-1]
    ascending |= (major[1:] == major[:-1]) & (minor[1:] > minor[:-1])
    # Most batches come sorted and without zeros: the test is much cheaper than the sort.
    if ascending.all() and value.all():
        return major, minor, value
    order = np.lexsort((minor, major))
    major, minor, value = major[order], minor[order], value[order]
    same = (major[1:] == major[:-1]) & (minor[1:] == minor[:-1])
    if np.any(same):
        starts = np.flatnonzero(np.append(True, ~same))
        major, minor, value = major[starts], minor[starts], np.add.reduceat(value, starts)
    nonzero = value != 0
    return major[nonzero], minor[nonzero], value[nonzero]


def joined(left: Nonzeros, right: Nonzeros) -> Nonzeros:
    """Concatenate two lists of entries."""
    major, minor, value = (np.concatenate(both) for both in zip(left, right, strict=True))
    return major, minor, value


def product(
    row: IntArray, inner: IntArray, weight: FloatArray, by: Entries
) -> tuple[IntArray, IntArray, FloatArray]:
    """Compute the entries of the product of a matrix (row, inner, weight) with `by`, whose rows are `inner`."""
    order = np.argsort(by.row, kind="stable")
    start, stop = (np.searchsorted(by.row[order], inner, side) for side in ("left", "right"))
    counts = stop - start
    ends = np.cumsum(counts)
    # The ranges start[i] .. stop[i], one after the other, without a loop in Python.
    matches = order[np.repeat(start - ends + counts, counts) + np.arange(counts.sum())]
    return np.repeat(row, counts), by.column[matches], np.repeat(weight, counts) * by.value[matches]


def pairs(major: IntArray, minor: IntArray, value: FloatArray, count: int) -> list[list[tuple[int, float]]]:
    """List the (minor, value) pairs of each of `count` majors: the only form that ``pyscipopt.LP`` reads."""
    order = np.argsort(major, kind="stable")
    listed = list(zip(minor[order].tolist(), value[order].tolist(), strict=True))
    ends = np.searchsorted(major[order], np.arange(count + 1)).tolist()
    return [listed[a:b] for a, b in pairwise(ends)]


def register_singletons(singleton: IntArray, first: int, columns: Columns) -> None:
    """Enter into `singleton`, by quantity, the first column (numbered from `first`) that uses no other quantity."""
    starts = columns.uses.indptr
    # Backwards, because of several columns of one quantity NumPy's assignment keeps the last: the first one here.
    candidates = (starts[1:] - starts[:-1] == 1).nonzero()[0][::-1]
    if not candidates.size:
        return
    quantity = columns.uses.indices[columns.uses.indptr[candidates]]
    new = singleton[quantity] < 0
    singleton[quantity[new]] = first + candidates[new]


def check_rows(rows: Rows, quantities: int) -> None:
    """Refuse rows that a linear program cannot have."""
    crossed = np.flatnonzero(~(rows.lower <= rows.upper) | (rows.lower == np.inf) | (rows.upper == -np.inf))
    if crossed.size:
        r = crossed[0]
        raise InvalidProblem(f"row {rows.keys[r]} has sides {rows.lower[r]} and {rows.upper[r]}")
    if not (np.all(np.isfinite(rows.coefficients.values)) and np.all(np.isfinite(rows.uses.values))):
        raise InvalidProblem("a row has an entry that is not a finite number")
    _check_quantities("row", rows.keys, rows.uses, quantities)


def check_columns(columns: Columns, quantities: int) -> None:
    """Refuse columns that a linear program cannot have."""
    if not (np.isfinite(columns.objective).all() and (columns.upper >= 0).all()):
        wrong: BoolArray = ~np.isfinite(columns.objective) | ~(columns.upper >= 0)
        j = int(np.flatnonzero(wrong)[0])
        raise InvalidProblem(
            f"column {columns.keys[j]} has objective {columns.objective[j]} and upper bound {columns.upper[j]}"
        )
    if not (np.isfinite(columns.coefficients.values).all() and np.isfinite(columns.uses.values).all()):
        raise InvalidProblem("a column has an entry or a use that is not a finite number")
    _check_quantities("column", columns.keys, columns.uses, quantities)


def _check_quantities(noun: str, keys: IntArray, uses: Sparse, quantities: int) -> None:
    used = uses.indices
    if used.size and (used.min() < 0 or used.max() >= quantities):
        index = np.flatnonzero((used < 0) | (used >= quantities))[0]
        raise InvalidProblem(
            f"{noun} {keys[uses.row_numbers()[index]]} uses quantity {used[index]}, "
            f"but the decisions have only {quantities}"
        )
