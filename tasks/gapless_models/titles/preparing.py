"""From a corpus to the graphs of its test sections: train both models, build every graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from gapless.cli import Console
from gapless_models.titles.corpus import Corpus, load_corpus
from gapless_models.titles.graph import TitleGraph, TitleModel
from gapless_models.titles.language_model import BigramModel
from gapless_models.titles.section import Section
from gapless_models.titles.selection import SelectionModel
from gapless_models.titles.stem_features import DocumentFrequencies
from gapless_models.titles.stem_occurrences import read_body
from gapless_ordering import OrderingProblem


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
