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
from gapless.cli import Console, exit_codes
from gapless.cli.console import plain_data
from gapless.core import serial
from gapless_tasks.text.answer import Answer

U = TypeVar("U")
U_contra = TypeVar("U_contra", contravariant=True)

TEXT, CONLLU, JSON, JSONL = "text", "conllu", "json", "jsonl"
FORMATS = (TEXT, CONLLU, JSON, JSONL)
FIRST, MOST = 4, 256
"""Sentences of the first chunk, and at most: answers come early, and long inputs fast."""
UNFINISHED = ".part"


class Annotator(Protocol[U_contra]):
    """The work of a command on sentences."""

    title: str

    def answers(self, units: Sequence[U_contra], first: int) -> Iterator[Answer]:
        """Answers in the order of the sentences, whose numbers begin with `first`."""


@attrs.define
class Tally:
    """Answers so far."""

    sentences: int = 0
    proved: int = 0
    failures: list[dict[str, str]] = attrs.field(factory=list)
    interrupted: bool = False

    def take(self, answer: Answer) -> None:
        """Count an answer."""
        self.sentences += 1
        self.proved += answer.proved
        if answer.failure:
            self.failures.append({"place": answer.place, "reason": answer.failure})

    @property
    def exit_code(self) -> int:
        """The first of these that befell any sentence."""
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
    at_once: int = MOST,
    size: Callable[[U], int] = lambda unit: 1,
) -> int:
    """Answer every unit and give the answers out; returns the exit code.

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
    at_once : int
        Most units in a chunk.
    size : callable
        Sentences of a unit.
    """
    tally, documents = Tally(), list[dict[str, Any]]()
    console.as_json = form == JSON
    shown: dict[str, Callable[[Answer], str]] = {
        TEXT: lambda answer: answer.text,
        CONLLU: lambda answer: answer.conllu.removesuffix("\n"),
        JSONL: lambda answer: json.dumps(plain_data(answer.whole_document()), ensure_ascii=False),
    }
    number = 1
    try:
        with kept_proofs(certificates, console) as keep, console.progress(annotator.title, total) as advance:
            try:
                for chunk in chunks(units, at_once):
                    for answer in annotator.answers(chunk, number):
                        keep(answer)  # first: Ctrl-C must not leave one shown that is not kept
                        tally.take(answer)
                        if answer.failure:
                            console.complain(f"gapless: {answer.place}: {answer.failure}")
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
        console.complain(f"gapless: stopped by Ctrl-C after {tally.sentences} answers")
    elif tally.proved < tally.sentences - len(tally.failures):
        console.complain(f"gapless: {tally.proved} of {tally.sentences} answers are proved to be the best ones")
    return tally.exit_code


def _summary(
    tally: Tally, documents: list[dict[str, Any]], certificates: str | None, ended: BaseException | None
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
    """Lists of units, short ones first; what was read before an error comes out before it.

    On a terminal each line is answered at once.
    """
    wanted = min(FIRST, most)
    held: list[U] = []
    try:
        for unit in units:
            held.append(unit)
            if len(held) >= wanted:
                yield held
                held, wanted = [], min(4 * wanted, most)
    except (gl.GaplessError, ValueError, OSError):
        if held:
            yield held
        raise
    if held:
        yield held


@contextlib.contextmanager
def kept_proofs(path: str | None, console: Console) -> Iterator[Callable[[Answer], None]]:
    """Write all records of each answer at once beside `path`; they take its place in the end.

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

        def keep(answer: Answer) -> None:
            records = (
                gl.Record(proof.problem, proof.result, f"{answer.place}: {proof.step}", answer.words)
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
                console.complain(f"gapless: the proofs of what was finished are in {aside}; {path} is as it was")
            else:
                aside.replace(path)
                if early:
                    console.complain(f"gapless: the proofs of what was finished are in {path}")
