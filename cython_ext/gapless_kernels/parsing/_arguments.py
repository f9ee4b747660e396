"""Checks of arc weights, shared by the parsing kernels and their NumPy twins.

A weight of NaN or plus infinity would make a maximum meaningless, so these checks, unlike those of chains, look at
values.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_weights"]

Floats = npt.NDArray[np.float64]


def check_weights(weights: npt.NDArray[Any], name: str = "weights") -> Floats:
    """Check the weights of the arcs of one sentence.

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weight of the arc [head, modifier], ``n >= 1``; 0 is the root, ``-inf`` means that there is no such arc.
        Column 0 and the diagonal are ignored, whatever they hold.
    name : str
        The argument's name, for messages.

    Returns
    -------
    (n+1, n+1) C-contiguous array of float64
        The argument, or a copy of it in which rows are contiguous.

    Raises
    ------
    TypeError
        If it is not a float64 array.
    ValueError
        If the shape is wrong, or a weight is NaN or plus infinity; the message names the place.
    """
    if not isinstance(weights, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, got {type(weights).__name__}")
    if weights.dtype != np.float64:
        raise TypeError(f"{name} must be float64, got {weights.dtype}")
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or weights.shape[0] < 2:
        raise ValueError(f"{name} must have shape (n+1, n+1) with n >= 1 words, got {weights.shape}")
    # False for NaN as well. Only where something is wrong are the ignored entries told apart.
    fine = weights < np.inf
    if not fine.all():
        fine[:, 0] = True
        np.fill_diagonal(fine, True)
        wrong = np.argwhere(~fine)
        if len(wrong):
            head, modifier = map(int, wrong[0])
            value = float(weights[head, modifier])
            raise ValueError(f"{name}[{head}, {modifier}] is {value}, expected a number or -inf")
    return np.ascontiguousarray(weights)
