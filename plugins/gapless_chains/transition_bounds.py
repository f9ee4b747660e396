"""Bounds on transition scores, computed once for each array, before any sentence is seen."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless_chains.identity_cache import IdentityCache


@attrs.frozen(eq=False)
class TransitionBounds:
    """Largest pair scores into and out of each label, ``U_tau`` in Figure 1 of Belanger et al. 2012.

    Parameters
    ----------
    into : float64 (K,) or (n-1, K)
        Maximum over the source, for each destination; a row for each edge if the transitions vary.
    out_of : float64 (K,) or (n-1, K)
        Maximum over the destination, for each source.
    forbids : bool
        Whether some pair scores minus infinity.
    largest : float
        Largest finite magnitude.
    least_into, least_out_of : float64, as `into` and `out_of`
        Minima instead of maxima; minus infinity where a pair is forbidden.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_chains import TransitionBounds
    >>> TransitionBounds.compute(np.array([[0.0, -3.0], [0.0, 0.0]])).into
    array([0., 0.])
    """

    into: FloatArray
    out_of: FloatArray
    forbids: bool
    largest: float
    least_into: FloatArray
    least_out_of: FloatArray

    @classmethod
    def compute(cls, transition: FloatArray) -> TransitionBounds:
        """Compute the bounds of a (K, K) or (n-1, K, K) array."""
        finite = np.isfinite(transition)
        return cls(
            transition.max(axis=-2),
            transition.max(axis=-1),
            not finite.all(),
            float(np.max(np.abs(transition), where=finite, initial=0.0)),
            transition.min(axis=-2),
            transition.min(axis=-1),
        )


transition_bounds = IdentityCache(TransitionBounds.compute)
"""`TransitionBounds.compute`, remembered for as long as the very array lives."""
