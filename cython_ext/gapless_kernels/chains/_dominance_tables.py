"""Tables of dominance decoding, computed once for each transition matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gapless_kernels.chains._batch_arguments import check_transition
from gapless_kernels.chains._transition_tables import BLOCK, aligned, centring, padded

GROUP: Final = 4
"""Blocks in a group; the maxima of a group are tested first."""
MOST_LABELS: Final = BLOCK * GROUP * 1024
"""A group's number must fit in the low bits of a float32 score."""
# In units of 1, or of the smallest of labels' best transitions: of such scores 33 bits remain next to a gauge.
_LARGEST_GAUGE: Final = 2.0**20


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class DominanceTables:
    """Tables for `dominance` and `dominance_batch`, made by `dominance_tables`; read-only.

    Label x may be dropped wherever some y is ahead of it by ``excess[y, x]``, because no successor r gives back
    more: ``excess[y, x] >= max_r (transition[x, r] - transition[y, r])``. The scores are re-gauged by each label's
    mean score of leaving it, so that the label that is ahead is likely to stay so: ``moves[x, r] = transition[x, r]
    - gauge[x] + gauge[r]``. No path's score changes, but for ``gauge`` of its ends.

    Parameters
    ----------
    transition : (K, K) array of float64
        The scores, source first, finite or ``-inf``; kept, not copied.
    dtype : dtype
        float32 or float64.
    gauge : (K,) array of float64
        Amount taken from the scores of leaving a label and added to those of entering it.
    moves, arrivals : (K, stride) array of `dtype`
        The re-gauged scores, source first and destination first. Rows are filled with ``-inf`` up to `stride`, a
        multiple of 16, and begin on a cache line.
    excess : (K, stride) array of `dtype`
        Never rounded down; ``inf`` if x has a successor that y has not, ``-inf`` if x has none.
    group_excess : (K, 16 G) array of `dtype`
        Maxima of `excess` over groups of four blocks, lane by lane; G is the number of groups.
    largest : float
        At least as large as any finite number above.
    finite : bool
        Whether no transition is forbidden.
    """

    transition: npt.NDArray[np.float64]
    dtype: np.dtype[Any]
    gauge: npt.NDArray[np.float64]
    moves: npt.NDArray[Any]
    arrivals: npt.NDArray[Any]
    excess: npt.NDArray[Any]
    group_excess: npt.NDArray[Any]
    largest: float
    finite: bool

    def __post_init__(self) -> None:
        for array in (self.gauge, self.moves, self.arrivals, self.excess, self.group_excess):
            array.flags.writeable = False

    @property
    def labels(self) -> int:
        """Number of labels, K."""
        return len(self.transition)

    @property
    def nbytes(self) -> int:
        """Size of all arrays but `transition`: about 13 K^2 for float32 and 26 K^2 for float64."""
        arrays = (self.gauge, self.moves, self.arrivals, self.excess, self.group_excess)
        return sum(array.nbytes for array in arrays)


def lay_out(
    transition: npt.NDArray[np.float64],
    dtype: npt.DTypeLike,
    largest_differences: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
) -> DominanceTables:
    """Make the tables, given a function for ``max_r (transition[x, r] - transition[y, r])`` for all y and x.

    `largest_differences` returns the (K, K) array, y first, rounded to nearest.
    """
    dtype = np.dtype(dtype)
    labels = check_transition(transition, dtype, MOST_LABELS)
    transition = np.ascontiguousarray(transition)
    allowed = transition > -np.inf
    finite = bool(allowed.all())
    magnitude = float(np.abs(np.where(allowed, transition, 0.0)).max())
    gauge = _gauge(transition)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = (transition - gauge[:, None]) + gauge
        # Four roundings at most, of numbers no larger than four times the largest.
        ahead = (largest_differences(transition) - gauge) + gauge[:, None] + 2.0**-49 * magnitude
        moves, arrivals, excess = (padded(array, dtype) for array in (scores, scores.T, ahead))
        if dtype == np.float32:
            wide, narrow = ahead, excess[:, :labels]
            np.nextafter(narrow, np.float32(np.inf), out=narrow, where=narrow < wide)
    stride = excess.shape[1]
    groups = -(-stride // (BLOCK * GROUP))
    by_groups = np.full((labels, groups * GROUP * BLOCK), -np.inf, dtype)
    by_groups[:, :stride] = excess
    group_excess = aligned((labels, groups * BLOCK), dtype)
    by_groups.reshape(labels, groups, GROUP, BLOCK).max(axis=2, out=group_excess.reshape(labels, groups, BLOCK))
    largest = max(magnitude, float(np.abs(scores, where=allowed, out=np.zeros_like(scores)).max()))
    return DominanceTables(transition, dtype, gauge, moves, arrivals, excess, group_excess, largest, finite)


def _gauge(transition: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Compute mean scores of leaving each label on a coarse grid, so that small integers stay exact when re-gauged.

    Finite masks are left out, and so is a mean that a label with nothing but masks has: added to scores, a number
    as large as a mask would take their last digits, or all of them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        leaving, _ = centring(transition)
    best = np.abs(transition.max(axis=1))
    best = best[(best > 0) & (best < np.inf)]
    leaving[~(np.abs(leaving) <= _LARGEST_GAUGE * best.min(initial=1.0))] = 0.0
    largest = float(np.abs(leaving).max())
    if not largest > 2.0**-900:
        return np.zeros_like(leaving)
    grid = 2.0 ** (np.floor(np.log2(largest)) - 7)
    gauge: npt.NDArray[np.float64] = np.round(leaving / grid) * grid
    return gauge
