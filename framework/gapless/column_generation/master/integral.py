"""Restricted-master heuristic: the restricted master as a mixed-integer program, solved by SCIP."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.column_generation.master import signs
from gapless.column_generation.master.master_data import MasterData
from gapless.column_generation.master.program import CPU_CLOCK, WALL_CLOCK
from gapless.limits.limits import SolveBudget


def best_columns(data: MasterData[Any], budget: SolveBudget, above: float) -> FloatArray | None:
    """Return the columns' values in an integral solution of a score > `above`, under the imposed fixings.

    None if SCIP finds none within the limits of `budget`.
    """
    from pyscipopt import Model, quicksum  # noqa: PLC0415  keeps `import gapless` light

    # Presolving stays on, unlike in `solve_monolithic`: the structure is checked, and it proves nothing
    # (decision 059).
    model: Any = Model("restricted master")
    try:
        model.hideOutput()
        model.setParam("limits/totalnodes", -1 if budget.limits.nodes is None else int(budget.limits.nodes))
        upper = data.upper_now.tolist()
        kinds = np.where(data.integer, "I", "C").tolist()
        costs = signs.costs(data.objective).tolist()
        columns = [
            model.addVar(f"z{j}", vtype=kind, ub=None if math.isinf(bound) else bound, obj=cost)
            for j, (kind, bound, cost) in enumerate(zip(kinds, upper, costs, strict=True))
        ]
        groups = (
            (data.matrix, data.row_lower, data.row_upper),
            (data.uses, data.use_lower, data.use_upper),
        )
        for entries, lower_sides, upper_sides in groups:
            order = np.argsort(entries.row, kind="stable")
            starts = np.searchsorted(entries.row[order], np.arange(lower_sides.size + 1))
            for r in np.flatnonzero(np.isfinite(lower_sides) | np.isfinite(upper_sides)).tolist():
                in_row = order[starts[r] : starts[r + 1]]
                terms = zip(entries.column[in_row].tolist(), entries.value[in_row].tolist(), strict=True)
                row = quicksum(value * columns[j] for j, value in terms)
                # A row without columns needs no solver.
                if not in_row.size:
                    if lower_sides[r] > 0 or upper_sides[r] < 0:
                        return None
                    continue
                if math.isfinite(lower_sides[r]):
                    model.addCons(row >= float(lower_sides[r]))
                if math.isfinite(upper_sides[r]):
                    model.addCons(row <= float(upper_sides[r]))
        if math.isfinite(above):
            model.setObjlimit(signs.cost(above))
        # Read only now: writing a large model takes time, too.
        if not math.isinf(budget.time_left):
            model.setParam("limits/time", max(1e-3, budget.time_left))
            model.setParam("timing/clocktype", CPU_CLOCK if budget.counts_cpu else WALL_CLOCK)
        if budget.must_stop():
            return None
        model.optimize()
        if model.getStatus() == "userinterrupt":
            budget.interrupt()
        if not model.getNSols():
            return None
        point = model.getBestSol()
        values = np.array([model.getSolVal(point, column) for column in columns], np.float64)
        return np.where(data.integer, np.rint(values), values)
    finally:
        # Frees SCIP's memory now instead of at some later collection.
        model.freeProb()
