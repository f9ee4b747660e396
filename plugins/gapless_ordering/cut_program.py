"""The program that is cut: degrees, classes, length, and any subtour rows; and its dual as a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import FloatArray, IntArray, float_array, int_array
from gapless.roles import (
    Batch,
    BoundCertificate,
    Columns,
    Fixings,
    LinearModel,
    Rows,
    Sparse,
    charge_work,
    serialisable,
)
from gapless_ordering.integer_program import RowBlocks, edges
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.subtours import Subtour


def cut_program(problem: OrderingProblem, subtours: Sequence[Subtour] = ()) -> LinearModel:
    r"""Build the program over edges x and visits y of vertices.

    - :math:`\sum_v x_{sv} = 1` and :math:`\sum_v x_{vt} = 1`;
    - :math:`\sum_u x_{uv} = y_v` and :math:`\sum_u x_{vu} = y_v`, source and sink counted among u;
    - :math:`\sum_v y_v = k`, and :math:`y(C) \le 1` for each class C;
    - the given `Subtour` rows, in their order. With all of them, whole points are paths.

    Returns LinearModel: a column for each decision, then one for each vertex; an edge that is forbidden is at most
    0.
    """
    n = problem.vertices
    tail, head, scores = edges(problem)
    count = scores.size
    every, visit, vertices = np.arange(count), count + np.arange(n), np.arange(n)
    entering, leaving = np.flatnonzero(head < n), np.flatnonzero(tail < n)
    rows = RowBlocks()
    rows.add(1, [(0, every[tail == n], 1.0)], 1.0, 1.0)
    rows.add(1, [(0, every[head == n], 1.0)], 1.0, 1.0)
    rows.add(n, [(head[entering], entering, 1.0), (vertices, visit, -1.0)], 0.0, 0.0)
    rows.add(n, [(tail[leaving], leaving, 1.0), (vertices, visit, -1.0)], 0.0, 0.0)
    rows.add(1, [(0, visit, 1.0)], float(problem.length), float(problem.length))
    rows.add(problem.class_count, [(problem.classes, visit, 1.0)], -np.inf, 1.0)
    for subtour in subtours:
        rows.add(1, [(0, *subtour.columns(problem))], -np.inf, 0.0)
    allowed = scores > -np.inf
    return LinearModel(
        objective=np.concatenate([np.where(allowed, scores, 0.0), np.zeros(n)]),
        column_lower=np.zeros(count + n),
        column_upper=np.concatenate([allowed, np.ones(n)]),
        integer=np.arange(count + n) < count,
        rows=rows.matrix(),
        row_lower=rows.lower,
        row_upper=rows.upper,
        decision_columns=every,
    )


def base_rows(problem: OrderingProblem) -> int:
    """Count the rows before the subtours."""
    return 3 + 2 * problem.vertices + problem.class_count


def first_batch(problem: OrderingProblem) -> Batch:
    """Build the program without subtours and forbidden edges, for a master; keys are its columns and rows."""
    program = cut_program(problem)
    keys = np.flatnonzero(program.column_upper > 0)
    entries, columns = program.rows, program.objective.size
    # A master takes columns with their entries, so the rows are transposed.
    transposed = Sparse.from_entries(entries.indices, entries.row_numbers(), entries.values, columns)
    decision = program.integer[keys]
    return Batch(
        Columns(
            keys,
            program.objective[keys],
            transposed.take(keys),
            Sparse(np.concatenate([[0], np.cumsum(decision)]), keys[decision], np.ones(np.count_nonzero(decision))),
            upper=program.column_upper[keys],
            integer=decision,
        ),
        Rows(np.arange(len(entries)), program.row_lower, program.row_upper),
    )


def row_batch(problem: OrderingProblem, keys: IntArray, subtours: Sequence[Subtour]) -> Batch:
    """Build subtour rows for a master that began with `first_batch`."""
    entries = [subtour.columns(problem) for subtour in subtours]
    size = len(subtours)
    coefficients = Sparse.from_rows([row[0].tolist() for row in entries], [row[1].tolist() for row in entries])
    return Batch(rows=Rows(keys, np.full(size, -np.inf), np.zeros(size), coefficients))


@serialisable("gapless_ordering.CutDual")
@attrs.frozen(eq=False)
class CutDual(BoundCertificate):
    """Row prices of `cut_program`: any prices of any subtour rows give a bound, by weak duality.

    Parameters
    ----------
    row_prices : float64 (rows,)
        Of the rows before the subtours, then of those.
    groups : int64 (subtours,)
        The class of each subtour row.
    ends : int64 (subtours,)
        End of the vertices of each in `members`.
    members : int64
        The vertices of all subtours, one after the other.
    improving : bool
        False when the prices show that no path is left: a bound below 0 although all edges score 0.
    """

    kind: ClassVar[str] = "dual with subtours"
    row_prices: FloatArray = attrs.field(converter=float_array)
    groups: IntArray = attrs.field(converter=int_array)
    ends: IntArray = attrs.field(converter=int_array)
    members: IntArray = attrs.field(converter=int_array)
    improving: bool = True

    @classmethod
    def of(cls, prices: FloatArray, subtours: list[Subtour], *, improving: bool) -> CutDual:
        """Keep the prices of all rows except subtours of price 0."""
        base = prices.size - len(subtours)
        charged = np.flatnonzero(prices[base:] > 0)
        sets = [subtours[number] for number in charged.tolist()]
        return cls(
            np.append(prices[:base], prices[base:][charged]),
            [subtour.group for subtour in sets],
            np.cumsum([subtour.members.size for subtour in sets], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *(subtour.members for subtour in sets)]),
            improving,
        )

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the paths of `problem` that agree with `fixings`."""
        if not isinstance(problem, OrderingProblem):
            raise InvalidProblem("prices of vertices and subtours speak of an OrderingProblem")
        model = cut_program(problem, self._subtours(problem))
        charge_work(model.steps, 100 + 10 * self.ends.size)
        if self.row_prices.shape != (len(model.rows),) or not np.isfinite(self.row_prices).all():
            raise InvalidProblem(f"there must be a finite price for each of the {len(model.rows)} rows")
        lower, upper = model.column_lower.copy(), model.column_upper.copy()
        upper[fixings.off] = 0.0
        lower[fixings.on] = 1.0
        # An edge that is fixed on is forbidden: no path agrees.
        if np.any(lower > upper):
            return -np.inf
        if self.improving:
            return model.dual_bound(self.row_prices, lower, upper)
        # Farkas' lemma: with no objective, a negative dual bound refutes that a path exists.
        nothing = attrs.evolve(model, objective=np.zeros(model.objective.size))
        return -np.inf if nothing.dual_bound(self.row_prices, lower, upper) < 0 else np.inf

    def _subtours(self, problem: OrderingProblem) -> list[Subtour]:
        starts = np.concatenate([[0], self.ends])
        if self.groups.shape != self.ends.shape or np.any(np.diff(starts) < 0) or starts[-1] != self.members.size:
            raise InvalidProblem("classes and members of the subtours are not of one length")
        if self.members.size and not 0 <= self.members.min() <= self.members.max() < problem.vertices:
            raise InvalidProblem("a subtour has a vertex that does not exist")
        sets = [self.members[start:end] for start, end in zip(starts[:-1], self.ends, strict=True)]
        if any(np.any(np.diff(members) <= 0) for members in sets):
            raise InvalidProblem("the vertices of a subtour must ascend")
        return [Subtour(members, group) for members, group in zip(sets, self.groups.tolist(), strict=True)]
