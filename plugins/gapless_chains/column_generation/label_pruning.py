"""Labels that no best path takes, whatever the neighbours are: from a label's own score and bounds on transitions.

Source: Belanger, Passos, Riedel, McCallum 2012, section 4.3, eq. 14.
"""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless_chains.transition_bounds import TransitionBounds

# Far more than rounding, far less than scores differ by.
_ROUNDING = 2.0**-44
_LAST_DIGITS = 2.0**-48


def competitive(theta: FloatArray, bounds: TransitionBounds) -> BoolArray:
    """Select labels whose best conceivable contribution reaches the worst one of the best label at their position.

    Returns bool (n, K). `theta` (float64 (n, K)): label scores; minus infinity where forbidden. Forbidden labels
    are kept.
    """
    upper, lower = theta.copy(), theta.copy()
    # -inf meets inf in labels without an allowed neighbour; such a NaN keeps its label.
    with np.errstate(invalid="ignore"):
        upper[1:] += bounds.into
        lower[1:] += bounds.least_into
        upper[:-1] += bounds.out_of
        lower[:-1] += bounds.least_out_of
        best = lower.max(axis=1, keepdims=True)
        rounding = _ROUNDING * (np.abs(upper) + np.abs(best) + bounds.largest)
        keep_mask: BoolArray = ~(upper + rounding < best) | ~np.isfinite(upper)
    return keep_mask


def repair(
    potentials: FloatArray, excess: FloatArray, pruned: BoolArray, theta: FloatArray, bounds: TransitionBounds
) -> None:
    """Give pruned labels potentials under which no edge exceeds what its other pairs exceed.

    A pruned label gets the best prefix that could reach it, ``max m_{i-1} + into + theta``, less the edge's excess:
    then no pair into it exceeds more; and by eq. 14 a pair out of it plus the edge before is no more than the same
    through the position's best label.

    Parameters
    ----------
    potentials : float64 (n, K)
        Changed in place.
    excess : float64 (n+1,)
        Largest positive excess of the first label, of each edge, of the last label, over the priced pairs.
    pruned : bool (n, K)
    theta, bounds
        As for `competitive`.
    """
    for i in np.flatnonzero(pruned.any(axis=1)).tolist():
        labels = pruned[i]
        scores = theta[i, labels] - excess[i]
        if i > 0:
            into = bounds.into if bounds.into.ndim == 1 else bounds.into[i - 1]
            best = np.max(potentials[i - 1], where=theta[i - 1] > -np.inf, initial=-np.inf)
            scores = scores + (best + into[labels])
        # Round up: next to a mask of -1e9, the last digit of a potential exceeds the tolerance of a proof.
        potentials[i, labels] = scores + _LAST_DIGITS * np.abs(scores)
