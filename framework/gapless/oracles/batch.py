"""Batches of columns and rows, which a generator passes to a restricted master."""

from __future__ import annotations

from functools import cache

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse, bool_array, float_array, int_array
from gapless.errors import InvalidProblem


@attrs.frozen(eq=False)
class Columns:
    """New variables ``0 <= z <= upper`` of a maximising master.

    Parameters
    ----------
    keys : int64 (m,)
        Identities chosen by the generator; a key that the master knows is ignored.
    objective : float64 (m,)
    coefficients : Sparse
        Entries of each column, indexed by **row key**: rows of the master (`LinearView.row_keys`) or of the same
        batch. Entries in rows over quantities follow from `uses`.
    uses : Sparse
        Quantities (see `Decisions`) that each column uses, with multiplicities > 0.
    upper : float64 (m,)
        Defaults to infinity.
    integer : bool (m,)
        Defaults to True.

    Examples
    --------
    >>> from gapless.roles import Columns, Sparse
    >>> columns = Columns([7], [3.0], Sparse.from_rows([[0, 2]]), Sparse.from_rows([[5]]))
    >>> columns.coefficients.row(0)
    (array([0, 2]), array([1., 1.]))
    """

    keys: IntArray = attrs.field(converter=int_array)
    objective: FloatArray = attrs.field(converter=float_array)
    coefficients: Sparse
    uses: Sparse
    upper: FloatArray = attrs.field(
        converter=float_array, default=attrs.Factory(lambda c: np.full(c.keys.size, np.inf), takes_self=True)
    )
    integer: BoolArray = attrs.field(
        converter=bool_array, default=attrs.Factory(lambda c: np.ones(c.keys.size, bool), takes_self=True)
    )

    def __attrs_post_init__(self) -> None:
        count = self.keys.size
        for label in ("objective", "upper", "integer"):
            if getattr(self, label).shape != (count,):
                raise InvalidProblem(f"Columns: {label} must have shape ({count},)")
        for label in ("coefficients", "uses"):
            if len(getattr(self, label)) != count:
                raise InvalidProblem(f"Columns: {label} has {len(getattr(self, label))} rows for {count} columns")
        if self.uses.values.size and self.uses.values.min() <= 0:
            raise InvalidProblem("Columns: uses must be positive")

    @classmethod
    def none(cls) -> Columns:
        """Return an empty batch of columns."""
        return _no_columns()

    def __len__(self) -> int:
        return self.keys.size

    def take(self, indices: IntArray) -> Columns:
        """Select a subset, in the given order."""
        return Columns(
            self.keys[indices],
            self.objective[indices],
            self.coefficients.take(indices),
            self.uses.take(indices),
            self.upper[indices],
            self.integer[indices],
        )


@attrs.frozen(eq=False)
class Rows:
    """New constraints ``lower <= coefficients @ z <= upper``, or ``lower <= uses @ quantities <= upper``.

    A row is over columns or over quantities. A row over quantities is *robust*: the master derives the entries of
    all columns, present and future, from `Columns.uses`, and its price per quantity arrives in
    `LinearView.usage_prices`, so pricing need not know the row. A row over columns needs its entries from its own
    generator, and from every generator that adds columns later.

    Parameters
    ----------
    keys : int64 (m,)
        Identities chosen by the generator; a key that the master knows is ignored.
    lower, upper : float64 (m,)
    coefficients : Sparse
        Entries in columns that the master **already has** (`LinearView.column_keys`), indexed by column key.
        Columns of the same batch, and later ones, bring their own entries (`Columns.coefficients`). Empty by
        default.
    uses : Sparse
        Entries of each row over quantities, indexed by quantity. Empty by default; a row with entries here has none
        in `coefficients`.

    Examples
    --------
    >>> from gapless.roles import Rows, Sparse
    >>> rows = Rows([4], lower=[1.0], upper=[1.0], uses=Sparse.from_rows([[0, 1]]))
    >>> rows.uses.row(0)
    (array([0, 1]), array([1., 1.]))
    """

    keys: IntArray = attrs.field(converter=int_array)
    lower: FloatArray = attrs.field(converter=float_array)
    upper: FloatArray = attrs.field(converter=float_array)
    coefficients: Sparse = attrs.field(default=attrs.Factory(lambda r: Sparse.empty(r.keys.size), takes_self=True))
    uses: Sparse = attrs.field(default=attrs.Factory(lambda r: Sparse.empty(r.keys.size), takes_self=True))

    def __attrs_post_init__(self) -> None:
        count = self.keys.size
        for label in ("lower", "upper"):
            if getattr(self, label).shape != (count,):
                raise InvalidProblem(f"Rows: {label} must have shape ({count},)")
        for label in ("coefficients", "uses"):
            if len(getattr(self, label)) != count:
                raise InvalidProblem(f"Rows: {label} has {len(getattr(self, label))} rows for {count} keys")
        # The master derives the entries of rows over quantities: explicit ones would count twice (decision 022).
        both = np.flatnonzero(self.over_quantities & (np.diff(self.coefficients.indptr) > 0))
        if both.size:
            raise InvalidProblem(
                f"Rows: row {self.keys[both[0]]} has coefficients and uses; "
                "a row is over columns or over quantities, not both"
            )

    @classmethod
    def none(cls) -> Rows:
        """Return an empty batch of rows."""
        return _no_rows()

    def __len__(self) -> int:
        return self.keys.size

    def take(self, indices: IntArray) -> Rows:
        """Select a subset, in the given order."""
        return Rows(
            self.keys[indices],
            self.lower[indices],
            self.upper[indices],
            self.coefficients.take(indices),
            self.uses.take(indices),
        )

    @property
    def over_quantities(self) -> BoolArray:
        """Mask of the rows over quantities."""
        over: BoolArray = np.diff(self.uses.indptr) > 0
        return over


@attrs.frozen(eq=False)
class Batch:
    """Columns and rows that are added together.

    Examples
    --------
    >>> from gapless.roles import Batch, Rows
    >>> batch = Batch(rows=Rows([0, 1], lower=[1.0, 1.0], upper=[1.0, 1.0]))
    >>> len(batch.rows.keys), len(batch.columns.keys)
    (2, 0)
    """

    columns: Columns = attrs.field(factory=Columns.none)
    rows: Rows = attrs.field(factory=Rows.none)

    def __len__(self) -> int:
        return len(self.columns) + len(self.rows)


@cache
def _no_columns() -> Columns:
    """Return the empty batch, one for all callers: columns are read-only."""
    return Columns(np.zeros(0, np.int64), np.zeros(0), Sparse.empty(), Sparse.empty())


@cache
def _no_rows() -> Rows:
    """Return the empty batch, one for all callers: rows are read-only."""
    return Rows(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
