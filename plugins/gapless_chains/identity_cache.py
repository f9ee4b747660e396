"""Values derived once from a score array, and remembered for as long as that very array lives."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from gapless.arrays.sparse import FloatArray

T = TypeVar("T")


class IdentityCache(Generic[T]):
    """Calls `make` once for each array object, recognised by identity. The array must not change.

    Those of `gapless_chains.scores.scores` cannot. Threads that decode parts of one batch may ask at once.
    """

    def __init__(self, make: Callable[[FloatArray], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._known: dict[int, tuple[weakref.ref[FloatArray], T]] = {}

    def __call__(self, array: FloatArray) -> T:
        """Return what `make` gave for this array."""
        key = id(array)
        with self._lock:
            stored = self._known.get(key)
            if stored is not None and stored[0]() is array:
                return stored[1]
            value = self._make(array)
            # Identities are reused when an array is gone, so its entry goes with it.
            self._known[key] = weakref.ref(array, lambda _: self._known.pop(key, None)), value
            return value
