"""Memory that stays with the process between large searches."""

from collections.abc import Iterable
from functools import cache

import numpy as np

from gapless.core.sparse import FloatArray, IntArray

HEAP = 1 << 24
"""Bytes of a block that is freed at once; twice as many may then stay at the end of the heap between searches."""
LARGE = 1 << 18
"""Bytes of scopes and scores from which on a search gains by that; smaller ones never lose their pages."""


def keep_heap_for(blocks: Iterable[tuple[IntArray, FloatArray]]) -> None:
    """Call `keep_heap` if a search over these scopes and scores gains by it."""
    if sum(scopes.nbytes + scores.nbytes for scopes, scores in blocks) >= LARGE:
        keep_heap()


@cache
def keep_heap() -> None:
    """Let the allocator keep memory between searches, once in a process.

    glibc returns the end of its heap once that is twice as long as the largest block that was ever freed, and the
    next search would get its pages anew. No page of this block is touched: only its size matters (decision 061).
    """
    np.empty(HEAP, np.uint8)
