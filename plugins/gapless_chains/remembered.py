"""What is derived from an array once and kept for as long as that very array lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TypeVar

from gapless.core.sparse import FloatArray

T = TypeVar("T")


def remembered(compute: Callable[[FloatArray], T]) -> Callable[[FloatArray], T]:
    """`compute` with a memory. The arrays must not change; they are known by identity, not by content."""
    known: dict[int, tuple[weakref.ref[FloatArray], T]] = {}

    def recall(array: FloatArray) -> T:
        key = id(array)
        held = known.get(key)
        if held is not None and held[0]() is array:
            return held[1]
        derived = compute(array)
        known[key] = weakref.ref(array, lambda _: known.pop(key, None)), derived
        return derived

    return recall
