"""``gapless_parser``: dependency trees and relations, each the best under the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.pipeline.dep_parser import parser_score
from spacy.tokens import Doc

from gapless_models.text import TextParser, embedded_parser
from gapless_models.text.parsing import Parsed, parse
from gapless_models.text.steps import StepProof
from gapless_spacy.component import Sentence, TrainedComponent, sentences
from gapless_spacy.tagger import mark_spaces, set_tags

ROOT, SPACE = "ROOT", "dep"
"""spaCy's own names: for the root, and for spaces, which hang on the word before them."""


class Parser(TrainedComponent[TextParser]):
    """Component that sets heads, relations and sentences; tags, too, if the model needs them."""

    file, kind = "parser.npz", TextParser
    toy = "short English sentences; of web text it finds half of the heads"
    trained_by = "`gapless train parser`"

    def embedded(self) -> TextParser:
        """Load the parser of short English sentences."""
        return embedded_parser()

    @property
    def labels(self) -> tuple[str, ...]:
        """The relations; none before the model was read."""
        relations = None if self._loaded is None else self._loaded.relations
        return () if relations is None else relations.labels

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Parse documents together."""
        sentences_of_docs = [sentence for doc in docs for sentence in sentences(doc)]
        found, interrupted = parse(self.loaded, [sentence.text() for sentence in sentences_of_docs], self.solver)
        if interrupted:
            raise KeyboardInterrupt
        for doc in docs:
            mine = [
                (sentence, parsed)
                for sentence, parsed in zip(sentences_of_docs, found, strict=True)
                if sentence.doc is doc
            ]
            self._annotate(doc, mine)

    def _annotate(self, doc: Doc, found: Sequence[tuple[Sentence, Parsed]]) -> None:
        heads, relations = np.arange(len(doc)), [ROOT] * len(doc)
        proofs: list[tuple[int, int, StepProof | str]] = []
        for sentence, parsed in found:
            proofs += [(sentence.first, sentence.end, proof) for proof in parsed.proofs]
            if parsed.tags:
                set_tags(doc, sentence.tokens, self.loaded.column, parsed.tags)
            if parsed.failure:
                self.warn(doc, sentence.first, parsed.failure)
                if all(proof.result.solutions for proof in parsed.proofs):  # else the failed step is there
                    proofs.append((sentence.first, sentence.end, "tree"))
            places = sentence.tokens
            attached = parsed.heads or [0, *range(1, len(places))]  # or a chain: one sentence
            named = parsed.relations or [SPACE] * len(places)
            for index, head, relation in zip(places, attached, named, strict=True):
                heads[index] = places[head - 1] if head else index
                relations[index] = relation if head else ROOT
            for index in sorted(set(range(sentence.first, sentence.end)).difference(places)):
                near = [word for word in places if word < index]
                heads[index], relations[index] = near[-1] if near else places[0], SPACE
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
