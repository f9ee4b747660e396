from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

class Unrolling:
    nodes: int
    def __init__(self, largest: float) -> None: ...
    def follow(self, steps: Sequence[Any]) -> npt.NDArray[np.int64] | None: ...
    def coarsen(self, numbers: Array, count: int) -> None: ...
    def graph(self, ends: Array, narrow: int) -> tuple[Array, ...]: ...
