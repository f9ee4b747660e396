"""``gapless_parser``: dependency trees and relations, each the best under the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.pipeline.dep_parser import parser_score
from spacy.tokens import Doc

from gapless_models.text import TextParser, embedded_parser
from gapless_models.text.parsing import Parsed, parse
from gapless_models.text.steps import Proof
from gapless_spacy.component import Sentence, TrainedComponent, sentences
from gapless_spacy.tagger import mark_spaces, set_tags

ROOT, SPACE = "ROOT", "dep"
"""spaCy's own names: for the root, and for spaces, which hang on the word before them."""


class Parser(TrainedComponent[TextParser]):
    """Sets heads, relations and sentences; tags, too, where the model needs tags that are not there."""

    file = "parser.npz"
    toy = "short English sentences; of web text it finds half of the heads"
    trained_by = "`gapless train parser`"

    def embedded(self) -> TextParser:
        """Short English sentences."""
        return embedded_parser()

    def load(self, path: Path) -> TextParser:
        """Read a parser, such as one of ``gapless train parser``."""
        return TextParser.load(path)

    def save(self, path: Path) -> None:
        """Write the parser."""
        self.loaded.save(path)

    @property
    def labels(self) -> tuple[str, ...]:
        """The relations; none before the model was read."""
        relations = None if self._loaded is None else self._loaded.relations
        return () if relations is None else relations.labels

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Parse documents together."""
        asked = [one for doc in docs for one in sentences(doc)]
        found, interrupted = parse(self.loaded, [one.text() for one in asked], self.solver)
        if interrupted:
            raise KeyboardInterrupt
        for doc in docs:
            mine = [(one, parsed) for one, parsed in zip(asked, found, strict=True) if one.doc is doc]
            self._annotate(doc, mine)

    def _annotate(self, doc: Doc, found: Sequence[tuple[Sentence, Parsed]]) -> None:
        heads, relations = np.arange(len(doc)), [ROOT] * len(doc)
        proofs: list[tuple[int, int, Proof | str]] = []
        for one, parsed in found:
            proofs += [(one.first, one.end, proof) for proof in parsed.proofs]
            if parsed.tags:
                set_tags(doc, one.tokens, self.loaded.column, parsed.tags)
            if parsed.failure:
                self.warn(doc, one.first, parsed.failure)
                if all(proof.result.solutions for proof in parsed.proofs):  # else the failed step is there
                    proofs.append((one.first, one.end, "tree"))
            places = one.tokens
            attached = parsed.heads or [
                0,
                *range(1, len(places)),
            ]  # or a chain: one sentence
            named = parsed.relations or [SPACE] * len(places)
            for place, head, relation in zip(places, attached, named, strict=True):
                heads[place] = places[head - 1] if head else place
                relations[place] = relation if head else ROOT
            for place in sorted(set(range(one.first, one.end)).difference(places)):
                near = [word for word in places if word < place]
                heads[place], relations[place] = near[-1] if near else places[0], SPACE
        if len(doc):
            mark_spaces(doc)
            offsets = (heads - np.arange(len(doc))).astype(np.int64)
            names = [doc.vocab.strings.add(relation) for relation in relations]
            doc.from_array([HEAD, DEP], np.column_stack([offsets.astype(np.uint64), np.array(names, np.uint64)]))
        self.keep(doc, proofs)

    def score(self, examples: Iterable[Any], **options: Any) -> dict[str, Any]:
        """Accuracy of heads and relations, for ``nlp.evaluate``."""
        scores: dict[str, Any] = parser_score(examples, **options)
        return scores
