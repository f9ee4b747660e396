"""``gapless link``: the names in a text, each with the concept that lies closest to the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gapless as gl
from gapless_models.linking.concepts import Concepts, Mention
from gapless_models.linking.readers import LinkingFileError
from gapless_models.text import TextSentence
from gapless_models.text import sentence as columns
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import Solver, StepProof
from gapless_tasks.text.stream import TextAnswer


def stored_concepts(path: str | None) -> Concepts:
    """Load the concepts of a file, or the embedded ones.

    Raises `InvalidProblem`: the file holds none; the message names the line.
    """
    try:
        return Concepts.embedded() if path is None else Concepts.read(path)
    except LinkingFileError as error:
        raise gl.InvalidProblem(f"--model {error}") from error


class Linking:
    """Annotator that links the names of each text, which is one line."""

    title = "linking"

    def __init__(self, concepts: Concepts, solver: Solver) -> None:
        self.concepts, self.solver = concepts, solver

    def answers(self, sentences: Sequence[TextSentence], first: int) -> Iterator[TextAnswer]:
        """Yield the answers in their order; Ctrl-C comes after those that are finished."""
        named = [self.concepts.mentions(sentence.words) for sentence in sentences]
        linkable = [i for i, mentions in enumerate(named) if mentions]
        problems = {i: self.concepts.problem(sentences[i].words, named[i]) for i in linkable}
        outcomes, interrupted = self.solver.solve(list(problems.values()))
        finished = linkable[len(outcomes)] if interrupted else len(sentences)
        outcome_of = dict(zip(linkable, outcomes, strict=False))
        for i, sentence in enumerate(sentences[:finished]):
            failure, links, proofs = "", [], []
            if i in outcome_of:
                outcome = outcome_of[i]
                failure = failure_of(outcome, "links")
                if isinstance(outcome, gl.Result):
                    proofs = [StepProof("links", problems[i], outcome)]
                    links = [self.concepts.knowledge.titles[v] for v in outcome.best] if outcome.solutions else []
            yield self._answer(sentence, first + i, named[i] if links else [], links, proofs, failure)
        if interrupted:
            raise KeyboardInterrupt

    def _answer(
        self,
        one: TextSentence,
        number: int,
        mentions: Sequence[Mention],
        titles: Sequence[str],
        proofs: Sequence[StepProof],
        failure: str,
    ) -> TextAnswer:
        pairs = list(zip(mentions, titles, strict=True))
        links = [
            {"first": m.first, "end": m.end, "mention": " ".join(one.words[m.first : m.end]), "concept": title}
            for m, title in pairs
        ]
        misc = _misc(one)
        for mention, title in pairs:
            value = title.replace(" ", "_").replace("|", "/")
            for word in range(mention.first, mention.end):
                mark = "B" if word == mention.first else "I"
                misc[word] = "|".join(part for part in (misc[word], f"Link={mark}-{value}") if part != "_")
        lines = "".join(f"\n  {link['mention']} -> {link['concept']}" for link in links)
        text = one.text + (f" ({failure})" if failure else lines or "\n  (no name of a concept)")
        return TextAnswer(
            one.place, one.words, {"links": links}, text, one.conllu(number, {columns.MISC: misc}), proofs, failure
        )


def _misc(one: TextSentence) -> list[str]:
    """Return the column MISC without links of an earlier run."""
    if one.entry is None:
        return ["_"] * len(one.words)
    rows = [fields for fields in (line.split("\t") for line in one.entry.lines) if fields[0].isdigit()]
    rest = (["|".join(p for p in row[columns.MISC].split("|") if not p.startswith("Link="))] for row in rows)
    return [misc or "_" for (misc,) in rest]
