"""Checks of the scores of arcs and larger parts, shared by the parsing kernels and their NumPy twins.

A score of NaN or plus infinity would make a maximum meaningless, so these checks, unlike those of chains, look at
values.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import FLOAT64, check_array, check_type

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
    # False for NaN as well. Only where something is wrong are the ignored entries distinguished.
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
        index = np.argwhere(~(parts < np.inf))[0]
        raise ValueError(
            f"{name}[{', '.join(map(str, index))}] is {float(parts[tuple(index)])}, expected a number or -inf"
        )
    return np.ascontiguousarray(parts.transpose(memory))


def check_candidates(candidates: npt.NDArray[Any]) -> None:
    """Check a square array of booleans."""
    check_type("candidates", candidates, np.bool_)
    if candidates.ndim != 2 or candidates.shape[0] != candidates.shape[1]:
        raise ValueError(f"candidates must have shape (n+1, n+1), got {candidates.shape}")


def check_arcs(heads: npt.NDArray[Any], modifiers: npt.NDArray[Any], positions: int) -> None:
    """Check the ends of arcs, contiguous int64 (arcs,), for being less than `positions`."""
    for name, ends in (("heads", heads), ("modifiers", modifiers)):
        check_type(name, ends, np.int64)
        if ends.shape != (heads.size,) or not ends.flags.c_contiguous:
            raise ValueError(f"{name} must be contiguous, of shape ({heads.size},), got {ends.shape}")
        if ends.size and ends.view(f"u{ends.itemsize}").max() >= positions:  # what is below 0 is large there
            raise ValueError(f"{name} must be in 0..{positions - 1}")


def check_width(width: int) -> None:
    """Check the number of arcs in a set."""
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")


def check_arc_sets(arc_sets: npt.NDArray[Any]) -> None:
    """Check sets of arcs, contiguous int64 (m, width); which arcs they name is for the loops to look at."""
    check_type("arc_sets", arc_sets, np.int64)
    if arc_sets.ndim != 2 or not arc_sets.flags.c_contiguous:
        raise ValueError(f"arc_sets must be contiguous, of shape (m, width), got {arc_sets.shape}")
    check_width(arc_sets.shape[1])


def check_part_table(table: npt.NDArray[Any], width: int) -> None:
    """Check a table of the scores of sets of `width` arcs by their positions."""
    check_array("table", table, (len(table),) * (width + 1))
    if not table.flags.c_contiguous:
        raise ValueError("table must be contiguous")
