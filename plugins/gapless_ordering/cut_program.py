"""The program that is cut: degrees of vertices, classes, length, and as many subtour rows as one likes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.roles import Batch, Columns, LinearModel, Rows, Sparse
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
    order = np.argsort(entries.indices, kind="stable")
    transposed = Sparse(
        np.searchsorted(entries.indices[order], np.arange(columns + 1)),
        entries.row_numbers()[order],
        entries.values[order],
    )
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
