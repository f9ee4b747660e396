"""Part-of-speech tagging with first-order chains: data, features, training, and the tagger."""

from gapless_models.tagging.readers import TaggedFileError, embedded_corpus, iter_tagged, read_tagged
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import ChainTagger, Decoder
from gapless_models.tagging.training import train

__all__ = [
    "ChainTagger",
    "Decoder",
    "TaggedFileError",
    "TaggedSentence",
    "embedded_corpus",
    "iter_tagged",
    "read_tagged",
    "train",
]
