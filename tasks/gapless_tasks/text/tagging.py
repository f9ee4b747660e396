"""``gapless tag``: a label for each word."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gapless as gl
from gapless_chains import ChainProblem
from gapless_models.tagging.tagger import BOTH, XPOS, ChainTagger
from gapless_models.text import TextParser, TextSentence, embedded_tagger
from gapless_models.text import sentence as columns
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import Outcome, Solver, StepProof
from gapless_models.text.text_parser import both
from gapless_tasks.text.stream import TextAnswer


def stored_tagger(path: str | None) -> ChainTagger:
    """Load the tagger of a file, which may be that of a parser, or the embedded one.

    Raises `InvalidProblem`: the file holds no stored tagger.
    """
    if path is None:
        return embedded_tagger()
    try:
        return ChainTagger.load(Path(path))
    except ValueError as error:
        with contextlib.suppress(gl.GaplessError):
            parser = TextParser.load(path)
            if parser.tagger is not None:
                return parser.tagger
        raise gl.InvalidProblem(f"--model {error}") from error


def tag_columns(column: str, labels: Sequence[str]) -> dict[int, Sequence[str]]:
    """List the columns of CoNLL-U that hold these labels."""
    if column == BOTH:
        upos, xpos = zip(*map(both, labels), strict=True)
        return {columns.UPOS: upos, columns.XPOS: xpos}
    return {columns.XPOS if column == XPOS else columns.UPOS: labels}


def tag_document(tagged: dict[int, Sequence[str]]) -> dict[str, Any]:
    """Return the labels as JSON data."""
    names = {columns.UPOS: "upos", columns.XPOS: "xpos"}
    return {names[column]: list(labels) for column, labels in tagged.items()}


class Tagging:
    """Annotator that tags sentences."""

    title = "tagging"

    def __init__(self, tagger: ChainTagger, solver: Solver) -> None:
        self.tagger, self.solver = tagger, solver

    def answers(self, sentences: Sequence[TextSentence], first: int) -> Iterator[TextAnswer]:
        """Yield the answers in their order; Ctrl-C comes after those that are finished."""
        problems = self.tagger.batch([sentence.words for sentence in sentences])
        outcomes, interrupted = self.solver.solve(problems)
        for i, outcome in enumerate(outcomes):
            yield self._answer(sentences[i], first + i, problems[i], outcome)
        if interrupted:
            raise KeyboardInterrupt

    def _answer(self, one: TextSentence, number: int, problem: ChainProblem, outcome: Outcome) -> TextAnswer:
        failure = failure_of(outcome, "tags")
        if failure or isinstance(outcome, gl.SolveError):
            return TextAnswer(
                one.place, one.words, {}, f"{one.text} ({failure})", one.conllu(number, {}), (), failure
            )
        labels = [self.tagger.labels[label] for label in outcome.best]
        tagged = tag_columns(self.tagger.column, labels)
        return TextAnswer(
            one.place,
            one.words,
            tag_document(tagged),
            " ".join(f"{word}/{label}" for word, label in zip(one.words, labels, strict=True)),
            one.conllu(number, tagged),
            (StepProof("tags", problem, outcome),),
        )
