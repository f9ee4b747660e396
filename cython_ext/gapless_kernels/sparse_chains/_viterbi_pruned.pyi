from typing import Any

import numpy as np
import numpy.typing as npt

def viterbi_pruned_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
    survivors: npt.NDArray[np.int64] | None = None,
    messages: npt.NDArray[np.float64] | None = None,
) -> None: ...
