"""The objective of an integral master, compared with the problem's value of the structure that it makes."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from gapless.core.errors import InconsistentBound
from gapless.core.problem import Sense, score_of
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import INTEGRAL, margin
from gapless.lp.ledger import Ledger

S = TypeVar("S")

NAMED = 12
"""So many columns are named in a message."""

LEFT = 10 * INTEGRAL
"""What LP solvers may leave in a column that need not be whole."""


def check_objective(ledger: Ledger[S], z: FloatArray, structure: S, constant: float, bound: float) -> None:
    """Raise if an integral point of a master that lacks nothing scores otherwise than the structure it is read as.

    While rows are still to be separated, they may be what lowers the point. And a point may score less than its
    structure as long as the bound does not: missing columns may make the same structure at a better price.

    Parameters
    ----------
    ledger : Ledger
    z : float64 (columns,)
        Integral where columns are.
    structure : S
        What the problem reads from the decisions of `z`.
    constant : float
        Of the formulation.
    bound : float
        What is claimed to be the most that any structure scores here.

    Raises
    ------
    InconsistentBound
        Names the columns, both scores and the fix.
    """
    problem = ledger.problem
    whole = np.where(ledger.integer, np.rint(z), z)
    if problem.violations(structure) or not _makes(ledger, whole, structure):
        return
    parts = ledger.objective * whole
    reached, score = float(parts.sum()) + constant, float(score_of(problem, structure))
    size = max(float(np.abs(parts).sum()) + abs(constant), abs(score))
    # Columns that need not be whole keep what the LP's tolerances left in them.
    noise = LEFT * float(np.abs(ledger.objective * np.maximum(whole, 1.0))[~ledger.integer & (whole > 0)].sum())
    allowed = margin(size) + noise
    if reached > score + allowed:
        fix = (
            "Mend the objective that is wrong, or separate the row that is missing; a master that is only to bound "
            "values from above says so by Formulation(..., exact=False)"
        )
    elif score > bound + allowed:
        fix = (
            f"Nothing was claimed to score more than {bound:.12g}. Mend the objective that is wrong, or bring the "
            "columns that make this structure at a better price"
        )
    else:  # a score that is NaN is refused where it is taken
        return
    value = f"is {problem.sense.turn(score):.12g} for the structure that they make"
    worth = value if problem.sense is Sense.MAXIMISE else f"{value}, a score of {score:.12g}"
    raise InconsistentBound(
        f"the columns of an integral master score {reached:.12g}, but {type(problem).__name__}.value {worth}: "
        f"{_in_words(ledger, whole, constant)}. {fix}"
    )


def _makes(ledger: Ledger[S], whole: FloatArray, structure: S) -> bool:
    """Whether the decisions of `whole` are those of `structure`; a structure that was mended has others.

    No structure is made by a column that alone uses more of a quantity than the decisions tell apart, such as a
    route with a cycle: it stands for a relaxation.
    """
    decisions, uses = ledger.decisions, ledger.uses
    quantity, threshold = decisions.quantity_of(), decisions.threshold_of()
    most = np.zeros(decisions.quantities)
    np.maximum.at(most, quantity, threshold)
    if np.any((uses.value > most[uses.row] + 0.5) & (whole[uses.column] > 0)):
        return False
    on = np.zeros(decisions.count, bool)
    on[ledger.problem.encode(structure)] = True
    return np.array_equal(uses.times(whole, decisions.quantities)[quantity] > threshold - 0.5, on)


def _in_words(ledger: Ledger[S], whole: FloatArray, constant: float) -> str:
    """The columns in use, each with its key and its objective; first those whose objective few others share."""
    keys = ledger.columns.ordered[np.argsort(ledger.columns.positions, kind="stable")]
    used = np.flatnonzero(whole > INTEGRAL)
    _, kind, shared = np.unique(ledger.objective[used], return_inverse=True, return_counts=True)
    used = used[np.argsort(shared[kind], kind="stable")]
    said = [
        f"{whole[j]:.6g} x column {keys[j]} (objective {ledger.objective[j]:.12g})" for j in used[:NAMED].tolist()
    ]
    said += [f"{used.size - NAMED} columns more"] if used.size > NAMED else []
    said += [f"the constant {constant:.12g}"] if constant else []
    return " + ".join(said) or "no column is used"
