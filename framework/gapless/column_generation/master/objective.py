"""Check of an integral master: its objective against the score of its structure (decision 023)."""

from __future__ import annotations

import warnings
from typing import TypeVar

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import INTEGRAL, score_tolerance
from gapless.column_generation.master.master_data import MasterData
from gapless.errors import InconsistentBound, PricingWarning
from gapless.problems.problem import score_of
from gapless.sense import Sense

S = TypeVar("S")

NAMED_COLUMNS = 12
"""Limit on the number of columns named in a message."""

LP_RESIDUE = 10 * INTEGRAL
"""Residue of LP solvers in a column that need not be integral."""


def check_objective(data: MasterData[S], z: FloatArray, structure: S, constant: float, bound: float) -> None:
    """Raise if an integral point of a complete master scores more than its structure; warn if that is infeasible.

    The master must be complete: missing rows could be the reason for a larger score. A point may score less
    than its structure unless the bound does, too: missing columns may form the same structure with a larger
    objective. Raises `InconsistentBound`: names the columns, both scores and the remedy.

    Parameters
    ----------
    z : float64 (columns,)
        Integral where columns must be.
    structure : S
        Structure that the problem reads from the decisions of `z`.
    bound : float
        Claimed upper bound on every structure here.
    """
    problem = data.problem
    rounded = np.where(data.integer, np.rint(z), z)
    if not _forms(data, rounded, structure):
        return
    if broken := [*problem.violations(structure)]:
        if not data.warned:
            data.warned = True
            warnings.warn(
                f"an integral master makes an infeasible structure ({broken[0]}), and no generator separates a row "
                f"from it: {_in_words(data, rounded, constant)}. The columns allow more than the problem: "
                "the answer stays true, but only branching can exclude them. This warning is given once",
                PricingWarning,
                stacklevel=2,
            )
        return
    terms = data.objective * rounded
    attained, score = float(terms.sum()) + constant, float(score_of(problem, structure))
    size = max(float(np.abs(terms).sum()) + abs(constant), abs(score))
    # Columns that need not be integral keep the residue of the LP's tolerances.
    fractional = ~data.integer & (rounded > 0)
    noise = LP_RESIDUE * float(np.abs(data.objective * np.maximum(rounded, 1.0))[fractional].sum())
    tolerance = score_tolerance(size) + noise
    if attained > score + tolerance:
        fix = (
            "Correct the objective, or separate the missing row; for a master that only bounds values from above, "
            "set Formulation(..., exact=False)"
        )
    # A structure above its point is normal while it stays below the bound; above the bound, the columns are wrong.
    elif score > bound + tolerance:
        fix = (
            f"It was claimed that {problem.sense.beyond(bound)}. Correct the objective, or add the columns that "
            "make this structure at a better price"
        )
    else:  # a NaN score is refused elsewhere
        return
    sense = problem.sense
    turned = "" if sense is Sense.MAXIMISE else " (objectives are scores: minus what they cost)"
    raise InconsistentBound(
        f"the columns of an integral master {sense.verb} {sense.turn(attained):.12g}, but "
        f"{type(problem).__name__}.value is {sense.turn(score):.12g} for the structure that they make: "
        f"{_in_words(data, rounded, constant)}{turned}. {fix}"
    )


def _forms(data: MasterData[S], rounded: FloatArray, structure: S) -> bool:
    """Whether the decisions of `rounded` are those of `structure`; `decode` may have repaired the structure."""
    decisions, uses = data.decisions, data.uses
    quantity, threshold = decisions.quantity_index(), decisions.thresholds()
    limit = np.append(np.zeros(decisions.quantities), np.full(len(data.sums), np.inf))
    np.maximum.at(limit, quantity, threshold)
    # A column that uses more of a quantity than the decisions distinguish, such as a route with a cycle, is
    # part of no structure: it belongs to a relaxation on purpose (decision 023).
    if np.any((uses.value > limit[uses.row] + 0.5) & (rounded[uses.column] > 0)):
        return False
    on = np.zeros(decisions.count, bool)
    on[data.problem.encode(structure)] = True
    return np.array_equal(uses.times(rounded, decisions.quantities)[quantity] > threshold - 0.5, on)


def _in_words(data: MasterData[S], rounded: FloatArray, constant: float) -> str:
    """List the columns in use with key and objective, those with the rarest objectives first."""
    keys = data.columns.in_order()
    used = np.flatnonzero(rounded > INTEGRAL)
    # A wrong objective is mostly one of its kind, and must not be lost among the columns that are left out.
    _, kind, shared = np.unique(data.objective[used], return_inverse=True, return_counts=True)
    used = used[np.argsort(shared[kind], kind="stable")]
    terms = [
        f"{rounded[j]:.6g} x column {keys[j]} (objective {data.objective[j]:.12g})"
        for j in used[:NAMED_COLUMNS].tolist()
    ]
    terms += [f"{used.size - NAMED_COLUMNS} more columns"] if used.size > NAMED_COLUMNS else []
    terms += [f"the constant {constant:.12g}"] if constant else []
    return " + ".join(terms) or "no column is used"
