"""The tagging jobs: ``gapless run pos-tagging`` and ``gapless run joint-tagging``."""

from __future__ import annotations

from pathlib import Path

from gapless_models.tagging.readers import embedded_corpus, embedded_entities
from gapless_tasks.tagging import paper
from gapless_tasks.tagging.corpus import CorpusSource
from gapless_tasks.tagging.job import TaggingJob

POS_TAGGING = TaggingJob(
    "pos-tagging", CorpusSource(Path("tagging", "wsj_pos"), embedded_corpus), paper.POS, epochs=8, shuffles=4
)
JOINT_TAGGING = TaggingJob(
    "joint-tagging",
    CorpusSource(Path("tagging", "ewt_pos_ner"), embedded_entities, ("xpos", "ner")),
    paper.JOINT,
    epochs=8,
    shuffles=1,
    min_count=2,
)
