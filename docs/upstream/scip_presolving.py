"""SCIP with presolving proves a wrong optimum of a model with eleven columns. Needs PySCIPOpt, and SciPy for HiGHS.

python scip_presolving.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyscipopt
from scipy.optimize import LinearConstraint, milp

MODEL = Path(__file__).with_name("scip_presolving.lp")
ROWS = [
    {0: 1, 3: 1},
    {4: 1, 5: 1, 1: -1},
    {6: 1, 7: 1, 2: -1},
    {4: 1, 6: 1, 0: -1},
    {5: 1, 7: 1, 3: -1},
    {8: 1, 9: 1, 10: 1},
    {9: 1, 10: 1, 1: -1},
    {8: 1, 10: 1, 3: -1},
]
SIDES = [1, 0, 0, 0, 0, 1, 0, 0]
POINT = (0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0)
"""A feasible point whose objective is 0: x2 = x3 = x7 = x8 = 1."""
PARAMETERS = (
    "presolving/maxrounds",
    "constraints/linear/maxprerounds",
    "constraints/setppc/maxprerounds",
    "propagating/probing/maxprerounds",
    "misc/allowweakdualreds",
    "misc/allowstrongdualreds",
)


def by_scip(**parameters: Any) -> float:
    """Read the LP file and solve it."""
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(MODEL))
    model.setParams(parameters)
    model.optimize()
    return float(model.getObjVal())


def by_highs() -> float:
    """Solve the same model, written once more as arrays."""
    matrix = np.zeros((len(ROWS), 11))
    for number, row in enumerate(ROWS):
        matrix[number, list(row)] = list(row.values())
    objective = np.zeros(11)
    objective[5] = 1.0
    integer = np.arange(11) < 4
    found = milp(objective, constraints=LinearConstraint(matrix, SIDES, SIDES), integrality=integer, bounds=(0, 1))
    return -float(found.fun)


def main() -> None:
    """Print all optima."""
    assert [sum(v * POINT[j] for j, v in row.items()) for row in ROWS] == SIDES
    print(f"SCIP {pyscipopt.Model().version()}, PySCIPOpt {pyscipopt.__version__}")
    print(f"a feasible point: {-POINT[5]}")
    print(f"HiGHS: {by_highs():g}")
    print(f"SCIP: {by_scip():g}")
    for name in PARAMETERS:
        print(f"SCIP, {name} = 0: {by_scip(**{name: 0}):g}")


if __name__ == "__main__":
    main()
