"""A tagger's questions about a text as one batch of contiguous rows, and the answers that were hoped for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.runs import Fingerprint
from gapless_chains import ChainBatch, ChainModel
from gapless_models.tagging import TaggedSentence
from gapless_models.tagging.tagger import Tagger

UNSEEN = -1
"""Number of a gold label that the model does not have: never predicted, always an error."""


def chain_batch(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> ChainBatch:
    """Scores of all sentences under a tagger: float32 rows, which the batch kernels read without a copy.

    Whatever is proved is proved for these rows, as they stand.
    """
    model = ChainModel(tagger.transition, initial=tagger.initial, final=tagger.final, labels=tagger.labels)
    rows = np.empty((sum(map(len, sentences)), len(tagger.labels)), np.float32)
    start = 0
    for sentence in sentences:
        rows[start : start + len(sentence)] = tagger.scores(sentence)
        start += len(sentence)
    return model.batch(rows, [len(sentence) for sentence in sentences])


def fingerprint(batch: ChainBatch, name: str) -> Fingerprint:
    """A digest of sentences and model: a run continues under the same ones only."""
    model = batch.model
    ends = (model.transition, model.initial, model.final, model.labels)
    return Fingerprint.of(name, [ends, *(batch.rows(i) for i in range(len(batch)))])


def gold_numbers(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> list[NDArray[np.int64]]:
    """The numbers of each sentence's gold labels, `UNSEEN` for a label that the tagger does not have."""
    number = {label: i for i, label in enumerate(tagger.labels)}
    return [np.array([number.get(label, UNSEEN) for label in s.labels], np.int64) for s in sentences]
