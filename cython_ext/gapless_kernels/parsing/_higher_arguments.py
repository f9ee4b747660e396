"""Checks of the scores of parts of several arcs, shared by the higher-order parsing kernels and their twins."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_parts"]


def check_parts(
    name: str, parts: npt.NDArray[Any] | None, size: int, memory: tuple[int, ...]
) -> npt.NDArray[np.float64] | None:
    """Check the scores of parts of a sentence.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    parts : (size, ...) array of float64, or None
        Scores of parts; ``-inf`` forbids one.
    size : int
        Number of positions on each axis, n + 1.
    memory : tuple of int
        The axes in the order in which the kernels run through them, slowest first.

    Returns
    -------
    C-contiguous array of float64, or None
        The scores with their axes in the order of `memory`: no copy where they lie so already.

    Raises
    ------
    TypeError
        If it is not a float64 array.
    ValueError
        If the shape is wrong, or a score is NaN or plus infinity; the message names the place.
    """
    if parts is None:
        return None
    if not isinstance(parts, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array or None, got {type(parts).__name__}")
    if parts.dtype != np.float64:
        raise TypeError(f"{name} must be float64, got {parts.dtype}")
    expected = (size,) * len(memory)
    if parts.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {parts.shape}")
    # The maximum is NaN where any score is, and needs no array of truth values.
    if not parts.max() < np.inf:
        place = np.argwhere(~(parts < np.inf))[0]
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {float(parts[tuple(place)])}, expected a number or -inf"
        )
    return np.ascontiguousarray(parts.transpose(memory))
