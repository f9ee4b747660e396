from typing import Any

import numpy as np
import numpy.typing as npt

def beam_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    width: int,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
) -> None: ...
