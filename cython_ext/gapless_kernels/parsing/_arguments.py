"""Checks of the scores of arcs and larger parts, shared by the parsing kernels and their NumPy twins.

A score of NaN or plus infinity would make a maximum meaningless, so these checks, unlike those of chains, look at
values.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import FLOAT64, check_array, check_type

__all__ = ["check_parts", "check_weights"]

Floats = npt.NDArray[np.float64]


def check_weights(weights: npt.NDArray[Any], name: str = "weights") -> Floats:
    """Check the weights of the arcs of one sentence; return them with contiguous rows, copied only where need be.

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weight of the arc [head, modifier], ``n >= 1``; 0 is the root, ``-inf`` means that there is no such arc.
        Column 0 and the diagonal are ignored, whatever they hold.
    name : str
        The argument's name, for messages.
    """
    check_type(name, weights, FLOAT64)
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


def check_parts(name: str, parts: npt.NDArray[Any] | None, size: int, memory: tuple[int, ...]) -> Floats | None:
    """Check the scores of parts of several arcs; return them contiguous, without a copy where they lie so already.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    parts : (size, ...) array of float64, or None
        Scores of parts; ``-inf`` forbids one.
    size : int
        Number of positions on each axis, n + 1.
    memory : tuple of int
        The axes in the order in which the kernels run through them, slowest first; those of the result.
    """
    check_array(name, parts, (size,) * len(memory), optional=True)
    if parts is None:
        return None
    # The maximum is NaN where any score is, and needs no array of truth values.
    if not parts.max() < np.inf:
        place = np.argwhere(~(parts < np.inf))[0]
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {float(parts[tuple(place)])}, expected a number or -inf"
        )
    return np.ascontiguousarray(parts.transpose(memory))
