"""Part-of-speech tagging with first-order chains: data, features, training, and the tagger."""

from gapless_tasks.tagging.embedded import embedded_corpus
from gapless_tasks.tagging.readers import TaggedFileError, iter_tagged, read_tagged
from gapless_tasks.tagging.sentence import TaggedSentence
from gapless_tasks.tagging.tagger import ChainTagger, Decoder
from gapless_tasks.tagging.training import EpochReport, train

__all__ = [
    "ChainTagger",
    "Decoder",
    "EpochReport",
    "TaggedFileError",
    "TaggedSentence",
    "embedded_corpus",
    "iter_tagged",
    "read_tagged",
    "train",
]
