"""Arcs that fixings imply, as every word has exactly one head."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import FREE, OFF, ON
from gapless_dependency import Arcs


def implied_state(arcs: Arcs, state: NDArray[np.int8]) -> NDArray[np.int8] | None:
    """`Fixings.implied` for arcs, as array operations: int8 (arcs,); None when a word has no head or two."""
    implied = state.copy()
    words = arcs.modifiers
    heads_on = np.bincount(words[state == ON], minlength=arcs.length + 1)
    if np.any(heads_on > 1):
        return None
    implied[(heads_on[words] > 0) & (state == FREE)] = OFF
    left = np.bincount(words[implied != OFF], minlength=arcs.length + 1)
    if np.any(left[1:] == 0):
        return None
    implied[(left[words] == 1) & (implied == FREE)] = ON
    return implied
