"""Bounds on a backbone that a verifier computes itself, apart from the maximiser's `solve`."""

from __future__ import annotations

import math

import attrs

from gapless.core.proofs.raised import above, all_above
from gapless.core.sparse import FloatArray


@attrs.frozen(eq=False)
class CheckedBounds:
    """No structure weighs more; rounding counted.

    Parameters
    ----------
    best : float
        All structures under the fixings; -inf where there are none.
    on : float64 (decisions,), optional
        Those with each decision on.
    off : float64 (decisions,), optional
        Those with each decision off.

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
        """The same where every structure has these weights besides; rounding counted."""
        more = above(math.fsum(weights.tolist()))
        on, off = (None if side is None else all_above(side + more) for side in (self.on, self.off))
        return CheckedBounds(above(self.best + more), on, off)
