"""The paper's tables on our text, each row beside the paper's number, and statistics of column generation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless.column_generation import price_and_cut
from gapless.plugins import load_plugins
from gapless.roles import Fixings, SolveBudget
from gapless_chains import (
    ChainBatch,
    ChainProblem,
    DomainMessages,
    MarginViolations,
    ReducedCostOracle,
    margin_violation,
)
from gapless_models.solve_all import solve_all
from gapless_tasks.tagging.measuring import cpu_seconds
from gapless_tasks.tagging.paper import PaperTables, Row

SENTENCES = 500
"""Sentences for the readable role objects, which count more than the batch kernel and are slower."""


def show_search_statistics(batch: ChainBatch, console: Console) -> dict[str, float]:
    """Decode the first sentences by the role objects of column generation, print their counts."""
    count = min(SENTENCES, len(batch))
    searches = [_searched(batch[i]) for i in range(count)]
    sizes = np.concatenate([domains for domains, _, _ in searches])
    rounds = np.array([made for _, made, _ in searches])
    edges = sum(made * max(1, domains.size - 1) for domains, made, _ in searches)
    statistics = (
        ("domain_of_one", 100 * (sizes == 1).mean(), "words with one label in the domain, %", "(over 90)"),
        ("domain_of_three", 100 * (sizes <= 3).mean(), "words with three labels or fewer, %", "(over 99)"),
        ("mean_domain", sizes.mean(), "labels in a domain, mean over words", ""),
        ("one_round", 100 * (rounds <= 1).mean(), "sentences done in one round, %", "(22)"),
        ("three_rounds", 100 * (rounds <= 3).mean(), "sentences done in three rounds or fewer, %", "(100)"),
        ("mean_rounds", rounds.mean(), "rounds, mean", ""),
        (
            "candidates",
            sum(search[2] for search in searches) / edges,
            "candidate pairs an edge and round, mean",
            "",
        ),
    )
    # On the right the numbers of Belanger et al. 2012 for part-of-speech tags (section 7).
    console.table(
        f"Column generation on the first {count} sentences (role objects; scores as they are, greedy start)",
        ("statistic", "ours", "(paper, tags)"),
        [(text, f"{value:.2f}", remark) for _, value, text, remark in statistics],
    )
    return {"sentences": float(count), **{key: float(value) for key, value, _, _ in statistics}}


def _searched(problem: ChainProblem) -> tuple[NDArray[np.int64], int, int]:
    """Measure domain sizes (n,), rounds and candidates of one sentence."""
    messages, oracle, budget = DomainMessages(problem), ReducedCostOracle(problem), SolveBudget()
    price_and_cut(messages, [oracle], problem.decisions, Fixings.none(problem.decisions.count), budget)
    return messages.view().domains.sum(axis=1), budget.iterations, oracle.candidates


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


Labels = NDArray[np.int64]

ROUNDS = 3


def show_margin_oracles(
    batch: ChainBatch, gold: Sequence[Labels], rows: Sequence[Row], console: Console, *, margin: float, model: str
) -> list[dict[str, Any]]:
    """Query each oracle about every sentence whose gold labels the model has; print the table, return JSON data.

    Complains if the oracles find different numbers of violations, see `agree`.

    Parameters
    ----------
    gold : sequence of int64 (n,)
        -1 for a label that the model does not have.
    model : str
        The training of the model, for the caption.
    """
    known = [i for i, labels in enumerate(gold) if (labels >= 0).all()]
    subset = batch.model.batch_of([batch.rows(i) for i in known])
    answers = np.concatenate([gold[i] for i in known]) if known else np.empty(0, np.int64)

    def ask(method: str) -> MarginViolations:
        return margin_violation(subset, answers, margin, method=method)

    seconds = cpu_seconds({row.name: partial(ask, row.method) for row in rows}, ROUNDS)
    document: list[dict[str, Any]] = [
        {
            "name": row.name,
            "speed": len(subset) / seconds[row.name],
            "paper_speed": row.speed,
            "violated": int(ask(row.method).found.sum()),
        }
        for row in rows
    ]
    console.table(
        f"Table 2 A: oracles for 0/1 loss, margin {margin:g}, {len(subset)} sentences; {model}",
        ("method", "sentences/s", "(paper)", "violations", "violated %"),
        [
            (
                o["name"],
                f"{o['speed']:,.0f}",
                "" if o["paper_speed"] is None else f"({o['paper_speed']:,g})",
                o["violated"],
                round(100 * o["violated"] / max(1, len(subset)), 1),
            )
            for o in document
        ],
    )
    if not agree(document):
        counts = ", ".join(f"{o['name']} {o['violated']}" for o in document)
        console.error(f"the margin oracles disagree on the number of violations: {counts}")
    return document


def agree(oracles: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether all oracles, as JSON data, found the same number of violations."""
    return len({oracle["violated"] for oracle in oracles}) <= 1
