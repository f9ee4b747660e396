from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.labels._label_arguments import FoundRoutes, LabelTables, Pulse

def label_routes(
    tables: LabelTables,
    costs: NDArray[np.float64],
    charges: NDArray[np.float64],
    below: float,
    limit: int,
    *,
    loose: bool = False,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> FoundRoutes: ...
def label_through(
    tables: LabelTables,
    costs: NDArray[np.float64],
    charges: NDArray[np.float64],
    below: float,
    *,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> tuple[NDArray[np.float64], int]: ...
def label_enumerate(
    tables: LabelTables,
    costs: NDArray[np.float64],
    charges: NDArray[np.float64],
    below: float,
    limit: int,
    *,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> FoundRoutes: ...
def label_price(
    tables: LabelTables,
    costs: NDArray[np.float64],
    charges: NDArray[np.float64],
    first: NDArray[np.int64],
    arcs: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def label_windows(
    tails: NDArray[Any],
    heads: NDArray[Any],
    use: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    start: float,
    source: int,
    sink: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def label_distances(
    vertices: int, tails: NDArray[Any], heads: NDArray[Any], use: NDArray[np.float64]
) -> NDArray[np.float64]: ...
