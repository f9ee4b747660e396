"""ROUGE of generated titles, by the library `rouge-score`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec

import numpy as np

from gapless_models.titles.content_words import CLITICS, folded, is_word

KINDS = ("rouge1", "rougeL")
MISSING = "ROUGE needs rouge-score: pip install 'gapless[tasks]'"


def can_score() -> bool:
    """Return whether the library is installed."""
    return find_spec("rouge_score") is not None


def scored_words(tokens: Iterable[str]) -> list[str]:
    """List the words to compare: auxiliary ones included, without clitics and punctuation."""
    return [word for word in map(folded, tokens) if is_word(word) and word not in CLITICS]


def rouge(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Mapping[str, float] | None:
    """Compute mean F measures over (true title, found title), words stemmed; None without pairs or library."""
    if not pairs or not can_score():
        return None
    from rouge_score import rouge_scorer  # noqa: PLC0415  slow to load

    scorer = rouge_scorer.RougeScorer(list(KINDS), use_stemmer=True)
    scores = [
        scorer.score(" ".join(scored_words(true)), " ".join(scored_words(predicted))) for true, predicted in pairs
    ]
    return {kind: float(np.mean([score[kind].fmeasure for score in scores])) for kind in KINDS}
