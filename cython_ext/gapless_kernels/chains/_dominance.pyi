from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gapless_kernels.chains._dominance_tables import DominanceTables

_Real = TypeVar("_Real", np.float32, np.float64)

def dominance_tables(transition: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> DominanceTables: ...
def viterbi_batch(
    unary: npt.NDArray[_Real],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
) -> None: ...
def dominance_batch(
    unary: npt.NDArray[_Real],
    offsets: npt.NDArray[np.int64],
    tables: DominanceTables,
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
    survivors: npt.NDArray[np.int64] | None = None,
) -> None: ...
def dominance(
    unary: npt.NDArray[np.float64],
    tables: DominanceTables,
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
    kept: npt.NDArray[np.bool_],
    dominators: npt.NDArray[np.int64],
) -> float: ...
