"""Tagging jobs: corpora, training, exact decoding with verification, the tables of the papers."""

from gapless_tasks.tagging.corpus import Corpus, CorpusSource
from gapless_tasks.tagging.job import TaggingJob
from gapless_tasks.tagging.paper import JOINT, POS

__all__ = ["JOINT", "POS", "Corpus", "CorpusSource", "TaggingJob"]
