"""Sentences in, answers out, as they come; Ctrl-C and bad lines keep what was done."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import attrs

import gapless as gl
from gapless.arrays import serial
from gapless.cli import Console, exit_codes
from gapless.cli.console import plain_data
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


U = TypeVar("U")
U_contra = TypeVar("U_contra", contravariant=True)

TEXT, CONLLU, JSON, JSONL = "text", "conllu", "json", "jsonl"
FORMATS = (TEXT, CONLLU, JSON, JSONL)
FIRST, MOST = 4, 256
"""Sentences of the first chunk, and at most: answers come early, and long inputs fast."""
UNFINISHED = ".part"


class Annotator(Protocol[U_contra]):
    """Interface of a command's work on sentences."""

    title: str

    def answers(self, units: Sequence[U_contra], first: int) -> Iterator[TextAnswer]:
        """Yield answers in the order of the sentences, whose numbers begin with `first`."""


@attrs.define
class AnswerTally:
    """Counts of the answers so far."""

    sentences: int = 0
    proved: int = 0
    failures: list[dict[str, str]] = attrs.field(factory=list)
    interrupted: bool = False

    def take(self, answer: TextAnswer) -> None:
        """Count an answer."""
        self.sentences += 1
        self.proved += answer.proved
        if answer.failure:
            self.failures.append({"location": answer.location, "reason": answer.failure})

    @property
    def exit_code(self) -> int:
        """Exit code: the first of these outcomes that any sentence had."""
        if self.interrupted:
            return exit_codes.INTERRUPTED
        if self.failures:
            return exit_codes.USAGE
        return exit_codes.PROVED if self.proved == self.sentences else exit_codes.STOPPED_EARLY


def annotate(
    units: Iterable[U],
    annotator: Annotator[U],
    console: Console,
    *,
    form: str,
    certificates: str | None,
    total: int | None,
    chunk_size: int = MOST,
    size: Callable[[U], int] = lambda unit: 1,
) -> int:
    """Answer every unit and write the answers; return the exit code.

    Parameters
    ----------
    units : iterable
        Sentences, or texts of several; read as they are needed.
    annotator : Annotator
    console : Console
        Standard output gets the answers, standard error progress and failures.
    form : {"text", "conllu", "json", "jsonl"}
    certificates : str or None
        A ``.jsonl`` file for the proofs.
    total : int or None
        The number of units, if it is known.
    chunk_size : int
        Most units in a chunk.
    size : callable
        Sentences of a unit.
    """
    tally, documents = AnswerTally(), list[dict[str, Any]]()
    console.as_json = form == JSON
    shown: dict[str, Callable[[TextAnswer], str]] = {
        TEXT: lambda answer: answer.text,
        CONLLU: lambda answer: answer.conllu.removesuffix("\n"),
        JSONL: lambda answer: json.dumps(plain_data(answer.whole_document()), ensure_ascii=False),
    }
    number = 1
    try:
        with kept_proofs(certificates, console) as keep, console.progress(annotator.title, total) as advance:
            try:
                for chunk in chunks(units, chunk_size):
                    for answer in annotator.answers(chunk, number):
                        keep(answer)  # first: Ctrl-C must not leave one shown that is not kept
                        tally.take(answer)
                        if answer.failure:
                            console.error(f"gapless: {answer.location}: {answer.failure}")
                        if form == JSON:
                            documents.append(answer.whole_document())
                        else:
                            console.result(shown[form](answer))
                        advance(1)
                    number += sum(map(size, chunk))
                    sys.stdout.flush()
            except KeyboardInterrupt:
                tally.interrupted = True
                raise
    except KeyboardInterrupt:
        pass
    finally:
        ended = sys.exc_info()[1]
        if ended is None or documents:
            console.data(_summary(tally, documents, certificates, ended))
    if tally.interrupted:
        console.error(f"gapless: stopped by Ctrl-C after {tally.sentences} answers")
    elif tally.proved < tally.sentences - len(tally.failures):
        console.error(f"gapless: {tally.proved} of {tally.sentences} answers are proved to be the best ones")
    return tally.exit_code


def _summary(
    tally: AnswerTally, documents: list[dict[str, Any]], certificates: str | None, ended: BaseException | None
) -> dict[str, Any]:
    error = {"error": str(ended)} if ended is not None else {}
    return {
        "answers": documents,
        "count": tally.sentences,
        "proved": tally.proved,
        "failures": tally.failures,
        "interrupted": tally.interrupted,
        "certificates": certificates,
        **error,
    }


def chunks(units: Iterable[U], most: int = MOST) -> Iterator[list[U]]:
    """Yield lists of units, short ones first; what was read before an error comes out before it.

    On a terminal each line is answered at once.
    """
    target = min(FIRST, most)
    buffer: list[U] = []
    try:
        for unit in units:
            buffer.append(unit)
            if len(buffer) >= target:
                yield buffer
                buffer, target = [], min(4 * target, most)
    except (gl.GaplessError, ValueError, OSError):
        if buffer:
            yield buffer
        raise
    if buffer:
        yield buffer


@contextlib.contextmanager
def kept_proofs(path: str | None, console: Console) -> Iterator[Callable[[TextAnswer], None]]:
    """Write the records of each answer at once to a file next to `path`, which replaces `path` in the end.

    After Ctrl-C or an error they do so too, unless there is such a file: what it holds may be whole.

    Raises
    ------
    InvalidProblem
        The name does not end in ``.jsonl``, or what a killed run left is in the way.
    """
    if path is None:
        yield lambda answer: None
        return
    if not path.endswith(".jsonl"):
        raise gl.InvalidProblem(f"--certificates {path}: one record a line; give a name that ends in .jsonl")
    aside = Path(path + UNFINISHED)
    if aside.exists():
        raise gl.InvalidProblem(f"{aside}: holds the proofs of a run that was killed; move it away, or remove it")
    with aside.open("w", encoding="utf-8") as file:

        def keep(answer: TextAnswer) -> None:
            records = (
                gl.Record(proof.problem, proof.result, f"{answer.location}: {proof.step}", answer.words)
                for proof in answer.proofs
            )
            file.write("".join(serial.dumps(record) + "\n" for record in records))
            file.flush()

        try:
            yield keep
        finally:
            file.close()
            early = sys.exc_info()[0] is not None
            if early and Path(path).exists():  # of a whole run, perhaps
                console.error(f"gapless: the proofs of what was finished are in {aside}; {path} is as it was")
            else:
                aside.replace(path)
                if early:
                    console.error(f"gapless: the proofs of what was finished are in {path}")
