"""HiGHS on the integer programs of chains with factors, passed as arrays in one call."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.factors.instances import SkipChain, Spots
from benchmarks.frame.peers import HIGHS
from benchmarks.frame.turns import Side
from gapless.core.sparse import BoolArray, FloatArray, IntArray


@attrs.frozen(eq=False)
class Program:
    """Maximise ``objective @ x`` for x in [0, 1] under ``lower <= rows x <= upper``.

    Parameters
    ----------
    integer : bool (columns,)
    row_of, column_of : int64 (entries,)
        Sorted by row.
    values : float64 (entries,)
    """

    objective: FloatArray
    integer: BoolArray
    lower: FloatArray
    upper: FloatArray
    row_of: IntArray
    column_of: IntArray
    values: FloatArray


def skip_program(chain: SkipChain) -> Program:
    """The local polytope, and a column for each label of a skip that is at most either token's.

    Labels are whole; transitions and skips follow from them.
    """
    n, k = chain.unary.shape
    nodes, edges = n * k, (n - 1) * k * k
    edge = nodes + np.arange(edges).reshape(n - 1, k, k)
    skips = len(chain.pairs)
    skip = nodes + edges + np.arange(skips * k).reshape(skips, k)
    reward = np.repeat(chain.reward, k)
    objective = np.concatenate([chain.unary.ravel(), np.tile(chain.transition.ravel(), n - 1), reward])
    integer = np.zeros(objective.size, bool)
    integer[:nodes] = True
    node = np.arange(nodes).reshape(n, k)
    rows: list[tuple[IntArray, FloatArray]] = [(node, np.ones(node.shape))]
    for parts, ends in ((edge.transpose(0, 1, 2), node[:-1]), (edge.transpose(0, 2, 1), node[1:])):
        columns = np.concatenate([parts, ends[:, :, None]], axis=2).reshape(-1, k + 1)
        rows.append((columns, np.tile(np.append(np.ones(k), -1.0), (len(columns), 1))))
    for end in (0, 1):
        columns = np.stack([skip, node[chain.pairs[:, end]]], axis=2).reshape(-1, 2)
        rows.append((columns, np.tile([1.0, -1.0], (len(columns), 1))))
    counts = [len(columns) for columns, _ in rows]
    upper = np.concatenate([np.ones(counts[0]), np.zeros(sum(counts[1:]))])
    lower = np.concatenate([np.ones(counts[0]), np.zeros(counts[1] + counts[2]), np.full(sum(counts[3:]), -np.inf)])
    widths = np.concatenate([np.full(len(columns), columns.shape[1]) for columns, _ in rows])
    return Program(
        objective,
        integer,
        lower,
        upper,
        np.repeat(np.arange(widths.size), widths),
        np.concatenate([columns.ravel() for columns, _ in rows]),
        np.concatenate([values.ravel() for _, values in rows]),
    )


def spots_program(spots: Spots) -> Program:
    """A binary column for each spot, a row for each pair of neighbours, and the budget's."""
    n = spots.worth.size
    pair = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return Program(
        spots.worth.astype(np.float64),
        np.ones(n, bool),
        np.full(n, -np.inf),
        np.append(np.ones(n - 1), spots.budget),
        np.append(np.repeat(np.arange(n - 1), 2), np.full(n, n - 1)),
        np.append(pair.ravel(), np.arange(n)),
        np.append(np.ones(2 * n - 2), spots.price),
    )


def loaded(program: Program) -> Any:
    """The program in HiGHS: one thread, proved to the last digit, other settings as they come."""
    highspy = HIGHS.load()
    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9)):
        solver.setOptionValue(name, value)
    columns, rows = program.objective.size, program.lower.size
    starts = np.concatenate([[0], np.cumsum(np.bincount(program.row_of, minlength=rows))[:-1]])
    solver.passModel(
        *(columns, rows, program.values.size),
        *(int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMaximize), 0.0),
        *(program.objective, np.zeros(columns), np.ones(columns)),
        *(program.lower, program.upper),
        *(starts.astype(np.int32), program.column_of.astype(np.int32), program.values),
        program.integer.astype(np.int32),
    )
    return solver


def optimum(solver: Any) -> float:
    """The proved value.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        raise gl.SolveError(f"HiGHS ends as {solver.getModelStatus().name}")
    return float(solver.getInfo().objective_function_value)


SKIPS: Side[SkipChain, float] = Side(
    lambda chain: optimum(loaded(skip_program(chain))), optimum, lambda chain: loaded(skip_program(chain))
)
SPOTS: Side[Spots, float] = Side(
    lambda spots: optimum(loaded(spots_program(spots))), optimum, lambda spots: loaded(spots_program(spots))
)
