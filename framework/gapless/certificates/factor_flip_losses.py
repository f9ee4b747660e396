"""Losses of the factors' bounds if one decision is flipped, for all decisions in one pass over each diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.round_up import next_floats
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.factors.configuration_bound import configuration_flips, most_of_others
from gapless.factors.factor import ConfigurationFactor


@attrs.frozen(eq=False)
class BoundedFactor:
    """Configuration factor, and the `weights` (float64 (count,)) and `state` of its scope that gave its bound."""

    factor: ConfigurationFactor
    scope: IntArray
    weights: FloatArray
    state: NDArray[np.int8]
    bound: float


def factor_flip_losses(
    decisions: Decisions, bounded: Sequence[BoundedFactor], possible: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the change of the sum of these bounds with each decision on, and off: float64 (decisions,), at most 0.

    Rounded up. `possible` (bool (decisions,)): decisions that may be on.
    """
    total = np.zeros((2, decisions.count))
    groups = [group for group in decisions.choice_groups() if group.size]
    members = np.concatenate([np.zeros(0, np.int64), *groups])
    sizes = np.array([group.size for group in groups], np.int64)
    for entry in bounded:
        flips = configuration_flips(entry.factor, decisions, entry.weights, entry.state)
        # A factor without max-marginals counts as unchanged by any flip, which is valid. If its bound is -inf, so
        # is the sum, and the difference would be NaN.
        if flips is None or entry.bound == -math.inf:
            continue
        losses = np.zeros_like(total)
        losses[:, entry.scope] = np.minimum(next_floats(np.stack(flips) - entry.bound), 0.0)
        if groups:
            on, off = losses[:, members]
            # A member on turns the others of its group off, and costs at least the largest of their losses.
            on = np.minimum(on, -most_of_others(-off, sizes))
            # A member off turns a possible other one on, and costs at least the smallest of those losses.
            off = np.minimum(off, most_of_others(np.where(possible[members], on, -np.inf), sizes))
            losses[:, members] = on, off
        # Round after each addition, so that the sum over many factors is an upper bound, too.
        total = np.minimum(next_floats(total + losses), 0.0)
    return total[0], total[1]
