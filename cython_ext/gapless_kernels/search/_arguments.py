"""Checks of the arguments of a search: each error names the argument and the index."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ORDERS = ("best-first", "depth-first", "breadth-first")
VARIANTS = ("default", "paper")


def check_options(options: dict[str, Any], most_choices: int) -> None:
    """Refuse options that are out of range."""
    if options["variant"] not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {options['variant']!r}")
    if options["order"] not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, got {options['order']!r}")
    if not (0.0 <= options["granularity"] < float("inf")):
        raise ValueError(f"granularity must be a number >= 0, got {options['granularity']}")
    if not (0 <= options["choices"] <= most_choices):
        raise ValueError(f"choices must be in 0..{most_choices}, got {options['choices']}")
    if options["root_steps"] < 1 or options["root_trend"] < 1:
        raise ValueError(
            f"root_steps and root_trend must be at least 1, got {options['root_steps']} and {options['root_trend']}"
        )
    if not options["memory_limit"] >= 0:
        raise ValueError(f"memory_limit must be a number of bytes >= 0, got {options['memory_limit']}")


def checked_weights(base: ArrayLike, decisions: int) -> NDArray[np.float64]:
    """Return the weights of decisions, which must be finite or -inf."""
    weights = np.ascontiguousarray(base, np.float64)
    if weights.shape != (decisions,):
        raise ValueError(
            f"base must have shape ({decisions},), as the maximiser has decisions, got {weights.shape}"
        )
    wrong = ~((weights < 1e300) & ((weights > -1e300) | (weights == -np.inf)))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ValueError(f"base[{index}] is {weights[index]}, expected a finite number or -inf")
    return weights


def checked_groups(
    first: ArrayLike | None, members: ArrayLike | None, decisions: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the choice groups as offsets and members of disjoint groups; there may be none."""
    if first is None and members is None:
        return np.zeros(1, np.int64), np.zeros(0, np.int64)
    if first is None or members is None:
        raise ValueError("group_first and groups come together")
    begins, members = np.array(first, np.int64, order="C"), np.array(members, np.int64, order="C")
    if begins.ndim != 1 or not len(begins) or begins[0] != 0 or np.any(np.diff(begins) < 0):
        raise ValueError("group_first must be a list of ascending numbers from 0 on")
    if members.shape != (begins[-1],):
        raise ValueError(f"groups must have shape ({begins[-1]},), as group_first ends, got {members.shape}")
    if len(members) and not 0 <= members.min() <= members.max() < decisions:
        raise ValueError(f"groups must name decisions in 0..{decisions - 1}")
    if np.bincount(members, minlength=1).max() > 1:
        raise ValueError(f"groups must be disjoint, but decision {np.bincount(members).argmax()} is in two")
    return begins, members


def check_scope(number: int, scope: NDArray[np.int32], decisions: int) -> None:
    """Refuse a factor whose scope names unknown decisions, or one twice."""
    if len(scope) and not 0 <= scope.min() <= scope.max() < decisions:
        raise ValueError(f"factor {number}: its scope must name decisions in 0..{decisions - 1}")
    if len(np.unique(scope)) != len(scope):
        raise ValueError(f"factor {number}: its scope holds one decision twice")


def checked_guide(number: int, guide: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return the guide of a factor over `count` decisions as an array."""
    direction = np.ascontiguousarray(guide, np.float64)
    if direction.shape != (count,) or not np.isfinite(direction).all():
        raise ValueError(f"the guide of factor {number} must hold a finite number for each decision of its scope")
    return direction


def checked_block(
    number: int, scopes: ArrayLike, scores: ArrayLike, decisions: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Copy scopes, which must name different decisions, and finite scores into contiguous arrays."""
    # Copies: the search counts in one pass what it fills in another, and reads them again for its record.
    each, values = np.array(scopes, np.int64, order="C"), np.array(scores, np.float64, order="C")
    if each.ndim != 2 or each.shape[1] < 1:
        raise ValueError(f"block {number}: scopes must have shape (m, width) with width >= 1, got {each.shape}")
    if values.shape != (len(each),):
        raise ValueError(f"block {number}: scores must have shape ({len(each)},), got {values.shape}")
    if len(each) and not 0 <= each.min() <= each.max() < max(decisions, 1):
        raise ValueError(f"block {number}: scopes must name decisions in 0..{decisions - 1}")
    ordered = np.sort(each, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise ValueError(f"block {number}: a scope holds one decision twice")
    if not np.isfinite(values).all():
        index = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"block {number}: scores[{index}] is {values[index]}, expected a finite number")
    return each, values


def checked_structure(on: ArrayLike, group: NDArray[np.int32], base: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the decisions of a structure, which must be possible and different, one of each group."""
    given = np.array(on, np.int64, order="C")
    if given.ndim != 1 or (len(given) and not 0 <= given.min() <= given.max() < len(group)):
        raise ValueError(f"a structure must be a list of decisions in 0..{len(group) - 1}, got {on!r}")
    if len(np.unique(given)) != len(given):
        raise ValueError("a structure holds one decision twice")
    if np.any(base[given] == -np.inf):
        raise ValueError(f"a structure holds decision {given[np.argmin(base[given])]}, which cannot be on")
    held = np.bincount(group[given][group[given] >= 0], minlength=int(group.max(initial=-1)) + 1)
    if np.any(held != 1):
        wrong = int(np.argmax(held != 1))
        raise ValueError(f"a structure must hold one decision of each group, but {wrong} has {held[wrong]}")
    return given.astype(np.int32)
