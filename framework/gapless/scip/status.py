"""Translation of SCIP's limits, statuses and bounds into those of gapless."""

from __future__ import annotations

import math
from typing import Any

from gapless.certificates.certificate import NoCertificate
from gapless.limits.limits import SolveBudget, Stop

UNRECORDED = NoCertificate("SCIP's tree is not recorded", prover="SCIP")
"""Stands in for the certificate of an answer that rests on SCIP's search tree."""

_STOPS = {
    "optimal": Stop.PROVED,
    "infeasible": Stop.PROVED,
    "timelimit": Stop.TIME,
    "nodelimit": Stop.NODES,
    "totalnodelimit": Stop.NODES,
    "stallnodelimit": Stop.NODES,
    "gaplimit": Stop.GAP,
    "primallimit": Stop.TARGET,
    "duallimit": Stop.TARGET,
    "userinterrupt": Stop.INTERRUPTED,
    "terminate": Stop.INTERRUPTED,
}


_LARGEST = 1e20
_MOST_NODES = 2**62
"""Largest value of SCIP's parameters."""


QUIET_SCALE = 2.0**7
"""Scale of the scores in the model, a power of two, exact in float64. The tolerance of reduced costs is then above
1e-7, and 1e-9 in scores. Where a proof of infeasibility does not hold, SCIP asks SoPlex for a thousandth of it;
SoPlex
without GMP has a minimum of 1e-10, and would print this on standard error, which no parameter prevents."""


CPU_CLOCK = 1
"""SCIP counts wall-clock time by default."""


def apply_limits(model: Any, budget: SolveBudget, *, scale: float = 1.0) -> None:
    """Pass the limits of a solve to SCIP, with tight tolerances: a small gap is not a proof.

    `scale`: factor of the scores in the model.
    """
    limits = budget.limits
    # SCIP's gap is relative, as `Limits.relative_gap`.
    model.setParam("limits/gap", min(limits.relative_gap, _LARGEST))
    model.setParam("limits/absgap", 0.0)
    model.setParam("numerics/feastol", 1e-9)
    model.setParam("numerics/dualfeastol", 1e-9 * scale)
    if limits.time is not None:
        model.setParam("limits/time", min(budget.time_left, _LARGEST))
        if budget.counts_cpu:
            model.setParam("timing/clocktype", CPU_CLOCK)
    if limits.nodes is not None:
        model.setParam("limits/totalnodes", int(min(limits.nodes, _MOST_NODES)))


def stop_of(model: Any, budget: SolveBudget) -> Stop:
    """Return the reason for SCIP's end; a Ctrl-C is recorded in the budget, an unknown status is an error."""
    stop = _STOPS.get(model.getStatus(), Stop.ERROR)
    if stop is Stop.INTERRUPTED:
        budget.interrupt()
    return stop


def bound_of(model: Any, *, constant: float, scale: float = 1.0) -> float:
    """Return SCIP's bound on the scores of a maximising model; -inf when infeasible, inf when unknown."""
    if model.getStatus() == "infeasible":
        return -math.inf
    bound = float(model.getDualbound())
    # SCIP's infinity of either sign: before the root is solved, nothing is bounded.
    if abs(bound) >= model.infinity():
        return math.inf
    return bound / scale + constant
