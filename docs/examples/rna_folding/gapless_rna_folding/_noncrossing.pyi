"""Non-crossing pairs as a backbone of the search, in C."""

import numpy as np
import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class NonCrossingPairs(Maximiser):
    """Non-crossing pairs of `length` bases; decision d pairs ``left[d] < right[d]``, sorted by left base."""

    def __init__(self, length: int, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> None: ...
