from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

def color_coding_table_bytes(n: int, length: int, colors: int) -> int: ...
def color_coding_search(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    colorings: npt.NDArray[np.uint8],
    colors: int,
    incumbent: float = ...,
    pulse: Callable[[], bool] | None = ...,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
def color_coding_pruned(
    start: npt.NDArray[Any],
    ordering: npt.NDArray[Any],
    end: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    length: int,
    colorings: npt.NDArray[np.uint8],
    colors: int,
    incumbent: float,
    charges: npt.NDArray[np.float64],
    completion: npt.NDArray[np.float64],
    slack: float,
    states: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], int]: ...
