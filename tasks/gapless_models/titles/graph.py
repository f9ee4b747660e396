"""The decoding graph of a section (section 6, Graph Construction)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_models.titles.content_words import ContentWords
from gapless_models.titles.corpus import Corpus, load_corpus
from gapless_models.titles.language_model import BOUNDARY, BigramModel
from gapless_models.titles.section import Section
from gapless_models.titles.selection import Body, DocumentFrequencies, SelectionModel, read_body
from gapless_ordering import AuxiliaryWords, OrderingProblem


@attrs.frozen(eq=False)
class TitleGraph:
    """Section's graph, with the data of its scores.

    Parameters
    ----------
    problem : OrderingProblem
        Vertices are the distinct content words of the body, classes their stems, the length that of the true title.
    selection : float64 (n,)
        Log-probability of each vertex to be selected; part of each edge that leads into it.
    """

    section: Section
    problem: OrderingProblem
    selection: FloatArray


@attrs.frozen(eq=False)
class TitleModel:
    """Selection model and ordering model."""

    content: ContentWords
    selection: SelectionModel
    ordering: BigramModel

    def graph(self, section: Section, body: Body, length: int) -> TitleGraph:
        """Build the graph for a title of `length` content words.

        Every pair of words is joined directly and through each auxiliary word; an edge scores the log-probabilities
        of its one or two bigrams and that of selecting the word it leads to. The last word scores as the end of a
        phrase of the bodies. Nothing of the kind is asked of the first: phrases begin with "we" and "this", titles
        do not (cross-validated on the training part: ROUGE-1 0.39 instead of 0.32).
        """
        words, stems = zip(*body.words, strict=True)
        number_of = {stem: number for number, stem in enumerate(body.stems)}
        selection = self.selection.log_probabilities(body)[[number_of[stem] for stem in stems]]
        auxiliary = self.content.auxiliary
        n, a = len(words), len(auxiliary)
        ordering = self.ordering.log_probabilities([*words, *auxiliary], [*words, *auxiliary, BOUNDARY])
        inner, through, boundary = slice(n), slice(n, n + a), n + a
        problem = OrderingProblem.from_selection(
            selection,
            ordering[inner, inner],
            length=length,
            end=ordering[inner, boundary],
            auxiliary=AuxiliaryWords(auxiliary, ordering[inner, through], ordering[through, inner]),
            classes=stems,
            names=words,
        )
        return TitleGraph(section, problem, np.asarray(selection))


@attrs.frozen(eq=False)
class Prepared:
    """Test sections, ready for decoding.

    Parameters
    ----------
    left_out : sequence of (Section, str)
        Those that have no graph, or whose graph has no path of the title's length, and why.
    """

    graphs: Sequence[TitleGraph]
    left_out: Sequence[tuple[Section, str]]


def train_model(corpus: Corpus) -> TitleModel:
    """Train both models: selection on the training part, ordering on the bodies of all parts.

    Raises
    ------
    InvalidProblem
        Too little text.
    """
    content = corpus.content
    bodies = [read_body(section, content) for section in corpus.train]
    titles = [{content.stem(word) for word in content.of(section.title)} for section in corpus.train]
    return TitleModel(
        content,
        SelectionModel.train(bodies, titles, DocumentFrequencies.of(bodies)),
        BigramModel.estimate((*corpus.train, *corpus.test, *corpus.extra), content.stem),
    )


def prepare(model: TitleModel, sections: Sequence[Section], console: Console) -> Prepared:
    """Build the graph of every section.

    Parameters
    ----------
    console : Console
        Draws progress.
    """
    graphs: list[TitleGraph] = []
    left_out: list[tuple[Section, str]] = []
    with console.progress("building graphs", len(sections)) as advance:
        for section in sections:
            length = model.content.title_length(section)
            body = read_body(section, model.content)
            if length == 0:
                left_out.append((section, "its title has no content word"))
            elif length > len(body.stems):
                left_out.append(
                    (section, f"its title has {length} content words, its body only {len(body.stems)} stems")
                )
            else:
                graphs.append(model.graph(section, body, length))
            advance(1)
    return Prepared(graphs, left_out)


def title_problems(data: str | Path | None = None) -> list[OrderingProblem]:
    """Build the decoding problems of the test sections, for benchmarks: at the true titles' lengths."""
    corpus = load_corpus(data)
    return [graph.problem for graph in prepare(train_model(corpus), corpus.test, Console(as_json=True)).graphs]
