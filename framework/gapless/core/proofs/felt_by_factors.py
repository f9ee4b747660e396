"""Losses of bounds on factors when one decision is turned: all decisions in one pass over each diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.configuration_bound import configuration_flips, most_of_others
from gapless.core.decisions import Decisions
from gapless.core.factor import ConfigurationFactor
from gapless.core.proofs.raised import all_above
from gapless.core.sparse import BoolArray, FloatArray, IntArray


@attrs.frozen(eq=False)
class Bounded:
    """A factor that is no conjunction, as it was bounded: `weights` (float64 (count,)) and `state` of its scope."""

    factor: ConfigurationFactor
    scope: IntArray
    weights: FloatArray
    state: NDArray[np.int8]
    bound: float


def felt_flips(
    decisions: Decisions, bounded: Sequence[Bounded], open_ones: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Change of the sum of these bounds with each decision on, and with each off: float64 (decisions,), at most 0.

    Raised by what float64 may have rounded away. `open_ones` (bool (decisions,)): decisions that may be on.
    """
    total = np.zeros((2, decisions.count))
    groups = [group for group in decisions.choice_groups() if group.size]
    members = np.concatenate([np.zeros(0, np.int64), *groups])
    sizes = np.array([group.size for group in groups], np.int64)
    for one in bounded:
        flips = configuration_flips(one.factor, decisions, one.weights, one.state)
        if flips is None or one.bound == -math.inf:
            continue
        felt = np.zeros_like(total)
        felt[:, one.scope] = np.minimum(all_above(np.stack(flips) - one.bound), 0.0)
        if groups:  # with one of a group on, the others are off; with it off, one of those that are open is on
            on, off = felt[:, members]
            on = np.minimum(on, -most_of_others(-off, sizes))
            off = np.minimum(off, most_of_others(np.where(open_ones[members], on, -np.inf), sizes))
            felt[:, members] = on, off
        total = np.minimum(all_above(total + felt), 0.0)
    return total[0], total[1]
