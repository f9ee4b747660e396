"""Memory that the process keeps between large searches (decisions 043 and 061)."""

from collections.abc import Iterable
from functools import cache

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray

HEAP = 1 << 24
"""Bytes of a block that is freed at once; afterwards glibc keeps up to twice as many at the end of the heap."""
LARGE = 1 << 18
"""Smallest size in bytes of scopes and scores for which this pays; smaller searches never lose their pages."""


def keep_heap_for(blocks: Iterable[tuple[IntArray, FloatArray]]) -> None:
    """Call `keep_heap` if these scopes and scores are large."""
    if sum(scopes.nbytes + scores.nbytes for scopes, scores in blocks) >= LARGE:
        keep_heap()


@cache
def keep_heap() -> None:
    """Let the allocator keep memory between searches, once in a process.

    glibc returns the end of its heap once that is twice as long as the largest block that was ever freed, and the
    next search would get its pages anew. No page of this block is touched: only its size matters (decision 061).
    """
    np.empty(HEAP, np.uint8)
