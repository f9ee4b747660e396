"""Bounds on a backbone that a verifier computes itself, without the maximiser's `solve`."""

from __future__ import annotations

import math

import attrs

from gapless.arrays.round_up import next_float, next_floats
from gapless.arrays.sparse import FloatArray


@attrs.frozen(eq=False)
class CheckedBounds:
    """Upper bounds on the weight of any structure, rounding included.

    Parameters
    ----------
    best : float
        Bound over all structures under the fixings; -inf if there are none.
    on : float64 (decisions,), optional
        Bound over the structures with each decision on.
    off : float64 (decisions,), optional
        Bound over the structures with each decision off.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import CheckedBounds
    >>> CheckedBounds(2.0, np.array([2.0, 1.5]), np.array([1.0, 2.0])).on
    array([2. , 1.5])
    """

    best: float
    on: FloatArray | None = None
    off: FloatArray | None = None

    def plus(self, weights: FloatArray) -> CheckedBounds:
        """Add weights that every structure has in addition, rounding included."""
        # `fsum` rounds once, and each addition once more: one step up for each.
        total = next_float(math.fsum(weights.tolist()))
        on, off = (None if side is None else next_floats(side + total) for side in (self.on, self.off))
        return CheckedBounds(next_float(self.best + total), on, off)
