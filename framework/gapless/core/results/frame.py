"""The answers to many problems as one table, a row for each, for pandas or polars."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gapless.core.errors import MissingDependency, UnknownOption
from gapless.core.limits import Stop
from gapless.core.nearest import nearest
from gapless.core.result import NoSolution, Status

if TYPE_CHECKING:
    from gapless.core.batch_result import BatchResult

BACKENDS = "pandas", "polars"


def framed(columns: Callable[[], dict[str, Any]], backend: str | None) -> Any:
    """A data frame of `columns`, which are made once it is known that it can be; see `BatchResult.to_frame`."""
    if backend is not None and backend not in BACKENDS:
        raise UnknownOption(f"backend is {backend!r}, expected 'pandas' or 'polars'{nearest(backend, BACKENDS)}")
    wanted = BACKENDS if backend is None else (backend,)
    found = next((name for name in wanted if importlib.util.find_spec(name) is not None), None)
    if found is None:
        raise MissingDependency(f"to_frame() needs {' or '.join(wanted)}: pip install {wanted[0]}")
    return importlib.import_module(found).DataFrame(columns())


def columns_of(batch: BatchResult[Any], stats: bool) -> dict[str, Any]:
    """Columns of `BatchResult.to_frame`, each by its name."""
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
        told = zip({**kinds, "method": None}.items(), zip(*rows, strict=True) if rows else [()] * 7, strict=True)
        columns |= {name: list(held) if kind is None else np.array(held, kind) for (name, kind), held in told}
    columns["error"] = [str(batch.errors[i]) if i in batch.errors else None for i in range(count)]
    # Last, and never in the place of a column that has a meaning already.
    own = {name: array for name, array in batch.arrays.items() if array.shape == (count,)}
    return {**columns, **{name: array for name, array in own.items() if name not in columns}}


def _stats(batch: BatchResult[Any], i: int) -> tuple[str, float, float, int, int, bool, str]:
    try:
        result = batch[i]
    except NoSolution:
        stop = Stop.ERROR if i in batch.errors else Stop.INTERRUPTED
        return stop.value, math.inf, math.nan, 0, 0, False, ""
    stats = result.stats
    effort = stats.seconds, stats.nodes, stats.iterations
    return result.stop.value, result.gap, *effort, result.certified, result.method
