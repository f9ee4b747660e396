from typing import Any

import numpy as np
import numpy.typing as npt

def path_beam_search(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    width: int,
) -> tuple[float, npt.NDArray[np.int64]]: ...
