from typing import Any

import numpy as np
import numpy.typing as npt

def k_best_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    status: npt.NDArray[np.uint8],
    *,
    lower: npt.NDArray[np.float64] | None = None,
    upper: npt.NDArray[np.float64] | None = None,
    table: npt.NDArray[np.float64] | None = None,
    thresholds: npt.NDArray[np.float64] | None = None,
) -> None: ...
