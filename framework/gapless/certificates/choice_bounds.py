"""Verifier's bounds on independent choices under any weights, with every rounding error added."""

from __future__ import annotations

import math

import numpy as np

from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.sparse import FloatArray
from gapless.decisions.decisions import OFF, ON, Decisions, Fixings
from gapless.limits.work import charge_work
from gapless.oracles.verifier_bounds import CheckedBounds


def choice_bounds(decisions: Decisions, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
    """Bound independent choices: the best decision of each group and every ungrouped decision of positive weight.

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
    charge_work(20.0 * weights.size, 20)
    state, group_index = implied.state, decisions.group_index()
    scores = round_up_for_sum(weights, weights.size + 4)
    # Change of the bound if a decision is forced on, or off, against the best choice of its group: at most 0.
    on, off, terms = nothing.copy(), nothing.copy(), []
    for group in decisions.choice_groups():
        members = group[state[group] != OFF]
        best = float(scores[members].max())
        terms.append(best)
        on[members] = scores[members] - best
        for d in members.tolist():
            rest = members[members != d]
            # The only member left, and one that is on, cannot be off: no structure, so -inf.
            off[d] = float(scores[rest].max()) - best if rest.size and state[d] != ON else -np.inf
        off[group[state[group] == OFF]] = 0.0
    ungrouped = np.flatnonzero(group_index < 0)
    gain = np.where(state[ungrouped] == ON, scores[ungrouped], np.maximum(scores[ungrouped], 0.0))
    gain[state[ungrouped] == OFF] = 0.0
    terms += gain.tolist()
    on[ungrouped] = np.where(state[ungrouped] == OFF, -np.inf, scores[ungrouped] - gain)
    off[ungrouped] = np.where(state[ungrouped] == ON, -np.inf, -gain)
    total = math.fsum(terms)
    # Only terms of the best choice enter the sum: a huge weight that is not selected must not loosen the bound.
    # 2^-50 is eight units of rounding, for the differences above and the sums below.
    lost = 2.0**-50 * math.fsum(map(abs, terms))
    on, off = (total + side + lost + 2.0**-50 * np.where(side > -np.inf, np.abs(side), 0.0) for side in (on, off))
    return CheckedBounds(total + lost, on, off)
