"""The costs of a problem as numbers for the compiled search."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless_kernels import whole_bits
from gapless_linking.problem import LinkingProblem


@attrs.frozen(eq=False)
class Costs:
    """Distances and own costs, finite throughout.

    Attributes
    ----------
    distances : (p, p) array
        uint8 if all costs are small integers, else float64. More than any choice costs if no path leads.
    own : float64 (N,)
        Beyond the least of the set, so that large costs that cancel between sets leave the small ones their digits.
    offset : float
        The sum of what is least in each set.
    allowed : bool (N,)
        Members that are not forbidden.
    limit : float
        Choices that cost as much are not connected.
    granularity : float or None
        Of whole costs; None for others.
    hopeless : bool
        Whether a set has no member that is allowed.
    """

    distances: NDArray[Any]
    own: FloatArray
    offset: float
    allowed: BoolArray
    limit: float
    granularity: float | None
    hopeless: bool

    @classmethod
    def of(cls, problem: LinkingProblem) -> Costs:
        """Convert the costs of `problem`."""
        allowed: BoolArray = np.isfinite(problem.unary_costs)
        # The kernel expects at least one allowed candidate in each set.
        hopeless = bool(np.any(np.add.reduceat(allowed, problem.first[:-1]) == 0))
        beyond, offset = problem.centred_costs
        own = np.where(allowed, beyond, 0.0)
        distances = problem.distances
        if problem.granularity is not None:
            lengths = distances if distances.dtype == np.uint8 else problem.lengths()
            # The kernel adds small integral costs exactly in integers; a byte of 255 would mean "no path".
            if lengths.max(initial=0) < 255 and whole_bits(problem.first, own, lengths) >= 1:
                small = np.ascontiguousarray(lengths, np.uint8)
                return cls(small, own, offset, allowed, math.inf, problem.granularity, hopeless)
        lengths = problem.lengths()
        connected = np.isfinite(lengths)
        limit = math.inf
        if not connected.all():
            k = problem.k
            largest = float(lengths[connected].max(initial=0.0))
            # Twice the cost of any connected choice: each ordered pair at the largest distance, all unary
            # costs.
            limit = 2.0 * (k * (k - 1) * largest + 2.0 * float(np.abs(own).sum()) + 1.0)
            limit += 1e-6 * abs(offset)  # above the rounding of totals that contain `offset`
            lengths = np.where(connected, lengths, limit)
        return cls(lengths, own, offset, allowed, limit, None, hopeless)
