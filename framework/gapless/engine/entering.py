"""Entry of the answers of several generators to one view into a master."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gapless.core.batch import Batch
from gapless.core.oracle import Answer, Generator, LinearView, View


def enter(answers: Sequence[Answer], extend: Callable[[Batch], int]) -> tuple[int, list[Batch]]:
    """Extend a master; return how many columns and rows were new, and the batches that were tried.

    What cannot enter together waits for the next round, where its generator finds it again. When nothing else was
    new, it enters at once.
    """
    batches, waiting = compatible(answers)
    added = sum(map(extend, batches))
    while waiting and not added:
        batches.append(waiting.pop(0))
        added = extend(batches[-1])
    return added, batches


def compatible(answers: Sequence[Answer]) -> tuple[list[Batch], list[Batch]]:
    """The batches that may enter together, and the others.

    Columns of one generator can have no entries in rows over columns that another returns in the same round, and
    such a row without the entries of a column may cut off the optimum. So where both meet, columns go first; of
    several batches that bring columns while one brings such rows as well, only the first goes. Rows over quantities
    are complete by themselves and meet anything.
    """
    batches = [a.batch for a in answers if len(a.batch)]
    pricing = [b for b in batches if len(b.columns)]
    incomplete = [b for b in batches if len(b.rows) and not b.rows.over_quantities.all()]
    if not (pricing and incomplete) or all(b is p for b in incomplete for p in pricing):
        return batches, []
    first = pricing[:1] if any(b is p for b in incomplete for p in pricing) else pricing
    now = [b for b in batches if any(b is f for f in first) or not (_in(b, pricing) or _in(b, incomplete))]
    return now, [b for b in batches if not _in(b, now)]


def _in(batch: Batch, batches: Sequence[Batch]) -> bool:
    return any(batch is other for other in batches)


def silent(generators: Sequence[Generator[Any]], answers: Sequence[Answer], view: View) -> str:
    """The sentence for a round in which nothing was new and no finite slack was claimed."""
    names = [type(g).__name__ for g, a in zip(generators, answers, strict=True) if a.slack is None]
    said = f"{' and '.join(names) or 'the generators'} found nothing new and claimed no finite slack"
    known = [gain for answer in answers for gain in _known(answer, view)]
    if not known:
        return f"{said}: {OWED}"
    more = ", ..." if len(known) > MOST_NAMED else ""
    return (
        f"{said}; the master has all columns that came ({', '.join(known[:MOST_NAMED])}{more}), and its bound "
        "counts them: a column that gains there is at its upper bound, or is another one under a used key. Leave "
        f"out what view.column_keys lists, and find a slack for the columns that the master lacks: {OWED}"
    )


OWED = (
    "finding nothing proves nothing. The slack is an upper bound on what all missing columns add to the optimum: "
    "view.lagrangian and view.farley derive it from an upper bound on their gains that the search has proved. "
    "A generator that only separates rows states slack=0.0"
)
"""Advice for a generator that claims no slack."""


MOST_NAMED = 5
"""Number of columns that a message names."""


def _known(answer: Answer, view: View) -> list[str]:
    """Each column that was returned, and what it gains."""
    keys = answer.batch.columns.keys.tolist()
    if not isinstance(view, LinearView):
        return [f"column {key}" for key in keys]
    gains = view.gain(answer.batch.columns).tolist()
    return [f"column {key} gains {gain:.6g}" for key, gain in zip(keys, gains, strict=True)]
