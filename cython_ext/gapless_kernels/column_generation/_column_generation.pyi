from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels.chains._transition_tables import TransitionTables

def column_generation_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    tables: TransitionTables,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    bounds: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
    rounds: npt.NDArray[np.int64],
    domain_sizes: npt.NDArray[np.int64],
    candidates: npt.NDArray[np.int64],
    *,
    initial: npt.NDArray[np.float64] | None = None,
    final: npt.NDArray[np.float64] | None = None,
    start: int = 0,
    gap: float = 0.0,
    margin: float = -1.0,
    second_values: npt.NDArray[np.float64] | None = None,
    second_labels: npt.NDArray[np.int64] | None = None,
    effort: float = 0.25,
) -> None: ...
def path_bounds_batch(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    tables: TransitionTables,
    labels: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.float64],
    *,
    initial: npt.NDArray[np.float64] | None = None,
    final: npt.NDArray[np.float64] | None = None,
) -> None: ...
