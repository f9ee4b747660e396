"""Arguments and results of the linking search, compiled and in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pulse = Callable[[float, float, int, int], bool]


class LinkingRecord(NamedTuple):
    """Record of a search, from which its proof can be checked; linking/record.h lists the operations.

    Attributes
    ----------
    unit : float
        Cost of 1 in `moved` and `floors`.
    script : int32
    moved : int32 or float64
    floors : float64
    """

    unit: float
    script: NDArray[np.int32]
    moved: NDArray[Any]
    floors: Floats


class LinkingSearchResult(NamedTuple):
    """Result of a linking search.

    Attributes
    ----------
    members : int64 (k,) or None
        One member of each set; None if no choice below the cutoff was found.
    value : float
        Cost of the choice; the cutoff if there is none.
    bound : float
        Lower bound on the cost of every choice, or of those below the cutoff.
    proved : bool
        Whether the search was completed.
    sweeps, nodes, branches : int
        Work done: sweeps over all pairs, nodes of Russian doll searches, splits.
    interrupted : bool
        Whether Ctrl-C ended it.
    record : LinkingRecord or None
        None if nothing was proved, or the record would exceed an eighth of the memory limit.
    """

    members: Ints | None
    value: float
    bound: float
    proved: bool
    sweeps: int
    nodes: int
    branches: int
    interrupted: bool
    record: LinkingRecord | None


def check_sets(first: Any, slots: Any, own: Any, distances: Any) -> None:
    """Raise unless all shapes and indices agree, because the search does not check them."""
    first, slots = np.asarray(first), np.asarray(slots)
    if first.ndim != 1 or first.size < 2 or first[0] != 0 or np.any(np.diff(first) < 1):
        raise ValueError("first must rise from 0: no set is empty")
    if slots.shape != (first[-1],) or np.shape(own) != slots.shape:
        raise ValueError(f"slots and own must hold {first[-1]} entries")
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"distances have shape {distances.shape}, expected a square")
    if slots.min() < 0 or slots.max() >= len(distances):
        raise ValueError(f"slots must be rows of the {len(distances)} distances")


def check_choices(first: Any, allowed: Any, start: Any) -> None:
    """Raise if a set has no allowed member, or a first choice is invalid."""
    first = np.asarray(first)
    is_allowed = np.ones(first[-1], bool) if allowed is None else np.asarray(allowed)
    if is_allowed.shape != (first[-1],) or np.any((is_allowed != 0) & (is_allowed != 1)):
        raise ValueError(f"allowed must hold {first[-1]} truth values")
    if np.any(np.add.reduceat(is_allowed.astype(np.int64), first[:-1]) == 0):
        raise ValueError("a set has no member that is allowed")
    if start is None or not len(start):
        return
    choices = np.asarray(start)
    if choices.ndim != 2 or choices.shape[1] != first.size - 1 or choices.dtype.kind not in "iu":
        raise ValueError(f"start must hold choices of {first.size - 1} members, that is integers")
    if np.any((choices < first[:-1]) | (choices >= first[1:])) or not np.all(is_allowed[choices]):
        raise ValueError("start names members of other sets, or some that are not allowed")


WHOLE_COST_BITS = 29
"""Whole costs with their fraction bits stay below this power of two: sums and differences of two fit into int32."""


def whole_total(first: Ints, own: Floats, distances: NDArray[Any]) -> float:
    """Bound half the cost of any choice from above, for whole distances of at most 254."""
    k = len(first) - 1
    return k * (k - 1) / 2 * float(distances.max(initial=0)) + float(np.abs(own[np.isfinite(own)]).sum()) + 1


def whole_bits(first: Ints, own: Floats, distances: NDArray[Any]) -> int:
    """Compute the number of fraction bits of whole costs, at most 8."""
    return int(min(8, WHOLE_COST_BITS - np.ceil(np.log2(whole_total(first, own, distances)))))


def rounding_of(first: Ints, own: Floats, distances: Floats, limit: float = np.inf) -> float:
    """Bound the float64 rounding error of the cost of a choice without distances of `limit` or more."""
    k = len(first) - 1
    largest = float(distances[distances < limit].max(initial=0))
    smallest_own = float(np.abs(np.minimum.reduceat(own, first[:-1])).sum())
    return 64.0 * 2.0**-52 * (k + 4) * (k * (k - 1) * largest + smallest_own + 1)
