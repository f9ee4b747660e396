"""``gapless parse``: tags where they are missing, a tree, and its relations."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

import gapless as gl
from gapless.learn import DamagedFile
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.terminal_drawing import draw
from gapless_models.text import TextParser, TextSentence, embedded_parser
from gapless_models.text import sentence as columns
from gapless_tasks.text.answer import Answer, Proof
from gapless_tasks.text.steps import Interrupted, Solver
from gapless_tasks.text.tagging import tag_columns, tag_document

MOST_WORDS = 5_000
"""Of a sentence: the scores of its arcs alone take 200 MB."""


def stored_parser(path: str | None) -> TextParser:
    """The parser of a file, or the embedded one.

    Raises `InvalidProblem`: the file is no stored parser.
    """
    if path is None:
        return embedded_parser()
    try:
        return TextParser.load(path)
    except DamagedFile as error:
        raise gl.InvalidProblem(f"--model {error}") from error


@attrs.define
class _Work:
    """A sentence on its way through the steps."""

    given: TextSentence
    sentence: Sentence | None
    tags: Sequence[str] = ()
    heads: Sequence[int] = ()
    relations: Sequence[str] = ()
    proofs: list[Proof] = attrs.field(factory=list)
    failure: str = ""


class Parsing:
    """Parses sentences.

    Parameters
    ----------
    retag : bool
        Whether tags that came with the text are passed over.
    """

    title = "parsing"

    def __init__(self, parser: TextParser, solver: Solver, *, retag: bool = False) -> None:
        self.parser, self.solver, self.retag = parser, solver, retag

    def answers(self, sentences: Sequence[TextSentence], first: int) -> Iterator[Answer]:
        """The answers in their order; Ctrl-C comes after those that are finished."""
        works = [_Work(one, None if self.retag else self.parser.tagged(one)) for one in sentences]
        finished, interrupted = len(works), False
        for step in (self._tag, self._attach, self._relate):
            now = works[:finished]
            try:
                step(now)
            except _Stopped as stop:
                finished, interrupted = now.index(stop.work), True
        for i, work in enumerate(works[:finished]):
            yield self._answer(work, first + i)
        if interrupted:
            raise KeyboardInterrupt

    def _tag(self, works: Sequence[_Work]) -> None:
        bare = [work for work in works if work.sentence is None]
        problems = [self.parser.tag_problem(work.given.words) for work in bare]
        for work, result in self._solved("tags", bare, problems, main=False):
            assert self.parser.tagger is not None
            work.tags = [self.parser.tagger.labels[label] for label in result.best]
            work.sentence = self.parser.with_labels(work.given.words, work.tags)

    def _attach(self, works: Sequence[_Work]) -> None:
        ready, problems = [], []
        for work in works:
            if work.sentence is None:
                continue
            if len(work.sentence) > MOST_WORDS:
                work.failure = f"{len(work.sentence)} words, at most {MOST_WORDS} are parsed; write one sentence a line"
                continue
            ready.append(work)
            problems.append(self.parser.tree_problem(work.sentence))
        for work, result in self._solved("tree", ready, problems, main=True):
            work.heads = result.best.heads.tolist()

    def _relate(self, works: Sequence[_Work]) -> None:
        model = self.parser.relations
        ready = [work for work in works if work.heads and work.sentence is not None]
        if model is None or not ready:
            return
        problems = [model.problem(work.sentence, work.heads) for work in ready if work.sentence is not None]
        for work, result in self._solved("relations", ready, problems, main=False):
            work.relations = [model.labels[label] for label in result.best]

    def _solved(
        self, step: str, works: Sequence[_Work], problems: Sequence[Any], *, main: bool
    ) -> Iterator[tuple[_Work, gl.Result[Any]]]:
        """The works that have a solution, and its result; the others get to know why not."""
        stopped: _Work | None = None
        try:
            results = self.solver.solve(problems, main=main)
        except Interrupted as stop:
            results, stopped = stop.finished, works[len(stop.finished)]
        for work, problem, result in zip(works, problems, results, strict=False):
            if isinstance(result, gl.SolveError):
                work.failure = str(result)
            elif not result.solutions:
                work.proofs.append(Proof(step, problem, result))
                work.failure = f"{step}: nothing was found within the limits"
            else:
                work.proofs.append(Proof(step, problem, result))
                yield work, result
        if stopped is not None:
            raise _Stopped(stopped)

    def _answer(self, work: _Work, number: int) -> Answer:
        given = work.given
        tagged = tag_columns(self.parser.column, work.tags) if work.tags else {}
        found: dict[int, Sequence[str]] = dict(tagged)
        document = tag_document(tagged)
        drawn = f"{given.text} ({work.failure})"
        if work.heads:
            relations = work.relations or ["_"] * len(work.heads)
            found |= {columns.HEAD: [str(head) for head in work.heads], columns.DEPREL: relations}
            document |= {"heads": list(work.heads), "relations": list(work.relations)}
            tags = work.sentence.coarse if work.sentence is not None else ()
            rows = [row for row in (tags, work.relations) if row]
            width = shutil.get_terminal_size().columns
            drawn = "\n".join(line.text for line in draw(given.words, work.heads, rows=rows, width=width)) + "\n"
        else:  # what stands there is no tree of this parser
            empty = ["_"] * len(given.words)
            found |= {columns.HEAD: empty, columns.DEPREL: empty}
        conllu = given.conllu(number, found)
        return Answer(given.place, given.words, document, drawn, conllu, work.proofs, work.failure)


class _Stopped(Exception):  # noqa: N818
    """Ctrl-C came before this sentence was finished."""

    def __init__(self, work: _Work) -> None:
        super().__init__()
        self.work = work
