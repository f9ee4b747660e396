from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

class DiagramFactor:
    scope: npt.NDArray[np.int32]
    def __init__(
        self,
        scope: Array,
        layer_nodes: Array,
        layer_blocks: Array,
        places: Array,
        sources: Array,
        counts: Array,
        target_at: Array,
        score_at: Array,
        constants: Array,
        targets: Array,
        scores: Array,
        final: Array,
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
