"""A factor of scores of pairs, for the search."""

from typing import Final

import numpy.typing as npt

from gapless_kernels.search.roles import Factor

MOST: Final[int]

class Pairs(Factor):
    """Scores of pairs of a few decisions, maximised by branch and bound.

    The configuration less its prices is exact; beyond 100,000 nodes of one call, which thirty decisions hardly need,
    the value is an upper bound.

    Parameters
    ----------
    scope : int (count,)
        1 to `MOST` decisions.
    scores : float64 (count, count)
        Symmetric and finite, 0 on the diagonal.

    Raises
    ------
    ValueError
        Names the argument.
    """

    def __init__(self, scope: npt.ArrayLike, scores: npt.ArrayLike) -> None: ...
