from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.linking._arguments import FoundChoice, Pulse

def linking_search(
    first: NDArray[np.int64],
    slots: NDArray[np.int64],
    distances: NDArray[Any],
    own: NDArray[np.float64],
    *,
    allowed: NDArray[Any] | None = None,
    start: NDArray[np.integer] | None = None,
    cutoff: float = ...,
    limit: float = ...,
    granularity: float | None = None,
    kicks: int = 50,
    seed: int = 0,
    pulse: Pulse | None = None,
    prove: bool = True,
    memory_limit: float = 2.0**31,
) -> FoundChoice: ...
