"""``gapless run joint-tagging``: part-of-speech and entity tags at once, over the product of both label sets."""

from __future__ import annotations

from pathlib import Path

from gapless_models.tagging.embedded import embedded_entities
from gapless_tasks.tagging import JOINT, CorpusSource, TaggingJob

TASK = TaggingJob(
    "joint-tagging",
    "Part-of-speech tags joined with entities: exact decoding over all combinations.",
    CorpusSource(Path("tagging", "ewt_pos_ner"), embedded_entities, ("xpos", "ner")),
    JOINT,
    epochs=8,
    shuffles=1,
    min_count=2,
).task()
