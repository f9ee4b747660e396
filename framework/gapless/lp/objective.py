"""Check of an integral master: its objective against the problem's value of its structure."""

from __future__ import annotations

import warnings
from typing import TypeVar

import numpy as np

from gapless.core.errors import InconsistentBound, PricingWarning
from gapless.core.problem import Sense, score_of
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import INTEGRAL, margin
from gapless.lp.ledger import Ledger

S = TypeVar("S")

NAMED = 12
"""Limit on the columns named in a message."""

LEFT = 10 * INTEGRAL
"""Residue of LP solvers in a column that need not be integral."""


def check_objective(ledger: Ledger[S], z: FloatArray, structure: S, constant: float, bound: float) -> None:
    """Raise if an integral point of a complete master scores differently from its structure; warn if that is none.

    As long as rows are missing, they may be the reason for a lower score. A point may also score less than its
    structure if the bound does not: missing columns may form the same structure at a better price. Raises
    `InconsistentBound`: names the columns, both scores and the remedy.

    Parameters
    ----------
    z : float64 (columns,)
        Integral where columns must be.
    structure : S
        Structure that the problem reads from the decisions of `z`.
    bound : float
        Claimed upper bound on every structure here.
    """
    problem = ledger.problem
    rounded = np.where(ledger.integer, np.rint(z), z)
    if not _forms(ledger, rounded, structure):
        return
    if broken := [*problem.violations(structure)]:
        if not ledger.warned:
            ledger.warned = True
            warnings.warn(
                f"an integral master makes an infeasible structure ({broken[0]}), and no generator separates a row "
                f"from it: {_in_words(ledger, rounded, constant)}. The columns allow more than the problem: "
                "the answer stays true, but only branching can exclude them. This is said once",
                PricingWarning,
                stacklevel=2,
            )
        return
    parts = ledger.objective * rounded
    reached, score = float(parts.sum()) + constant, float(score_of(problem, structure))
    size = max(float(np.abs(parts).sum()) + abs(constant), abs(score))
    # Columns that need not be integral keep the residue of the LP's tolerances.
    noise = LEFT * float(np.abs(ledger.objective * np.maximum(rounded, 1.0))[~ledger.integer & (rounded > 0)].sum())
    allowed = margin(size) + noise
    if reached > score + allowed:
        fix = (
            "Correct the objective, or separate the missing row; for a master that only bounds values from above, "
            "set Formulation(..., exact=False)"
        )
    elif score > bound + allowed:
        fix = (
            f"It was claimed that {problem.sense.beyond(bound)}. Correct the objective, or add the columns that "
            "make this structure at a better price"
        )
    else:  # a NaN score is refused elsewhere
        return
    sense = problem.sense
    turned = "" if sense is Sense.MAXIMISE else " (objectives are scores: minus what they cost)"
    raise InconsistentBound(
        f"the columns of an integral master {sense.verb} {sense.turn(reached):.12g}, but "
        f"{type(problem).__name__}.value is {sense.turn(score):.12g} for the structure that they make: "
        f"{_in_words(ledger, rounded, constant)}{turned}. {fix}"
    )


def _forms(ledger: Ledger[S], rounded: FloatArray, structure: S) -> bool:
    """Whether the decisions of `whole` are those of `structure`; those of a repaired structure differ.

    A column that alone uses more of a quantity than the decisions distinguish, such as a route with a cycle, makes
    no structure: it belongs to a relaxation.
    """
    decisions, uses = ledger.decisions, ledger.uses
    quantity, threshold = decisions.quantity_of(), decisions.threshold_of()
    most = np.append(np.zeros(decisions.quantities), np.full(len(ledger.sums), np.inf))
    np.maximum.at(most, quantity, threshold)
    if np.any((uses.value > most[uses.row] + 0.5) & (rounded[uses.column] > 0)):
        return False
    on = np.zeros(decisions.count, bool)
    on[ledger.problem.encode(structure)] = True
    return np.array_equal(uses.times(rounded, decisions.quantities)[quantity] > threshold - 0.5, on)


def _in_words(ledger: Ledger[S], rounded: FloatArray, constant: float) -> str:
    """The columns in use with key and objective, those with the rarest objectives first."""
    keys = ledger.columns.ordered[np.argsort(ledger.columns.positions, kind="stable")]
    used = np.flatnonzero(rounded > INTEGRAL)
    _, kind, shared = np.unique(ledger.objective[used], return_inverse=True, return_counts=True)
    used = used[np.argsort(shared[kind], kind="stable")]
    terms = [
        f"{rounded[j]:.6g} x column {keys[j]} (objective {ledger.objective[j]:.12g})" for j in used[:NAMED].tolist()
    ]
    terms += [f"{used.size - NAMED} more columns"] if used.size > NAMED else []
    terms += [f"the constant {constant:.12g}"] if constant else []
    return " + ".join(terms) or "no column is used"
