"""Reduced-cost fixing: decisions that no structure better than the incumbent has on are fixed off in all children.

At prices with a pricing gap of 0 no column has a positive reduced cost, and a structure that uses a quantity
contains at least one column that does; so it scores at most the bound plus the best reduced cost, at most 0, of
such a column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.certificates.tree_certificate import Tightening
from gapless.decisions.decisions import FREE, ON, Decisions, Fixings
from gapless.errors import InconsistentBound
from gapless.limits.limits import SolveBudget, question_deadline
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import MasterView
from gapless.tree_search.role_calls import call_role


def can_fix(generators: Sequence[Generator[Any]]) -> bool:
    """Return whether every generator bounds the reduced costs of missing columns through each quantity."""
    # One generator without bounds could return a column of any reduced cost through any quantity.
    return all(type(generator).reduced_cost_bounds is not Generator.reduced_cost_bounds for generator in generators)


def fix_by_reduced_costs(
    master: Any,
    generators: Sequence[Generator[Any]],
    view: MasterView,
    base: float,
    answers: Sequence[GeneratorResult],
    decisions: Decisions,
    fixings: Fixings,
    incumbent: float,
    granularity: float | None,
    budget: SolveBudget,
    *,
    recorded: bool = True,
) -> tuple[list[Tightening], float]:
    """Find decisions that no structure better than the incumbent has on, and bound all structures that have one.

    Parameters
    ----------
    master : object
        Has `reduced_cost_bounds`, `with_usage_charge` and `evidence` of `RestrictedMaster`.
    view, base, answers
        Last view, its bound, and the results for it: nothing new, and a pricing gap within rounding of 0.
    budget : SolveBudget
        Nothing more is fixed once its time is up.
    recorded : bool
        Whether tightenings carry certificates.

    Raises
    ------
    InconsistentBound
        A generator returned NaN, or a wrong number of bounds.
    """
    nothing: tuple[list[Tightening], float] = [], -math.inf
    pricing_gap = sum(a.pricing_gap or 0.0 for a in answers)
    # With a larger pricing gap, missing columns of positive reduced cost may exist, and the Lagrangian bound
    # and Farley's differ: the formula of the module docstring would not hold for both (decision 047).
    if not (math.isfinite(incumbent) and math.isfinite(base)) or pricing_gap > score_tolerance(base):
        return nothing
    best = call_role(master, master.reduced_cost_bounds, view)
    if best is None:
        return nothing
    for generator in generators:
        with question_deadline(budget) as view.deadline:
            bounds = call_role(generator, generator.reduced_cost_bounds, view)
        # An interrupted generator proves nothing (decision 062).
        if bounds is None or view.deadline.has_stopped:
            return nothing
        bounds = np.asarray(bounds, np.float64)
        if bounds.shape != best.shape or np.isnan(bounds).any():
            raise InconsistentBound(
                f"{type(generator).__name__}.reduced_cost_bounds returned shape {bounds.shape}, expected one "
                f"number for each of {best.size} quantities, none of them NaN"
            )
        best = np.maximum(best, bounds)
    # The tolerance covers the rounding of the base; a bound that must not be too low is rounded up.
    limit = base + pricing_gap + score_tolerance(base) + np.minimum(best, 0.0)
    rounded = np.array([round_bound(float(score), granularity) for score in limit])
    quantity = decisions.quantity_index()
    closed = rounded <= incumbent
    # A quantity that a decision forces is used in every structure here: fixing it off would close the node,
    # which is left to its bound.
    closed[quantity[fixings.state == ON]] = False
    is_open = np.zeros(closed.size, bool)
    is_open[quantity[fixings.state == FREE]] = True
    quantities = np.flatnonzero(closed & is_open)
    if not quantities.size:
        return nothing
    free = np.flatnonzero(fixings.state == FREE)
    off_of: dict[int, list[int]] = {int(q): [] for q in quantities}
    for decision in free[np.isin(quantity[free], quantities)].tolist():
        off_of[int(quantity[decision])].append(decision)
    # The reduced cost may be -inf; a charge must be finite, and this one is more than what closes any decision.
    largest_charge = base - incumbent + max(1.0, abs(base))
    tightenings = []
    for q, off in off_of.items():
        if budget.must_stop():
            break
        certificate: Certificate = NoCertificate()
        if recorded:
            # A negative charge raises the reduced cost of every column through the quantity, of the best one to
            # 0: the formulation's own certificate at these prices is then the evidence (decision 047).
            charged = master.with_usage_charge(view, q, -min(max(-float(best[q]), 0.0), largest_charge))
            certificate = call_role(master, master.evidence(charged, answers))
        tightenings.append(Tightening((), off, certificate))
    return tightenings, float(rounded[quantities].max())
