"""The models that come with gapless: trained on the embedded corpora when they are first asked for, in a second."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from gapless_models.parsing.conllu_reader import read_entries
from gapless_models.parsing.training import Options
from gapless_models.tagging.readers import embedded_corpus
from gapless_models.tagging.tagger import UPOS, ChainTagger
from gapless_models.text.reader import of_entry
from gapless_models.text.sentence import TextSentence
from gapless_models.text.text_parser import TextParser
from gapless_models.text.training import train_parser, train_tagger

FAMILIES = ("grandchild",)
BITS = 18


@cache
def embedded_tagger() -> ChainTagger:
    """Load a tagger for English: the 17 universal tags, from the training parts of the embedded corpora."""
    tagged = [TextSentence("", sentence.words, sentence.labels) for sentence in embedded_corpus("train")]
    return train_tagger([*tagged, *_trees("train")], UPOS)


@cache
def embedded_parser() -> TextParser:
    """Load a parser for English that scores arcs and grandchildren, with the embedded tagger."""
    options = Options(families=FAMILIES, max_heads=None, bits=BITS)
    return train_parser(_trees("train"), dev=_trees("dev"), column=UPOS, options=options, tagger=embedded_tagger())


def _trees(part: str) -> list[TextSentence]:
    with as_file(files("gapless_models.parsing") / "data" / f"{part}.conllu") as path:
        return [of_entry(entry, f"{path.name}, sentence {i}") for i, entry in enumerate(read_entries(path), 1)]
