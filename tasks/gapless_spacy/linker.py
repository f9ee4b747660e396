"""``gapless_linker``: the names of concepts, each linked to the one that lies closest to the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc, Span

import gapless as gl
from gapless_models.linking.concepts import Concepts
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import StepProof
from gapless_spacy.component import TrainedComponent

GROUP = "gapless_linker"
LABEL = "CONCEPT"
"""Of a link that is no entity of the document yet."""


class Linker(TrainedComponent[Concepts]):
    """Component that fills ``doc.spans["gapless_linker"]`` with spans whose ``kb_id_`` is a concept.

    Those that are entities already get the concept, too, and those that overlap none become entities.
    """

    file = "concepts.tsv"
    toy = "300 concepts, so that most names are unknown or mean something else"
    trained_by = "a file of concepts (see `gapless link --model`)"

    def embedded(self) -> Concepts:
        """Load the 300 embedded concepts, written for this project."""
        return Concepts.embedded()

    def load(self, path: Path) -> Concepts:
        """Read concepts."""
        return Concepts.read(path)

    def save(self, path: Path) -> None:
        """Write the concepts."""
        self.loaded.write(path)

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Link documents together; each is one problem."""
        words = [[token.text for token in doc] for doc in docs]
        mentions = [self.loaded.mentions(tokens) for tokens in words]
        linkable = [i for i, concepts in enumerate(mentions) if concepts]
        problems = [self.loaded.problem(words[i], mentions[i]) for i in linkable]
        outcomes = dict(zip(linkable, zip(problems, self.solved(problems), strict=True), strict=True))
        for i, doc in enumerate(docs):
            spans: list[Span] = []
            proofs: list[tuple[int, int, StepProof | str]] = []
            if i in outcomes:
                problem, outcome = outcomes[i]
                failure = failure_of(outcome, "links")
                if failure or isinstance(outcome, gl.SolveError):
                    self.warn(doc, 0, failure)
                    proofs = [(0, len(doc), "links")]
                else:
                    proofs = [(0, len(doc), StepProof("links", problem, outcome))]
                    titles = [self.loaded.knowledge.titles[vertex] for vertex in outcome.best]
                    spans = [
                        Span(doc, mention.first, mention.end, LABEL, kb_id=title)
                        for mention, title in zip(mentions[i], titles, strict=True)
                    ]
            doc.spans[GROUP] = spans
            _set_entities(doc, spans)
            self.keep(doc, proofs)


def _set_entities(doc: Doc, spans: Sequence[Span]) -> None:
    known = {(span.start, span.end): span for span in doc.ents}
    taken = {i for span in doc.ents for i in range(span.start, span.end)}
    for span in spans:
        extent = span.start, span.end
        if extent in known:
            known[extent] = Span(doc, *extent, known[extent].label_, kb_id=span.kb_id_)
        elif not taken.intersection(range(*extent)):
            known[extent] = span
    if spans:
        doc.ents = tuple(known.values())
