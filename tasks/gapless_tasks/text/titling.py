"""``gapless title``: a title for each text, made of its own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

import gapless as gl
from gapless_models.text import TextSentence
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import Solver, StepProof
from gapless_models.titles.content_words import is_word
from gapless_models.titles.corpus import Corpus, load_corpus
from gapless_models.titles.graph import TitleModel, train_model
from gapless_models.titles.language_model import BigramModel
from gapless_models.titles.section import Section
from gapless_models.titles.section_reader import SectionFileError, read_sections
from gapless_models.titles.selection import read_body
from gapless_tasks.text.stream import TextAnswer


def learnt(path: str | None) -> tuple[TitleModel, Corpus]:
    """Train the model on the sections of a file, or on the embedded ones, and return those sections, too.

    Raises `InvalidProblem`: the file holds no sections, or too little text; the message names the line.
    """
    corpus = load_corpus(None)
    if path is not None:
        try:
            corpus = attrs.evolve(corpus, name=path, train=tuple(read_sections(path)), test=())
        except SectionFileError as error:
            raise gl.InvalidProblem(f"--model {error}") from error
    return train_model(corpus), corpus


def texts(sentences: Iterable[TextSentence]) -> Iterator[list[TextSentence]]:
    """Yield the sentences of each text: an empty line, or ``# newdoc``, begins another one."""
    buffer: list[TextSentence] = []
    for sentence in sentences:
        if sentence.starts and buffer:
            yield buffer
            buffer = []
        buffer.append(sentence)
    if buffer:
        yield buffer


class Titling:
    """Annotator that finds titles of texts.

    Parameters
    ----------
    length : int
        Content words of a title; a text of fewer different ones gets a shorter title.
    """

    title = "titles"

    def __init__(self, model: TitleModel, corpus: Corpus, solver: Solver, length: int) -> None:
        self.model, self.corpus, self.solver, self.length = model, corpus, solver, length

    def answers(self, bodies: Sequence[Sequence[TextSentence]], first: int) -> Iterator[TextAnswer]:
        """Yield the answers in their order; Ctrl-C comes after those that are finished."""
        number = first
        for body in bodies:
            yield self._answer(body, number)
            number += len(body)

    def _answer(self, body: Sequence[TextSentence], number: int) -> TextAnswer:
        words = [word for sentence in body for word in sentence.words]
        section = Section(body[0].place, (), tuple(sentence.words for sentence in body))
        counted = read_body(section, self.model.content)
        length = min(self.length, len(counted.stems))
        if not length or not any(map(is_word, words)):
            return self._told(body, number, words, None, (), "no content word in this text")
        # The words of the text itself are those that its title is made of: the bigrams need to know them.
        model = attrs.evolve(
            self.model, ordering=BigramModel.estimate((*self.corpus.train, section), self.model.content.stem)
        )
        problem = model.graph(section, counted, length).problem
        outcomes, interrupted = self.solver.solve([problem])
        if interrupted:
            raise KeyboardInterrupt
        failure = failure_of(outcomes[0], "title")
        if failure or isinstance(outcomes[0], gl.SolveError):
            return self._told(body, number, words, None, (), failure)
        proofs = (StepProof("title", problem, outcomes[0]),)
        return self._told(body, number, words, " ".join(problem.spelled(outcomes[0].best)), proofs, "")

    def _told(
        self,
        body: Sequence[TextSentence],
        number: int,
        words: Sequence[str],
        title: str | None,
        proofs: Sequence[StepProof],
        failure: str,
    ) -> TextAnswer:
        comments = [_comments(title, body[0]) if not i else [] for i in range(len(body))]
        conllu = "".join(sentence.conllu(number + i, {}, comments[i]) for i, sentence in enumerate(body))
        text = title if title is not None else f"({failure})"
        return TextAnswer(body[0].place, words, {"title": title}, text, conllu, proofs, failure)


def _comments(title: str | None, first: TextSentence) -> list[str]:
    """List lines above the first sentence of a text."""
    begins = [] if first.entry is not None else ["# newdoc"]
    return begins if title is None else [*begins, f"# title = {title}"]
