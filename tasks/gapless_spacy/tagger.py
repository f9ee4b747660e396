"""``gapless_tagger``: parts of speech by an exact chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spacy.parts_of_speech import IDS
from spacy.scorer import Scorer
from spacy.tokens import Doc

import gapless as gl
from gapless_models.tagging.tagger import BOTH, XPOS, ChainTagger
from gapless_models.text import embedded_tagger
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import StepProof
from gapless_models.text.text_parser import both
from gapless_spacy.component import TrainedComponent, sentences

SPACE = ("SPACE", "_SP")
"""UPOS and tag of tokens that are spaces, as spaCy has them."""


class Tagger(TrainedComponent[ChainTagger]):
    """Component that sets ``token.pos`` or ``token.tag``, or both, as the model's column says."""

    file, kind = "tagger.npz", ChainTagger
    toy = "universal tags of short English sentences"
    trained_by = "`gapless train tagger`"

    def embedded(self) -> ChainTagger:
        """Load the tagger for English with universal tags."""
        return embedded_tagger()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels; none before the model was read, which spaCy's look at them must not start."""
        return () if self._loaded is None else self._loaded.labels

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Tag documents together."""
        pairs = [(doc, sentence) for doc in docs for sentence in sentences(doc)]
        problems = (
            self.loaded.batch([[doc[i].text for i in sentence.tokens] for doc, sentence in pairs]) if pairs else []
        )
        proofs: dict[int, list[tuple[int, int, StepProof | str]]] = {id(doc): [] for doc in docs}
        for (doc, sentence), problem, outcome in zip(pairs, problems, self.solved(problems), strict=True):
            failure = failure_of(outcome, "tags")
            if failure or isinstance(outcome, gl.SolveError):
                self.warn(doc, sentence.first, failure)
                proofs[id(doc)].append((sentence.first, sentence.end, "tags"))
                continue
            set_tags(
                doc, sentence.tokens, self.loaded.column, [self.loaded.labels[label] for label in outcome.best]
            )
            proofs[id(doc)].append((sentence.first, sentence.end, StepProof("tags", problem, outcome)))
        for doc in docs:
            mark_spaces(doc)
            self.keep(doc, proofs[id(doc)])

    def score(self, examples: Iterable[Any], **_: Any) -> dict[str, Any]:
        """Accuracy of the tags, for ``nlp.evaluate``."""
        listed = list(examples)
        return {**Scorer.score_token_attr(listed, "pos"), **Scorer.score_token_attr(listed, "tag")}


def set_tags(doc: Doc, tokens: Sequence[int], column: str, labels: Sequence[str]) -> None:
    """Set the tags of some tokens; a label that is no universal tag goes to ``token.tag``."""
    for i, label in zip(tokens, labels, strict=True):
        upos, xpos = both(label) if column == BOTH else ("", label) if column == XPOS else (label, "")
        if upos in IDS:
            doc[i].pos_ = upos
        elif upos:
            xpos = xpos or upos
        if xpos:
            doc[i].tag_ = xpos


def mark_spaces(doc: Doc) -> None:
    """Tag tokens that are spaces as spaCy does."""
    for token in doc:
        if token.is_space:
            token.pos_, token.tag_ = SPACE
