"""Proofs of a document's annotations, kept as JSON data in the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import attrs
from spacy.tokens import Doc

import gapless as gl
from gapless.core import serial
from gapless_models.text.steps import Proof as Step

EXTENSION = "gapless"
"""Of `Doc`, and the key of ``doc.user_data``: plain data, so that documents can be stored and sent to processes."""


@attrs.frozen
class Proof:
    """The proof of one annotation of one sentence, as far as there is one.

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
    record : str or None
        The record that ``gapless verify`` checks, as JSON; None without ``certificates``.
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
        """Check the certificate without any solver; errors as those of `certificate`."""
        return self._record().verify()

    def _record(self) -> gl.Record:
        if self.record is None:
            raise gl.InvalidResult(f"{self.component} kept no certificate: give it certificates=True in its config")
        found = serial.loads(self.record)
        assert isinstance(found, gl.Record)
        return found


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
        """Those of one component, or of one of its steps."""
        return Proofs(tuple(p for p in self.listed if p.component == component and step in (None, p.step)))

    @property
    def value(self) -> float:
        """The sum of the values."""
        return sum(proof.value for proof in self.listed)

    @property
    def bound(self) -> float:
        """The sum of the bounds."""
        return sum(proof.bound for proof in self.listed)

    @property
    def gap(self) -> float:
        """The sum of the gaps."""
        return sum(proof.gap for proof in self.listed)

    @property
    def proved(self) -> bool:
        """Whether every annotation is proved to be the best one."""
        return all(proof.proved for proof in self.listed)

    def verify(self) -> bool:
        """Whether every certificate holds; see `Proof.verify`."""
        return all(proof.verify() for proof in self.listed)

    def save(self, path: str) -> None:
        """Write the records to a ``.jsonl`` file, for ``gapless verify``; it appears when it is complete."""
        records = [proof.record for proof in self.listed if proof.record is not None]
        serial.write_aside(path, "".join(record + "\n" for record in records))


def proofs_of(doc: Doc) -> Proofs:
    """The proofs that the document holds."""
    return Proofs(tuple(Proof(**data) for data in doc.user_data.get(EXTENSION, ())))


def keep(doc: Doc, component: str, found: Iterable[tuple[int, int, Step]], *, certificates: bool) -> None:
    """Put the proofs of a component into the document, in place of earlier ones.

    Parameters
    ----------
    found : iterable of (int, int, Step)
        The tokens of each sentence, and what was solved.
    certificates : bool
        Whether the records are kept.
    """
    others = [data for data in doc.user_data.get(EXTENSION, ()) if data["component"] != component]
    doc.user_data[EXTENSION] = [*others, *_data(doc, component, found, certificates)]


def _data(
    doc: Doc, component: str, found: Iterable[tuple[int, int, Step]], certificates: bool
) -> Iterator[dict[str, Any]]:
    for first, end, step in found:
        result, record = step.result, None
        if certificates:
            words = [token.text for token in doc[first:end] if not token.is_space]
            name = f"tokens {first} to {end - 1}: {step.step}"
            record = serial.dumps(gl.Record(step.problem, result, name, words))
        yield {
            "component": component,
            "step": step.step,
            "first": first,
            "end": end,
            "value": float(result.value) if result.solutions else float("nan"),
            "bound": float(result.bound),
            "gap": float(result.gap),
            "proved": result.proved,
            "record": record,
        }


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, getter=proofs_of)
