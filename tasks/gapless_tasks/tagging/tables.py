"""The paper's tables on our text: each row is measured, and printed beside the paper's number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import gapless as gl
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless.plugins import load_plugins
from gapless_chains import ChainBatch, ChainProblem
from gapless_models.solve_all import solve_all
from gapless_tasks.tagging.measuring import cpu_seconds
from gapless_tasks.tagging.paper import PaperTables, Row
from gapless_tasks.tagging.search_statistics import show_search_statistics

_REFERENCE = "viterbi"
REDUCED_COST_SENTENCES = 300
"""Sentences for table 2 B, which compares the readable role objects: they are slow."""


def show_tables(batch: ChainBatch, tables: PaperTables, console: Console) -> dict[str, Any]:
    """Measure and print tables 1 and 2 B; return them as JSON data."""
    decoders = _decoded(batch, tables.decoders, console)
    console.table(
        "Table 1: decoding (Belanger et al. 2012 in parentheses)",
        ("method", "% exact", "(paper)", "sentences/s", "(paper)", "mean gap %", "max gap %"),
        [
            (
                row["name"],
                f"{row['exact']:.1f}",
                _cited(row["paper_exact"]),
                f"{row['speed']:,.0f}",
                _cited(row["paper_speed"]),
                f"{row['mean_gap']:.3g}",
                f"{row['max_gap']:.3g}",
            )
            for row in decoders
        ],
    )
    few = batch[:REDUCED_COST_SENTENCES]
    reduced = _decoded(few, tables.reduced_costs, console)
    console.table(
        f"Table 2 B: reduced costs, role objects (NumPy) on {len(few)} sentences",
        ("method", "sentences/s", "(paper)"),
        [(row["name"], f"{row['speed']:,.0f}", _cited(row["paper_speed"])) for row in reduced],
    )
    return {"table1": decoders, "table2b": reduced, "search": show_search_statistics(batch, console)}


def _cited(number: float | None) -> str:
    return "" if number is None else f"({number:,g})"


def available(rows: Sequence[Row], console: Console) -> list[Row]:
    """Select the rows whose method is installed with their options; complain about the others."""
    registry = load_plugins().registry
    installed_rows = []
    for row in rows:
        try:
            registry.find_method(ChainProblem, row.method).check({**row.options, **row.gap_options}, 1, ())
            installed_rows.append(row)
        except (gl.UnknownName, gl.UnknownOption) as error:
            console.error(f"{row.name} is left out: {error}")
    return installed_rows


def _decoded(batch: ChainBatch, rows: Sequence[Row], console: Console) -> list[dict[str, Any]]:
    """Measure each row's share of exact answers and certified gaps, in percent, and its sentences a second."""
    installed_rows = available(rows, console)
    optimum = solve_all(batch, _REFERENCE).values

    def decode(row: Row, options: Mapping[str, Any]) -> gl.BatchResult[Any]:
        return solve_all(batch, row.method, limits=row.limits, **options)

    runs: dict[str, Callable[[], object]] = {row.name: partial(decode, row, row.options) for row in installed_rows}
    seconds = cpu_seconds(runs)
    table = []
    for row in installed_rows:
        decoded = decode(row, {**row.options, **row.gap_options})
        exact = [meets(best, value) for best, value in zip(optimum, decoded.values, strict=True)]
        gaps = np.maximum(decoded.bounds - decoded.values, 0.0) / np.maximum(1.0, np.abs(decoded.values))
        table.append(
            {
                "name": row.name,
                "exact": 100 * float(np.mean(exact)),
                "paper_exact": row.exact,
                "speed": len(batch) / seconds[row.name],
                "paper_speed": row.speed,
                "mean_gap": 100 * float(gaps.mean()),
                "max_gap": 100 * float(gaps.max()),
            }
        )
    return table
