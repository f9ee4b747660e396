"""A parser for text: a tagger, the trees and their relations, in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.learn import DamagedFile, read_archive, write_archive
from gapless_dependency import ParsingProblem
from gapless_models.parsing.parser_model import KIND, ParserModel
from gapless_models.parsing.sentence import Sentence
from gapless_models.tagging.tagger import BOTH, UPOS, XPOS, ChainTagger
from gapless_models.text.relations import RelationModel
from gapless_models.text.sentence import TextSentence

TAGGER, RELATIONS = "tagger", "relations"
MOST_WORDS = 200
"""A longer sentence is parsed by arcs alone: the parts of higher order grow with the third power of its length."""
Arrays = Mapping[str, np.ndarray[Any, Any]]


def both(label: str) -> tuple[str, str]:
    """Split a label for both columns into UPOS and XPOS; XPOS may contain the separator."""
    upos, _, xpos = label.partition("|")
    return upos, xpos


@attrs.frozen(eq=False)
class TextParser:
    """Parser with the models that raw text needs.

    Parameters
    ----------
    parser : ParserModel
    tagger : ChainTagger or None
        Its column is what the parser reads; None: the parser takes text with tags only, XPOS before UPOS.
    relations : RelationModel or None
        None: trees without relations.
    """

    parser: ParserModel
    tagger: ChainTagger | None = None
    relations: RelationModel | None = None

    @property
    def column(self) -> str:
        """The columns that the parser reads: one of `gapless_models.tagging.tagger.COLUMNS`."""
        return BOTH if self.tagger is None else self.tagger.column

    def tagged(self, sentence: TextSentence) -> Sentence | None:
        """Return the sentence with the tags that came with it; None where the parser needs tags that it lacks."""
        return with_tags(sentence.words, self.column, sentence.upos, sentence.xpos, strict=self.tagger is not None)

    def require_tagger(self) -> ChainTagger:
        """Return the tagger.

        Raises
        ------
        InvalidProblem
            There is none.
        """
        if self.tagger is None:
            raise InvalidProblem(
                "the model has no tagger, and the text no tags: give CoNLL-U with tags, or a parser that "
                "`gapless train parser` made"
            )
        return self.tagger

    def with_labels(self, words: Sequence[str], labels: Sequence[str]) -> Sentence:
        """Add the labels of a tagger to the sentence."""
        pairs = [both(label) if self.column == BOTH else (label, label) for label in labels]
        upos, xpos = zip(*pairs, strict=True)
        labelled = with_tags(words, self.column, upos, xpos, strict=False)
        assert labelled is not None
        return labelled

    def tree_problem(self, sentence: Sentence) -> ParsingProblem:
        """Build the problem of parsing; a sentence of more than `MOST_WORDS` words is scored by its arcs alone."""
        return self.parser.problem(sentence, () if len(sentence) > MOST_WORDS else None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one npz file atomically, readable without pickle; `ParserModel.load` reads it, too."""
        arrays, metadata = self.parser.contents()
        for name, part in ((TAGGER, self.tagger), (RELATIONS, self.relations)):
            if part is not None:
                own, texts = part.contents()
                arrays |= {f"{name}.{key}": array for key, array in own.items()}
                metadata[name] = texts
        write_archive(path, KIND, arrays, metadata)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextParser:
        """Read a file of `save` or of `ParserModel.save`.

        Raises
        ------
        FileNotFoundError
        DamagedFile
            It is cut, altered, or no parser.
        InvalidProblem
            Trained with other templates than this version has.
        """
        arrays, metadata = read_archive(path, KIND)
        location = os.fspath(path)
        parser = ParserModel.of_contents(arrays, metadata, location)
        try:
            tagger = relations = None
            if TAGGER in metadata:
                tagger = ChainTagger.of_contents(_own(arrays, TAGGER), metadata[TAGGER])
            if RELATIONS in metadata:
                relations = RelationModel.of_contents(_own(arrays, RELATIONS), metadata[RELATIONS])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"{location}: no consistent parser ({type(error).__name__}: {error})") from error
        return cls(parser, tagger, relations)


def with_tags(
    words: Sequence[str], column: str, upos: Sequence[str], xpos: Sequence[str], *, strict: bool
) -> Sentence | None:
    """Build the sentence that a parser of these columns reads; None where a column is missing.

    Without `strict` one of two columns stands for the other, as in `read_conllu`.
    """
    if column == UPOS:
        fine = coarse = upos
    elif column == XPOS:
        fine, coarse = xpos, [tag[:2] for tag in xpos]
    else:
        if strict and not (upos and xpos):
            return None
        fine, coarse = xpos or upos, upos or [tag[:2] for tag in xpos]
    return Sentence(tuple(words), tuple(fine), tuple(coarse)) if fine else None


def _own(arrays: Arrays, name: str) -> dict[str, np.ndarray[Any, Any]]:
    return {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}
