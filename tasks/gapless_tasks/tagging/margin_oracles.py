"""The paper's table 2 A: oracles that look for another labelling within the margin of the gold one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.cli import Console
from gapless_chains import ChainBatch, MarginViolations, margin_violation
from gapless_tasks.tagging.measuring import cpu_seconds
from gapless_tasks.tagging.paper import Row

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
