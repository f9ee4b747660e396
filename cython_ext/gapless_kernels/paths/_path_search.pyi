import numpy as np
from numpy.typing import NDArray

from gapless_kernels.paths._path_arguments import FoundPaths, Pulse

def score_extent(scores: NDArray[np.float64]) -> float: ...
def forbid_within_classes(ordering: NDArray[np.float64], classes: NDArray[np.int64]) -> None: ...
def path_search(
    start: NDArray[np.float64],
    ordering: NDArray[np.float64],
    end: NDArray[np.float64],
    classes: NDArray[np.integer],
    length: int,
    *,
    wanted: int = 1,
    begin: NDArray[np.integer] | None = None,
    pulse: Pulse | None = None,
    rounds: int = 8,
    memory_limit: float = 2.0**31,
) -> FoundPaths: ...
