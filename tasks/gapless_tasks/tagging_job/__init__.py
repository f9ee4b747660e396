"""What the tagging tasks share: corpora, training, exact decoding with verification, the paper's tables."""

from gapless_tasks.tagging_job.corpus import Corpus, CorpusSource
from gapless_tasks.tagging_job.job import TaggingJob
from gapless_tasks.tagging_job.paper import JOINT, POS

__all__ = ["JOINT", "POS", "Corpus", "CorpusSource", "TaggingJob"]
