"""Columns and rows by key, and the nonzeros between them, growing."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np

from gapless.core.batch import Columns, Rows
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.lp.growing import Growing


@attrs.frozen(eq=False)
class Keys:
    """Positions 0, 1, ... of int64 keys, found by binary search. Immutable, so that a view may keep it."""

    ordered: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    positions: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return self.ordered.size

    def find(self, keys: IntArray) -> IntArray:
        """Position of each key, -1 if unknown."""
        if not self.ordered.size:
            return np.full(keys.size, -1)
        places = self.ordered.searchsorted(keys)
        np.minimum(places, self.ordered.size - 1, out=places)
        found: IntArray = np.where(self.ordered[places] == keys, self.positions[places], -1)
        return found

    def fresh(self, keys: IntArray) -> IntArray:
        """Indices in `keys` of the unknown ones, each key once, in order."""
        if not keys.size:
            return keys
        if not (keys[1:] > keys[:-1]).all():
            first = np.unique(keys, return_index=True)[1]
            first.sort()
            return np.asarray(first[self.find(keys[first]) < 0])
        if not self.ordered.size or keys[0] > self.ordered[-1]:
            return np.arange(keys.size)
        return np.flatnonzero(self.find(keys) < 0)

    def in_order(self) -> IntArray:
        """The keys by position."""
        keys = np.empty_like(self.ordered)
        keys[self.positions] = self.ordered
        return keys

    def extended(self, keys: IntArray) -> Keys:
        """A copy with new keys at the next positions."""
        positions = np.arange(len(self), len(self) + keys.size)
        if keys.size > 1 and not (keys[1:] > keys[:-1]).all():
            order = keys.argsort(kind="stable")
            keys, positions = keys[order], positions[order]
        if not self.ordered.size or keys[0] > self.ordered[-1]:
            return Keys(np.concatenate([self.ordered, keys]), np.concatenate([self.positions, positions]))
        size = len(self) + keys.size
        places = self.ordered.searchsorted(keys) + np.arange(keys.size)
        old = np.ones(size, bool)
        old[places] = False
        ordered, numbers = np.empty(size, np.int64), np.empty(size, np.int64)
        ordered[places], numbers[places] = keys, positions
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
        self._rows, self._columns, self._values = Growing(np.int64), Growing(np.int64), Growing(np.float64)
        self.row, self.column, self.value = self._rows.array, self._columns.array, self._values.array
        if row is not None and column is not None and value is not None:
            self.add(row, column, value)

    def add(self, row: IntArray, column: IntArray, value: FloatArray) -> None:
        """Append."""
        self.row = self._rows.append(row)
        self.column = self._columns.append(column)
        self.value = self._values.append(value)

    def snapshot(self) -> Entries:
        """The entries so far, to be read only."""
        other = Entries.__new__(Entries)
        other.row, other.column, other.value = self.row, self.column, self.value
        return other

    def times(self, z: FloatArray, rows: int) -> FloatArray:
        """``A @ z``."""
        return _sums(self.row, self.value * z[self.column], rows)

    def priced(self, price: FloatArray, columns: int) -> FloatArray:
        """``A.T @ price``."""
        return _sums(self.column, self.value * price[self.row], columns)


def _sums(place: IntArray, values: FloatArray, count: int) -> FloatArray:
    found = np.bincount(place, values, count)
    return found.astype(np.float64, copy=False)  # counts, where nothing is added


Nonzeros = tuple[IntArray, IntArray, FloatArray]


def merged(major: IntArray, minor: IntArray, value: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Entries sorted by `major`, with duplicates added up and zeros dropped."""
    later = major[1:] > major[:-1]
    later |= (major[1:] == major[:-1]) & (minor[1:] > minor[:-1])
    if later.all() and value.all():
        return major, minor, value
    order = np.lexsort((minor, major))
    major, minor, value = major[order], minor[order], value[order]
    same = (major[1:] == major[:-1]) & (minor[1:] == minor[:-1])
    if np.any(same):
        starts = np.flatnonzero(np.append(True, ~same))
        major, minor, value = major[starts], minor[starts], np.add.reduceat(value, starts)
    kept = value != 0
    return major[kept], minor[kept], value[kept]


def joined(one: Nonzeros, other: Nonzeros) -> Nonzeros:
    """The entries of both."""
    a, b, c = (np.concatenate(both) for both in zip(one, other, strict=True))
    return a, b, c


def product(
    row: IntArray, inner: IntArray, weight: FloatArray, by: Entries
) -> tuple[IntArray, IntArray, FloatArray]:
    """Entries of the product of a matrix, given by (row, inner, weight), with `by`, whose rows are `inner`."""
    order = np.argsort(by.row, kind="stable")
    start, stop = (np.searchsorted(by.row[order], inner, side) for side in ("left", "right"))
    counts = stop - start
    ends = np.cumsum(counts)
    met = order[np.repeat(start - ends + counts, counts) + np.arange(counts.sum())]
    return np.repeat(row, counts), by.column[met], np.repeat(weight, counts) * by.value[met]


def pairs(major: IntArray, minor: IntArray, value: FloatArray, count: int) -> list[list[tuple[int, float]]]:
    """The (minor, value) pairs of each of `count` majors: the only form that ``pyscipopt.LP`` reads."""
    order = np.argsort(major, kind="stable")
    listed = list(zip(minor[order].tolist(), value[order].tolist(), strict=True))
    ends = np.searchsorted(major[order], np.arange(count + 1)).tolist()
    return [listed[a:b] for a, b in pairwise(ends)]


def claim_own(own: IntArray, first: int, columns: Columns) -> None:
    """Enter into `own` the first column (numbered from `first`) that uses a quantity alone."""
    starts = columns.uses.indptr
    alone = (starts[1:] - starts[:-1] == 1).nonzero()[0][::-1]
    if not alone.size:
        return
    quantity = columns.uses.indices[columns.uses.indptr[alone]]
    new = own[quantity] < 0
    own[quantity[new]] = first + alone[new]


def check_rows(rows: Rows, quantities: int) -> None:
    """Refuse rows that an LP cannot hold."""
    crossed = np.flatnonzero(~(rows.lower <= rows.upper) | (rows.lower == np.inf) | (rows.upper == -np.inf))
    if crossed.size:
        r = crossed[0]
        raise InvalidProblem(f"row {rows.keys[r]} has sides {rows.lower[r]} and {rows.upper[r]}")
    if not (np.all(np.isfinite(rows.coefficients.values)) and np.all(np.isfinite(rows.uses.values))):
        raise InvalidProblem("a row has an entry that is not a finite number")
    _check_quantities("row", rows.keys, rows.uses, quantities)


def check_columns(columns: Columns, quantities: int) -> None:
    """Refuse columns that an LP cannot hold."""
    if not (np.isfinite(columns.objective).all() and (columns.upper >= 0).all()):
        wrong: BoolArray = ~np.isfinite(columns.objective) | ~(columns.upper >= 0)
        j = int(np.flatnonzero(wrong)[0])
        raise InvalidProblem(
            f"column {columns.keys[j]} has objective {columns.objective[j]} and upper bound {columns.upper[j]}"
        )
    if not (np.isfinite(columns.coefficients.values).all() and np.isfinite(columns.uses.values).all()):
        raise InvalidProblem("a column has an entry or a use that is not a finite number")
    _check_quantities("column", columns.keys, columns.uses, quantities)


def _check_quantities(what: str, keys: IntArray, uses: Sparse, quantities: int) -> None:
    used = uses.indices
    if used.size and (used.min() < 0 or used.max() >= quantities):
        at = np.flatnonzero((used < 0) | (used >= quantities))[0]
        raise InvalidProblem(
            f"{what} {keys[uses.row_numbers()[at]]} uses quantity {used[at]}, "
            f"but the decisions have only {quantities}"
        )
