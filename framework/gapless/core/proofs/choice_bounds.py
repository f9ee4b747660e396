"""Bounds on independent choices under any weights: written for checking."""

from __future__ import annotations

import math

import numpy as np

from gapless.core.decisions import OFF, ON, Decisions, Fixings
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.proofs.raised import raised
from gapless.core.sparse import FloatArray
from gapless.core.work import spend_work


def choice_bounds(decisions: Decisions, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
    """One of each choice group, and whatever pays of the decisions in none.

    Parameters
    ----------
    decisions : Decisions
    weights : float64 (decisions,)
        Finite.
    fixings : Fixings
    """
    implied = fixings.implied(decisions)
    nothing = np.full(weights.size, -np.inf)
    if implied is None:
        return CheckedBounds(-math.inf, nothing, nothing)
    spend_work(20.0 * weights.size, 20)
    state, group_of = implied.state, decisions.group_of()
    worth = raised(weights, weights.size + 4)
    # What each decision adds to the best choice of its group when it is on, and when it is off: 0 or less.
    on, off, parts = nothing.copy(), nothing.copy(), []
    for group in decisions.choice_groups():
        members = group[state[group] != OFF]
        best = float(worth[members].max())
        parts.append(best)
        on[members] = worth[members] - best
        for d in members.tolist():
            rest = members[members != d]
            off[d] = float(worth[rest].max()) - best if rest.size and state[d] != ON else -np.inf
        off[group[state[group] == OFF]] = 0.0
    loose = np.flatnonzero(group_of < 0)
    gain = np.where(state[loose] == ON, worth[loose], np.maximum(worth[loose], 0.0))
    gain[state[loose] == OFF] = 0.0
    parts += gain.tolist()
    on[loose] = np.where(state[loose] == OFF, -np.inf, worth[loose] - gain)
    off[loose] = np.where(state[loose] == ON, -np.inf, -gain)
    total = math.fsum(parts)
    # What is in no best choice costs no rounding there, however large it is.
    lost = 2.0**-50 * math.fsum(map(abs, parts))
    on, off = (total + side + lost + 2.0**-50 * np.where(side > -np.inf, np.abs(side), 0.0) for side in (on, off))
    return CheckedBounds(total + lost, on, off)
