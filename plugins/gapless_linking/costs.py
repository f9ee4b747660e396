"""The costs of a problem in the numbers that the compiled search takes."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import BoolArray, FloatArray
from gapless_kernels import whole_bits
from gapless_linking.problem import LinkingProblem


@attrs.frozen(eq=False)
class Costs:
    """Distances and own costs, finite throughout.

    Attributes
    ----------
    distances : (p, p) array
        uint8 where all costs are whole and small, else float64. Where no path leads, more than any choice costs.
    own : float64 (N,)
        Beyond the least of the set, so that large costs that cancel between sets leave the small ones their digits.
    offset : float
        The sum of what is least in each set.
    allowed : bool (N,)
        Members that are not forbidden.
    limit : float
        Choices that cost as much go where no path leads.
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
        """The costs of `problem`."""
        allowed: BoolArray = np.isfinite(problem.own_costs)
        hopeless = bool(np.any(np.add.reduceat(allowed, problem.first[:-1]) == 0))
        beyond, offset = problem.centred_costs
        own = np.where(allowed, beyond, 0.0)
        given = problem.distances
        if problem.granularity is not None:
            lengths = given if given.dtype == np.uint8 else problem.lengths()
            if lengths.max(initial=0) < 255 and whole_bits(problem.first, own, lengths) >= 1:
                whole = np.ascontiguousarray(lengths, np.uint8)
                return cls(whole, own, offset, allowed, math.inf, problem.granularity, hopeless)
        lengths = problem.lengths()
        reached = np.isfinite(lengths)
        limit = math.inf
        if not reached.all():
            k = problem.k
            largest = float(lengths[reached].max(initial=0.0))
            limit = 2.0 * (k * (k - 1) * largest + 2.0 * float(np.abs(own).sum()) + 1.0)
            limit += 1e-6 * abs(offset)  # told apart from choices even beside what all of them cost
            lengths = np.where(reached, lengths, limit)
        return cls(lengths, own, offset, allowed, limit, None, hopeless)
