"""The score of a label path in float64, summed from the left as `ChainProblem.value` sums it."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["path_value"]


def path_value(
    unary: npt.NDArray[Any],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.int64],
) -> float:
    """Sum ``local_i + (sum so far + transition)``; the ends' scores are added to the local ones first."""
    total = 0.0
    for i, label in enumerate(labels):
        local = float(unary[i, label])
        if i == 0 and initial is not None:
            local += float(initial[label])
        if i == len(labels) - 1 and final is not None:
            local += float(final[label])
        total = local if i == 0 else local + (total + float(transition[labels[i - 1], label]))
    return total
