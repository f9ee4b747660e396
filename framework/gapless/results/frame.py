"""Results of many problems as a pandas or polars table with a row for each."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gapless.arrays.spelling_hint import spelling_hint
from gapless.errors import MissingDependency, UnknownOption
from gapless.limits.limits import Stop
from gapless.results.result import NoSolution, Status

BACKENDS = "pandas", "polars"


def framed(columns: Callable[[], dict[str, Any]], backend: str | None) -> Any:
    """Make a data frame of `columns()`; see `BatchResult.to_frame`."""
    if backend is not None and backend not in BACKENDS:
        raise UnknownOption(
            f"backend is {backend!r}, expected 'pandas' or 'polars'{spelling_hint(backend, BACKENDS)}"
        )
    candidates = BACKENDS if backend is None else (backend,)
    installed = next((name for name in candidates if importlib.util.find_spec(name) is not None), None)
    # Before `columns` is called, which may build every result.
    if installed is None:
        raise MissingDependency(f"to_frame() needs {' or '.join(candidates)}: pip install {candidates[0]}")
    return importlib.import_module(installed).DataFrame(columns())


def columns_of(batch: Any, stats: bool) -> dict[str, Any]:
    """Make the columns of `BatchResult.to_frame`; `batch` is a `BatchResult`, whose module imports this one."""
    count = len(batch)
    columns: dict[str, Any] = {
        "problem": np.arange(count),
        "status": [status.value if status is not None else None for status in batch.statuses],
        "value": batch.values,
        "bound": batch.bounds,
        "proved": np.array([status in (Status.OPTIMAL, Status.INFEASIBLE) for status in batch.statuses], bool),
    }
    if stats:
        rows = [_stats(batch, i) for i in range(count)]
        kinds = {"stop": None, "gap": float, "seconds": float, "nodes": int, "iterations": int, "certified": bool}
        # An empty batch still has all columns, with their types.
        by_name = zip({**kinds, "method": None}.items(), zip(*rows, strict=True) if rows else [()] * 7, strict=True)
        columns |= {name: list(data) if kind is None else np.array(data, kind) for (name, kind), data in by_name}
    columns["error"] = [str(batch.errors[i]) if i in batch.errors else None for i in range(count)]
    # Last, so that an array of the method never replaces a column above.
    extra = {name: array for name, array in batch.arrays.items() if array.shape == (count,)}
    return {**columns, **{n: a for n, a in extra.items() if n not in columns}}


def _stats(batch: Any, i: int) -> tuple[str, float, float, int, int, bool, str]:
    try:
        result = batch[i]
    except NoSolution:
        stop = Stop.ERROR if i in batch.errors else Stop.INTERRUPTED
        return stop.value, math.inf, math.nan, 0, 0, False, ""
    stats = result.stats
    effort = stats.seconds, stats.nodes, stats.iterations
    return result.stop.value, result.gap, *effort, result.certified, result.method
