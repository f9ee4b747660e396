"""Score of a label path, summed in the order of all kernels."""

from typing import Any

import numpy as np
import numpy.typing as npt


def path_value(
    unary: npt.NDArray[Any],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
) -> float:
    """Sum a path's scores in float64 from the left: ``local + (sum + transition)``."""
    local = unary[np.arange(len(labels)), labels].astype(np.float64)
    if initial is not None:
        local[0] += initial[labels[0]]
    if final is not None:
        local[-1] += final[labels[-1]]
    total = local[0]
    for i in range(1, len(labels)):
        total = local[i] + (total + transition[labels[i - 1], labels[i]])
    return float(total)
