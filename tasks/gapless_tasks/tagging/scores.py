"""A tagger's questions about a text as one batch of contiguous rows, and the answers that were hoped for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.runs import Fingerprint
from gapless_chains import ChainBatch
from gapless_models.tagging import TaggedSentence
from gapless_models.tagging.tagger import Tagger

UNSEEN = -1
"""Number of a gold label that the model does not have: never predicted, always an error."""


def fingerprint(batch: ChainBatch, name: str) -> Fingerprint:
    """Compute a digest of sentences and model: a run continues only with the same ones."""
    model = batch.model
    ends = (model.transition, model.initial, model.final, model.labels)
    return Fingerprint.of(name, [ends, *(batch.rows(i) for i in range(len(batch)))])


def gold_numbers(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> list[NDArray[np.int64]]:
    """Number each sentence's gold labels; `UNSEEN` for a label that the tagger does not have."""
    number = {label: i for i, label in enumerate(tagger.labels)}
    return [np.array([number.get(label, UNSEEN) for label in s.labels], np.int64) for s in sentences]
