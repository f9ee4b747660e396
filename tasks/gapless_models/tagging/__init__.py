"""Part-of-speech tagging with first-order chains: data, features, training, and the tagger."""

from gapless_models.tagging.embedded import embedded_corpus
from gapless_models.tagging.readers import TaggedFileError, iter_tagged, read_tagged
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import ChainTagger, Decoder
from gapless_models.tagging.training import EpochReport, train

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
