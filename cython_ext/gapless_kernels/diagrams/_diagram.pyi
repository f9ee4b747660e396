from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels.diagrams._arguments import GraphArrays

Array = npt.NDArray[Any]

class DiagramFactor:
    scope: npt.NDArray[np.int32]
    def __init__(
        self,
        scope: Array,
        graph: GraphArrays,
        *,
        exact_value: Callable[[Array], float] | None = None,
        checked: bool = False,
    ) -> None: ...
    def solve(self, prices: Array, state: Array) -> tuple[float, npt.NDArray[np.int8]]: ...
    def value_of(self, y: Array) -> float: ...
    def marginals_of(
        self, prices: Array, state: Array
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def flips_of(self, y: Array) -> npt.NDArray[np.float64]: ...
