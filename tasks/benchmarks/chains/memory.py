"""Memory that decoding takes beyond the scores."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from benchmarks.chains.score_set import ScoreSet
from benchmarks.frame.fresh_process import forget_high_water, high_water, in_new_process


@attrs.frozen
class Memory:
    """Peak bytes beyond the scores while a batch is decoded.

    Parameters
    ----------
    arrays : int
        Of NumPy and Python, with the model's tables ready (tracemalloc).
    process : int or None
        By which the high-water mark of a fresh process rises, tables and kernels' own memory included; None where
        it is not known.
    scores : int
        Bytes of the scores themselves.
    """

    arrays: int
    process: int | None
    scores: int


def measured(scores: ScoreSet, method: str | None, stored: Path) -> Memory:
    """Decode the scores in this process and, from the file `stored`, in a fresh one."""
    batch = scores.model().batch(scores.unary, scores.lengths)
    gl.solve_many(batch[:1], method)
    tracemalloc.start()
    try:
        gl.solve_many(batch, method)
        _, arrays = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return Memory(arrays, in_new_process(high_water_rise, stored, method), scores.unary.nbytes)


def high_water_rise(stored: Path, method: str | None) -> int | None:
    """Measure the bytes by which decoding raises the peak memory of this process; None where it is unknown."""
    scores = ScoreSet.load(stored)
    first = scores.between(0, 1)
    # Another model: what is loaded on first use is not what decoding takes.
    gl.solve_many(first.model().batch(first.unary, first.lengths), method)
    batch = scores.model().batch(scores.unary, scores.lengths)
    float(np.max(batch.unary))
    before = high_water() if forget_high_water() else None  # reading the file has left a mark, too
    gl.solve_many(batch, method)
    after = high_water()
    return None if before is None or after is None else after - before
