"""The C-level roles of the search; ``roles.pxd`` declares the C methods, the module documents the others."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FREE: Final[int]
OFF: Final[int]
ON: Final[int]
FOUND: Final[int]
NOTHING: Final[int]
FAILED: Final[int]

class Maximiser:
    def solve(
        self, weights: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[float, npt.NDArray[np.int64]]: ...
    def max_marginals(
        self, weights: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
    def internal_score_of(self, on: npt.ArrayLike) -> float | None: ...
    def take_conflicts(self, conflicts: npt.ArrayLike) -> None: ...
    def excluded(self, one: int, other: int) -> bool: ...

class Factor:
    scope: npt.NDArray[np.int32]

    def __init__(self, scope: Sequence[int] | npt.NDArray[Any]) -> None: ...
    def solve(
        self, prices: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[float, npt.NDArray[np.bool_]]: ...
    def value_of(self, on: npt.ArrayLike) -> float: ...
    def max_marginals(
        self, prices: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
    def flip_differences(self, on: npt.ArrayLike) -> npt.NDArray[np.float64] | None: ...
