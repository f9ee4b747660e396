"""Columns and rows by key, and the nonzeros between them, growing."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np

from gapless.core.batch import Columns, Rows
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse


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
        places = np.minimum(np.searchsorted(self.ordered, keys), self.ordered.size - 1)
        return np.where(self.ordered[places] == keys, self.positions[places], -1)

    def fresh(self, keys: IntArray) -> IntArray:
        """Indices in `keys` of the unknown ones, each key once, in order."""
        if not keys.size:
            return np.zeros(0, np.int64)
        first = np.unique(keys, return_index=True)[1]
        first.sort()
        return np.asarray(first[self.find(keys[first]) < 0])

    def in_order(self) -> IntArray:
        """The keys by position."""
        keys = np.empty_like(self.ordered)
        keys[self.positions] = self.ordered
        return keys

    def extended(self, keys: IntArray) -> Keys:
        """A copy with new keys at the next positions."""
        order = np.argsort(keys, kind="stable")
        places = np.searchsorted(self.ordered, keys[order])
        return Keys(
            np.insert(self.ordered, places, keys[order]), np.insert(self.positions, places, len(self) + order)
        )


@attrs.define(eq=False)
class Entries:
    """Nonzeros of a growing matrix: row, column and value of each."""

    row: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    column: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    value: FloatArray = attrs.field(factory=lambda: np.zeros(0))

    def add(self, row: IntArray, column: IntArray, value: FloatArray) -> None:
        """Append."""
        self.row = np.concatenate([self.row, row])
        self.column = np.concatenate([self.column, column])
        self.value = np.concatenate([self.value, value])

    def times(self, z: FloatArray, rows: int) -> FloatArray:
        """``A @ z``."""
        return np.bincount(self.row, self.value * z[self.column], rows).astype(np.float64)

    def priced(self, price: FloatArray, columns: int) -> FloatArray:
        """``A.T @ price``."""
        return np.bincount(self.column, self.value * price[self.row], columns).astype(np.float64)


def merged(major: IntArray, minor: IntArray, value: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Entries sorted by `major`, with duplicates added up and zeros dropped."""
    order = np.lexsort((minor, major))
    major, minor, value = major[order], minor[order], value[order]
    same = (major[1:] == major[:-1]) & (minor[1:] == minor[:-1])
    if np.any(same):
        starts = np.flatnonzero(np.append(True, ~same))
        major, minor, value = major[starts], minor[starts], np.add.reduceat(value, starts)
    kept = value != 0
    return major[kept], minor[kept], value[kept]


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
    lengths = np.diff(columns.uses.indptr)
    alone = np.flatnonzero(lengths == 1)[::-1]
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
    wrong: BoolArray = ~np.isfinite(columns.objective) | ~(columns.upper >= 0)
    if np.any(wrong):
        j = int(np.flatnonzero(wrong)[0])
        raise InvalidProblem(
            f"column {columns.keys[j]} has objective {columns.objective[j]} and upper bound {columns.upper[j]}"
        )
    if not (np.all(np.isfinite(columns.coefficients.values)) and np.all(np.isfinite(columns.uses.values))):
        raise InvalidProblem("a column has an entry or a use that is not a finite number")
    _check_quantities("column", columns.keys, columns.uses, quantities)


def _check_quantities(what: str, keys: IntArray, uses: Sparse, quantities: int) -> None:
    used = uses.indices
    outside = np.flatnonzero((used < 0) | (used >= quantities))
    if outside.size:
        at = outside[0]
        raise InvalidProblem(
            f"{what} {keys[uses.row_numbers()[at]]} uses quantity {used[at]}, "
            f"but the decisions have only {quantities}"
        )
