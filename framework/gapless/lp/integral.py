"""The restricted master as a mixed-integer program: the best structure from the columns at hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gapless.core.limits import Budget
from gapless.core.sparse import FloatArray
from gapless.lp import signs
from gapless.lp.ledger import Ledger
from gapless.lp.program import CPU_CLOCK, WALL_CLOCK


def best_columns(ledger: Ledger[Any], budget: Budget, above: float) -> FloatArray | None:
    """Values of the columns in an integral solution of the master within its imposed limits, of a score > `above`.

    None when SCIP finds none within the limits of `budget`.
    """
    from pyscipopt import Model, quicksum  # noqa: PLC0415  keeps `import gapless` light

    model: Any = Model("restricted master")
    try:
        model.hideOutput()
        model.setParam("limits/totalnodes", -1 if budget.limits.nodes is None else int(budget.limits.nodes))
        upper = ledger.upper_now.tolist()
        kinds = np.where(ledger.integer, "I", "C").tolist()
        costs = signs.costs(ledger.objective).tolist()
        columns = [
            model.addVar(f"z{j}", vtype=kind, ub=None if math.isinf(most) else most, obj=cost)
            for j, (kind, most, cost) in enumerate(zip(kinds, upper, costs, strict=True))
        ]
        groups = (
            (ledger.matrix, ledger.row_lower, ledger.row_upper),
            (ledger.uses, ledger.use_lower, ledger.use_upper),
        )
        for entries, lower, most in groups:
            order = np.argsort(entries.row, kind="stable")
            starts = np.searchsorted(entries.row[order], np.arange(lower.size + 1))
            for r in np.flatnonzero(np.isfinite(lower) | np.isfinite(most)).tolist():
                here = order[starts[r] : starts[r + 1]]
                terms = zip(entries.column[here].tolist(), entries.value[here].tolist(), strict=True)
                row = quicksum(value * columns[j] for j, value in terms)
                if not here.size:
                    if lower[r] > 0 or most[r] < 0:
                        return None
                    continue
                if math.isfinite(lower[r]):
                    model.addCons(row >= float(lower[r]))
                if math.isfinite(most[r]):
                    model.addCons(row <= float(most[r]))
        if math.isfinite(above):
            model.setObjlimit(signs.cost(above))
        if not math.isinf(budget.time_left):  # what is left once the model is written
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
        return np.where(ledger.integer, np.rint(values), values)
    finally:
        model.freeProb()
