"""Sentences parsed together: tags where they are missing, a tree, and its relations, each step exactly."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

import gapless as gl
from gapless_models.parsing.sentence import Sentence
from gapless_models.text.sentence import TextSentence
from gapless_models.text.steps import Outcome, Solver, StepProof
from gapless_models.text.text_parser import TextParser

MOST_WORDS = 5_000
"""Of a sentence: the scores of its arcs alone take 200 MB."""


@attrs.define
class Parsed:
    """Answers of all steps for one sentence.

    Parameters
    ----------
    given : TextSentence
    sentence : Sentence or None
        With the tags that the parser reads; None until they are known.
    tags : sequence of n str
        Labels of the tagger; empty where tags came with the text.
    heads : sequence of n int
        As in `Sentence`; empty where there is no tree.
    relations : sequence of n str
        Empty where there is no tree, or no model of them.
    proofs : list of Proof
        Of the steps ``tags``, ``tree`` and ``relations``.
    failure : str
        The reason why something is missing; else empty.
    """

    given: TextSentence
    sentence: Sentence | None
    tags: Sequence[str] = ()
    heads: Sequence[int] = ()
    relations: Sequence[str] = ()
    proofs: list[StepProof] = attrs.field(factory=list)
    failure: str = ""


def parse(
    parser: TextParser, sentences: Sequence[TextSentence], solver: Solver, *, retag: bool = False
) -> tuple[list[Parsed], bool]:
    """Parse sentences.

    Parameters
    ----------
    retag : bool
        Whether tags that came with the text are passed over.

    Returns
    -------
    list of Parsed, bool
        Those that were finished, from the first on; whether Ctrl-C ended the work before the others.
    """
    works = [Parsed(sentence, None if retag else parser.tagged(sentence)) for sentence in sentences]
    steps = _Steps(parser, solver)
    for step in (steps.tag, steps.attach, steps.relate):
        step(works[: steps.finished])
    finished = min(steps.finished, len(works))
    return works[:finished], finished < len(works)


class _Steps:
    """Steps over the same sentences; Ctrl-C in one step leaves fewer sentences for the next."""

    def __init__(self, parser: TextParser, solver: Solver) -> None:
        self.parser, self.solver = parser, solver
        self.finished = sys.maxsize
        """Sentences, from the first on, that Ctrl-C has left."""

    def tag(self, works: Sequence[Parsed]) -> None:
        bare = [work for work in works if work.sentence is None]
        tagger = self.parser.require_tagger() if bare else self.parser.tagger
        if tagger is None or not bare:
            return
        problems = tagger.batch([work.given.words for work in bare])
        for work, result in self._solved("tags", works, bare, problems, main=False):
            work.tags = [tagger.labels[label] for label in result.best]
            work.sentence = self.parser.with_labels(work.given.words, work.tags)

    def attach(self, works: Sequence[Parsed]) -> None:
        ready, problems = [], []
        for work in works:
            if work.sentence is not None and len(work.sentence) > MOST_WORDS:
                work.failure = (
                    f"{len(work.sentence)} words, at most {MOST_WORDS} are parsed; write one sentence a line"
                )
            elif work.sentence is not None:
                ready.append(work)
                problems.append(self.parser.tree_problem(work.sentence))
        for work, result in self._solved("tree", works, ready, problems, main=True):
            work.heads = result.best.heads.tolist()

    def relate(self, works: Sequence[Parsed]) -> None:
        model = self.parser.relations
        if model is None:
            return
        ready = [(work, work.sentence) for work in works if work.heads and work.sentence is not None]
        problems = [model.problem(sentence, work.heads) for work, sentence in ready]
        for work, result in self._solved("relations", works, [work for work, _ in ready], problems, main=False):
            work.relations = [model.labels[label] for label in result.best]

    def _solved(
        self, step: str, works: Sequence[Parsed], asked: Sequence[Parsed], problems: Sequence[Any], *, main: bool
    ) -> Iterator[tuple[Parsed, gl.Result[Any]]]:
        """Select the sentences that have a solution, with its result, and give the others the reason why not."""
        outcomes, interrupted = self.solver.solve(problems, main=main)
        if interrupted:
            self.finished = next(i for i, work in enumerate(works) if work is asked[len(outcomes)])
        for work, problem, outcome in zip(asked, problems, outcomes, strict=False):
            work.failure = failure_of(outcome, step)
            if isinstance(outcome, gl.Result):
                work.proofs.append(StepProof(step, problem, outcome))
                if outcome.solutions:
                    yield work, outcome


def failure_of(outcome: Outcome, step: str) -> str:
    """Return the reason why a step has no solution; empty if it has one."""
    if isinstance(outcome, gl.SolveError):
        return f"{step}: {outcome}"
    if outcome.status is gl.Status.INFEASIBLE:
        return ": ".join([step, "no answer is allowed", *outcome.explanation[:1]])
    return "" if outcome.solutions else f"{step}: nothing was found within the limits"
