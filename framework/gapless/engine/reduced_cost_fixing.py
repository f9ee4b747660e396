"""Reduced-cost fixing of decisions: what no better structure can use is off in all children.

At prices whose slack is closed no column gains, and a structure that uses a quantity holds at least one column
through it; so it scores at most the bound plus the best gain, at most 0, of such a column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import FREE, ON, Decisions, Fixings
from gapless.core.errors import InconsistentBound
from gapless.core.limits import Budget, question_deadline
from gapless.core.oracle import Answer, Generator, View
from gapless.core.tolerance import margin, round_bound
from gapless.core.tree_certificate import Tightening
from gapless.engine.guard import guarded


def can_fix(generators: Sequence[Generator[Any]]) -> bool:
    """Whether every generator says what missing columns gain through each quantity."""
    return all(type(generator).usage_gains is not Generator.usage_gains for generator in generators)


def fix_by_gains(
    master: Any,
    generators: Sequence[Generator[Any]],
    view: View,
    base: float,
    answers: Sequence[Answer],
    decisions: Decisions,
    fixings: Fixings,
    incumbent: float,
    granularity: float | None,
    budget: Budget,
    *,
    recorded: bool = True,
) -> tuple[list[Tightening], float]:
    """Decisions that no structure better than the incumbent has on, and a bound on all structures that have one.

    Parameters
    ----------
    master : object
        Has `usage_gains`, `charged` and `evidence` of `Restricted`.
    view, base, answers
        Last view, its bound, and the answers to it, which found nothing and claimed a slack within rounding of 0.
    budget : Budget
        Nothing more is fixed once its time is up.
    recorded : bool
        Whether tightenings carry certificates.

    Raises
    ------
    InconsistentBound
        A generator returned NaN, or a wrong number of gains.
    """
    nothing: tuple[list[Tightening], float] = [], -math.inf
    slack = sum(a.slack or 0.0 for a in answers)
    if not (math.isfinite(incumbent) and math.isfinite(base)) or slack > margin(base):
        return nothing
    best = guarded(master, master.usage_gains, view)
    if best is None:
        return nothing
    for generator in generators:
        with question_deadline(budget) as view.deadline:
            gains = guarded(generator, generator.usage_gains, view)
        if gains is None or view.deadline.has_stopped:
            return nothing
        gains = np.asarray(gains, np.float64)
        if gains.shape != best.shape or np.isnan(gains).any():
            raise InconsistentBound(
                f"{type(generator).__name__}.usage_gains returned shape {gains.shape}, expected one number "
                f"for each of {best.size} quantities, none of them NaN"
            )
        best = np.maximum(best, gains)
    limit = base + slack + margin(base) + np.minimum(best, 0.0)
    rounded = np.array([round_bound(float(score), granularity) for score in limit])
    quantity = decisions.quantity_of()
    closed = rounded <= incumbent
    closed[quantity[fixings.state == ON]] = False
    open_here = np.zeros(closed.size, bool)
    open_here[quantity[fixings.state == FREE]] = True
    chosen = np.flatnonzero(closed & open_here)
    if not chosen.size:
        return nothing
    free = np.flatnonzero(fixings.state == FREE)
    off_of: dict[int, list[int]] = {int(q): [] for q in chosen}
    for decision in free[np.isin(quantity[free], chosen)].tolist():
        off_of[int(quantity[decision])].append(decision)
    dearer = base - incumbent + max(1.0, abs(base))  # more than what closes any decision, and finite
    tightenings = []
    for q, off in off_of.items():
        if budget.must_stop():
            break
        certificate: Certificate = NoCertificate()
        if recorded:
            # One use of the quantity is paid for by as much as its best column lacks, so that no column gains.
            paid = master.charged(view, q, -min(max(-float(best[q]), 0.0), dearer))
            certificate = guarded(master, master.evidence(paid, answers))
        tightenings.append(Tightening((), off, certificate))
    return tightenings, float(rounded[chosen].max())
