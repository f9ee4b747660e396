"""Proofs of a document's annotations, kept as JSON data in the document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import attrs
from spacy.tokens import Doc

import gapless as gl
from gapless.arrays import serial
from gapless_models.text.steps import StepProof as Step

EXTENSION = "gapless"
"""Of `Doc`, and the key of ``doc.user_data``: plain data, so that documents can be stored and sent to processes."""


@attrs.frozen
class Proof:
    """Proof of one annotation of one sentence, as far as there is one.

    Parameters
    ----------
    component, step : str
        The name of the component in the pipeline, and the step: ``tags``, ``tree``, ``relations``, ``links``.
    first, end : int
        The tokens ``first`` to ``end - 1`` of the document.
    value : float
        Score of the annotation; a cost for links. NaN where nothing was found.
    bound : float
        No other annotation scores more (costs less).
    gap : float
        ``|bound - value|``; 0 where the annotation is proved to be the best one.
    proved : bool
        Whether there is an annotation, and it is proved to be the best one.
    record : str or None
        The record that ``gapless verify`` checks, as JSON; None without ``certificates``, and after an error.
    """

    component: str
    step: str
    first: int
    end: int
    value: float
    bound: float
    gap: float
    proved: bool
    record: str | None = attrs.field(default=None, repr=False)

    @property
    def certificate(self) -> Any:
        """The certificate.

        Raises
        ------
        InvalidResult
            It was not kept: the component has ``certificates = false``.
        """
        return self._record().result.certificate

    def verify(self) -> gl.Verdict:
        """Check the certificate without any solver, and that value and bound are its own.

        Errors as those of `certificate`.
        """
        record = self._record()
        claims = _claims(record.result)
        stated = {name: getattr(self, name) for name in claims}
        differing = [name for name in claims if repr(claims[name]) != repr(stated[name])]
        if differing:
            reason = f"the document says {stated[differing[0]]}, the record {claims[differing[0]]}"
            return gl.Verdict(False, reason, differing[0])
        return record.verify()

    def _record(self) -> gl.Record:
        if self.record is None:
            raise gl.InvalidResult(f"{self.component} kept no certificate: give it certificates=True in its config")
        record = serial.loads(self.record)
        assert isinstance(record, gl.Record)
        return record


@attrs.frozen
class Proofs(Sequence[Proof]):
    """Proofs of a document, sentence by sentence: ``doc._.gapless``.

    Parameters
    ----------
    listed : tuple of Proof
    """

    listed: tuple[Proof, ...]

    @overload
    def __getitem__(self, place: int) -> Proof: ...
    @overload
    def __getitem__(self, place: slice) -> Proofs: ...
    def __getitem__(self, place: int | slice) -> Proof | Proofs:
        return Proofs(self.listed[place]) if isinstance(place, slice) else self.listed[place]

    def __len__(self) -> int:
        return len(self.listed)

    def of(self, component: str, step: str | None = None) -> Proofs:
        """Select the proofs of one component, or of one of its steps."""
        return Proofs(tuple(p for p in self.listed if p.component == component and step in (None, p.step)))

    @property
    def value(self) -> float:
        """Sum of the values."""
        return sum(proof.value for proof in self.listed)

    @property
    def bound(self) -> float:
        """Sum of the bounds."""
        return sum(proof.bound for proof in self.listed)

    @property
    def gap(self) -> float:
        """Sum of the gaps."""
        return sum(proof.gap for proof in self.listed)

    @property
    def proved(self) -> bool:
        """Whether every annotation is proved to be the best one; False where there is none."""
        return bool(self.listed) and all(proof.proved for proof in self.listed)

    def verify(self) -> bool:
        """Return whether every sentence was annotated and its certificate holds; False where there is none.

        See `Proof.verify`.
        """
        return bool(self.listed) and all(not math.isnan(proof.value) and proof.verify() for proof in self.listed)

    def save(self, path: str) -> None:
        """Write the records to a ``.jsonl`` file, for ``gapless verify``; it appears when it is complete.

        Raises `InvalidResult`: there is none.
        """
        records = [proof.record for proof in self.listed if proof.record is not None]
        if not records:
            raise gl.InvalidResult("no certificate was kept: components keep them with certificates=True")
        serial.write_aside(path, "".join(record + "\n" for record in records))


def proofs_of(doc: Doc) -> Proofs:
    """Return the proofs that the document holds."""
    return Proofs(tuple(Proof(**data) for data in doc.user_data.get(EXTENSION, ())))


def keep(doc: Doc, component: str, found: Iterable[tuple[int, int, Step | str]], *, certificates: bool) -> None:
    """Store the proofs of a component in the document, replacing earlier ones.

    Parameters
    ----------
    found : iterable of (int, int, Step or str)
        The tokens of each sentence, and what was solved; the name of a step that failed.
    certificates : bool
        Whether the records are kept.
    """
    others = [data for data in doc.user_data.get(EXTENSION, ()) if data["component"] != component]
    doc.user_data[EXTENSION] = [*others, *_data(doc, component, found, certificates)]


def _data(
    doc: Doc, component: str, found: Iterable[tuple[int, int, Step | str]], certificates: bool
) -> Iterator[dict[str, Any]]:
    for first, end, step in found:
        location = {"component": component, "first": first, "end": end}
        if isinstance(step, str):
            yield {**location, "step": step, **_NOTHING, "record": None}
            continue
        record = None
        if certificates:
            words = [token.text for token in doc[first:end] if not token.is_space]
            name = f"tokens {first} to {end - 1}: {step.step}"
            record = serial.dumps(gl.Record(step.problem, step.result, name, words))
        yield {**location, "step": step.step, **_claims(step.result), "record": record}


_NOTHING = {"value": math.nan, "bound": math.nan, "gap": math.inf, "proved": False}


def _claims(result: gl.Result[Any]) -> dict[str, Any]:
    """Return what a document repeats of a result."""
    return {
        "value": float(result.value) if result.solutions else math.nan,
        "bound": float(result.bound),
        "gap": float(result.gap),
        "proved": result.proved and bool(result.solutions),
    }


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, getter=proofs_of)
