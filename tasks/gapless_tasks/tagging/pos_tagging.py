"""``gapless run pos-tagging``: part-of-speech tags."""

from __future__ import annotations

from pathlib import Path

from gapless_models.tagging import embedded_corpus
from gapless_tasks.tagging import POS, CorpusSource, TaggingJob

TASK = TaggingJob(
    "pos-tagging",
    "Part-of-speech tagging: exact decoding of a chain model.",
    CorpusSource(Path("tagging", "wsj_pos"), embedded_corpus),
    POS,
    epochs=8,
    shuffles=4,
).task()
