"""Labellings of a chain as a backbone of the search, in compiled code."""

import numpy as np
import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class ChainLabels(Maximiser):
    """The labellings of a chain; decision ``i * K + x`` says that position i has label x.

    Parameters
    ----------
    length : int
        Positions, at least 1.
    transition : float64 (K, K) or (n-1, K, K)
        Own score of neighbouring labels, source first; -inf forbids. One matrix for all edges or one for each.
    """

    def __init__(self, length: int, transition: npt.NDArray[np.float64]) -> None: ...
