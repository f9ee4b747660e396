"""Memory that decoding takes beyond the scores."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import tracemalloc
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from benchmarks.chains.score_set import ScoreSet

_FORGET_THE_MARK = "5"


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
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=fresh) as pool:
        process = pool.submit(high_water_rise, stored, method).result()
    return Memory(arrays, process, scores.unary.nbytes)


def high_water_rise(stored: Path, method: str | None) -> int | None:
    """Bytes by which decoding raises the most memory that this process holds; None where Linux does not tell."""
    scores = ScoreSet.load(stored)
    first = scores.between(0, 1)
    # Another model: what is loaded on first use is not what decoding takes.
    gl.solve_many(first.model().batch(first.unary, first.lengths), method)
    batch = scores.model().batch(scores.unary, scores.lengths)
    float(np.max(batch.unary))
    try:
        # Not getrusage, whose mark is the parent process's when that is larger. Reading the file has left one, too.
        Path("/proc/self/clear_refs").write_text(_FORGET_THE_MARK, "ascii")
        before = _high_water()
    except (OSError, StopIteration):
        return None
    gl.solve_many(batch, method)
    return _high_water() - before


def _high_water() -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
