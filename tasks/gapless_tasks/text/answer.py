"""Answers for a sentence, in every form in which they are given out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from gapless_models.text.steps import StepProof


@attrs.frozen
class TextAnswer:
    """The answer for a sentence, or for a text of several.

    Parameters
    ----------
    location : str
        File and line.
    words : sequence of str
    document : dict
        JSON data.
    text, conllu : str
        For people; as CoNLL-U, with a blank line after each sentence.
    proofs : sequence of Proof
    failure : str
        The reason why there is less than was asked for; else empty.
    """

    location: str
    words: Sequence[str]
    document: dict[str, Any]
    text: str
    conllu: str
    proofs: Sequence[StepProof]
    failure: str = ""

    @property
    def proved(self) -> bool:
        """Whether every step is proved to be the best one."""
        return not self.failure and all(proof.result.proved for proof in self.proofs)

    def whole_document(self) -> dict[str, Any]:
        """Build the JSON data with location, words and proofs."""
        proofs = {proof.step: proof.document() for proof in self.proofs}
        failure = {"failure": self.failure} if self.failure else {}
        return {"location": self.location, "words": list(self.words), **self.document, "proofs": proofs, **failure}
