"""The flow formulation of the paper: the monolithic model, for export and as an independent reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import LinearModel, Sparse
from gapless_ordering.path_problem import PathProblem

Entries = tuple[Any, Any, Any]
"""Rows within a block, columns and values: arrays that broadcast."""


class RowBlocks:
    """Blocks of sparse rows, one below the other."""

    def __init__(self) -> None:
        self._entries: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._sides: list[tuple[FloatArray, FloatArray]] = []
        self.count = 0

    def add(self, rows: int, entries: list[Entries], lower: float, upper: float) -> None:
        """Add a block of `rows` rows with the same sides."""
        for row, column, value in entries:
            broadcast = np.broadcast_arrays(self.count + row, column, np.asarray(value, np.float64))
            placed, columns, values = map(np.ravel, broadcast)
            self._entries.append((placed, columns, values))
        self._sides.append((np.full(rows, lower), np.full(rows, upper)))
        self.count += rows

    def matrix(self) -> Sparse:
        """Return all rows."""
        row, column, value = (np.concatenate(parts) for parts in zip(*self._entries, strict=True))
        # Entries were added block by block, not row by row.
        return Sparse.from_entries(row, column, value, self.count)

    @property
    def lower(self) -> FloatArray:
        """Left sides, (rows,)."""
        return np.concatenate([side[0] for side in self._sides])

    @property
    def upper(self) -> FloatArray:
        """Right sides, (rows,)."""
        return np.concatenate([side[1] for side in self._sides])


def integer_program(problem: PathProblem) -> LinearModel:
    r"""Build the complete integer program of section 4.

    Columns: the indicator :math:`I_e` of each edge, one for each decision; the number :math:`f_e` of each allowed
    edge; and the demand :math:`d_v`, inflow :math:`a_v` and outflow :math:`b_v` of each vertex, as well as
    :math:`b_s` and :math:`a_t`. An edge that is forbidden has :math:`I_e = 0` and no number. With the sums over the
    edges into and out of v, the rows are

    - source and sink: :math:`\sum_v I_{sv} = 1`, :math:`\sum_v I_{vt} = 1`;
    - length: :math:`\sum_e I_e = k + 1`;
    - balance: :math:`\sum_u I_{uv} = \sum_u I_{vu}` for each vertex;
    - redundancy: :math:`\sum_{v \in Z} \sum_u I_{vu} \le 1` for each class Z;
    - acyclicity: :math:`f_e \le (k + 1) I_e` for each edge; :math:`d_v = \sum_u I_{uv}`,
      :math:`a_v = \sum_u f_{uv}`, :math:`b_v = \sum_u f_{vu}` and :math:`a_v - b_v = d_v` for each vertex;
      :math:`b_s = \sum_v f_{sv} = k + 1` and :math:`a_t = \sum_v f_{vt} = 1`.

    So the edges of the path are numbered k + 1, k, ..., 1, which no cycle can be. Returns LinearModel: 2 n + n^2
    indicators, at most as many numbers, 3 n + 2 further columns.
    """
    n, k = problem.vertices, problem.length
    tail, head, scores = edges(problem)
    count = scores.size
    allowed = np.flatnonzero(scores > -np.inf)
    flow = count + np.arange(allowed.size)
    demand, inflow, outflow = (count + allowed.size + n * i + np.arange(n) for i in range(3))
    source_out, sink_in = count + allowed.size + 3 * n + np.arange(2)
    columns = int(sink_in) + 1
    every, vertices = np.arange(count), np.arange(n)
    leaving, entering = np.flatnonzero(tail < n), np.flatnonzero(head < n)
    flow_tail, flow_head = tail[allowed], head[allowed]

    rows = RowBlocks()
    # The rows of section 4, in the order of the docstring.
    rows.add(1, [(0, every[tail == n], 1.0)], 1.0, 1.0)
    rows.add(1, [(0, every[head == n], 1.0)], 1.0, 1.0)
    rows.add(1, [(0, every, 1.0)], k + 1.0, k + 1.0)
    rows.add(n, [(head[entering], entering, 1.0), (tail[leaving], leaving, -1.0)], 0.0, 0.0)
    rows.add(problem.class_count, [(problem.classes[tail[leaving]], leaving, 1.0)], -np.inf, 1.0)
    numbered = np.arange(allowed.size)
    # Acyclicity: an edge that is off carries no number.
    rows.add(allowed.size, [(numbered, flow, 1.0), (numbered, allowed, -(k + 1.0))], -np.inf, 0.0)
    into, out = np.flatnonzero(flow_head < n), np.flatnonzero(flow_tail < n)
    rows.add(n, [(vertices, demand, -1.0), (head[entering], entering, 1.0)], 0.0, 0.0)
    rows.add(n, [(vertices, inflow, -1.0), (flow_head[into], flow[into], 1.0)], 0.0, 0.0)
    rows.add(n, [(vertices, outflow, -1.0), (flow_tail[out], flow[out], 1.0)], 0.0, 0.0)
    rows.add(n, [(vertices, inflow, 1.0), (vertices, outflow, -1.0), (vertices, demand, -1.0)], 0.0, 0.0)
    for column, at_end, amount in ((source_out, flow_tail == n, k + 1.0), (sink_in, flow_head == n, 1.0)):
        rows.add(1, [(0, column, -1.0), (0, flow[at_end], 1.0)], 0.0, 0.0)
        rows.add(1, [(0, column, 1.0)], amount, amount)

    objective, upper = np.zeros(columns), np.full(columns, k + 1.0)
    objective[allowed] = scores[allowed]
    # A forbidden edge keeps its column at 0, so that columns and decisions have the same numbers.
    upper[:count] = scores > -np.inf
    return LinearModel(
        objective=objective,
        column_lower=np.zeros(columns),
        column_upper=upper,
        integer=np.arange(columns) < count,
        rows=rows.matrix(),
        row_lower=rows.lower,
        row_upper=rows.upper,
        decision_columns=every,
    )


def edges(problem: PathProblem) -> tuple[IntArray, IntArray, FloatArray]:
    """Return tail, head and score of each decision; as a tail n is the source, as a head the sink."""
    n = problem.vertices
    vertices, ends = np.arange(n), np.full(n, n)
    tail = np.concatenate([ends, np.repeat(vertices, n), vertices])
    head = np.concatenate([vertices, np.tile(vertices, n), ends])
    return tail, head, np.concatenate([problem.start, problem.ordering.ravel(), problem.end])
