"""Entry of several generators' results for one view into a master."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gapless.oracles.batch import Batch
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import LinearView, MasterView


def enter_batches(answers: Sequence[GeneratorResult], extend: Callable[[Batch], int]) -> tuple[int, list[Batch]]:
    """Extend a master; return the number of new columns and rows, and the batches that were entered.

    Batches that cannot enter together wait for the next round, in which their generators find them again. They
    enter now if nothing else was new.
    """
    batches, waiting = compatible(answers)
    added = sum(map(extend, batches))
    # A round that adds nothing counts as the last one of its node, so waiting rows must not be dropped
    # (decision 022).
    while waiting and not added:
        batches.append(waiting.pop(0))
        added = extend(batches[-1])
    return added, batches


def compatible(answers: Sequence[GeneratorResult]) -> tuple[list[Batch], list[Batch]]:
    """Split the batches into those that may enter together and the others.

    A generator cannot give its columns entries in non-robust rows (rows over columns) that another generator
    returns in the same round, and such a row without the entries of a column may cut off the optimum. So if
    both kinds occur, the columns go first; if a batch has columns and non-robust rows, only the first batch
    with columns goes. Robust rows (over quantities) derive all their entries and may enter together with any
    batch.
    """
    batches = [a.batch for a in answers if len(a.batch)]
    # Batches are compared by identity: two generators may return equal batches, and each still counts.
    pricing = [b for b in batches if len(b.columns)]
    incomplete = [b for b in batches if len(b.rows) and not b.rows.over_quantities.all()]
    if not (pricing and incomplete) or all(b is p for b in incomplete for p in pricing):
        return batches, []
    first = pricing[:1] if any(b is p for b in incomplete for p in pricing) else pricing
    now = [b for b in batches if any(b is f for f in first) or not (_in(b, pricing) or _in(b, incomplete))]
    return now, [b for b in batches if not _in(b, now)]


def _in(batch: Batch, batches: Sequence[Batch]) -> bool:
    return any(batch is other for other in batches)


def no_progress_message(
    generators: Sequence[Generator[Any]], answers: Sequence[GeneratorResult], view: MasterView
) -> str:
    """Write the message for a round in which nothing was new and no finite pricing gap was claimed."""
    names = [type(g).__name__ for g, a in zip(generators, answers, strict=True) if a.pricing_gap is None]
    finding = f"{' and '.join(names) or 'the generators'} found nothing new and claimed no finite pricing gap"
    columns = [description for answer in answers for description in _returned_columns(answer, view)]
    if not columns:
        return f"{finding}: {PRICING_GAP_ADVICE}"
    more = ", ..." if len(columns) > NAMED_COLUMNS else ""
    return (
        f"{finding}; the master has all columns that were returned ({', '.join(columns[:NAMED_COLUMNS])}{more}), "
        "and its bound counts them: one of positive reduced cost is at its upper bound, or is another column under "
        "a used key. Leave out the columns that view.column_keys lists, and find a pricing gap for those that the "
        f"master lacks: {PRICING_GAP_ADVICE}"
    )


PRICING_GAP_ADVICE = (
    "finding nothing proves nothing. The pricing gap is an upper bound on what all missing columns add to the "
    "optimum: view.lagrangian and view.farley derive it from an upper bound on their reduced costs that the search "
    "has proved. A generator that only separates rows states pricing_gap=0.0"
)
"""Advice for a generator that claims no pricing gap."""


NAMED_COLUMNS = 5
"""Number of columns that a message names."""


def _returned_columns(answer: GeneratorResult, view: MasterView) -> list[str]:
    """Describe each column that was returned, with its reduced cost."""
    keys = answer.batch.columns.keys.tolist()
    if not isinstance(view, LinearView):
        return [f"column {key}" for key in keys]
    reduced_costs = view.reduced_costs(answer.batch.columns).tolist()
    return [f"column {key}, reduced cost {value:.6g}" for key, value in zip(keys, reduced_costs, strict=True)]
