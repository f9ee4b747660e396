"""Real documents, from their candidate sets to a proved answer, with the graph in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import gapless as gl
from benchmarks.frame.bench import Measurement
from benchmarks.frame.marks import UNJUDGED, Spread, line
from benchmarks.frame.turns import timed_call
from benchmarks.linking.proof_rows import LinkingBench
from gapless.arrays.sparse import FloatArray
from gapless_linking import LinkingProblem
from gapless_models.linking.corpora import load_corpora
from gapless_models.linking.document import Corpus, Document

SHORT = ("aida", "iitb", "senseval2", "semeval2007", "semeval2013")
LONG = tuple(f"{name}-documents" for name in SHORT[2:])
CONNECTIONS: dict[str, Callable[[LinkingProblem], LinkingProblem]] = {
    "maximal": LinkingProblem.maximal_connection,
    "minimal": LinkingProblem.minimal_connection,
    "plain": lambda problem: problem,
}
"""Edges added within each set; ``plain`` adds none."""
WITHIN = {"maximal": (1.0, (100, 100)), "minimal": (1.0, (100, 100)), "plain": (10.0, (80, 100))}
"""Seconds in which a document of hundreds of mentions is to be proved, and the share that is."""
LONGEST = gl.Limits(time=10.0)


def document_lines(bench: LinkingBench, data: str | None, limit: int | None) -> Iterator[Measurement]:
    """Measure documents and sentences under each connection, then whole word-sense documents.

    Parameters
    ----------
    data : str, optional
        The folder of all corpora, else the embedded documents; the marks speak of the real ones.
    limit : int, optional
        Only the first documents of each corpus.
    """
    corpora = load_corpora(data, SHORT if data else None, bench.bench.console)
    for connection in CONNECTIONS:
        scores = f"documents and sentences, {connection}"
        problems, building = _prepared(corpora, connection, limit)
        exact = bench.solve(scores, problems, LONGEST)
        judged = data is not None and connection != "plain"
        whole = Spread.of(1e3 * (building + exact.seconds))
        yield line("from candidates to proof, median", scores, whole, "ms", (15, 6) if judged else UNJUDGED)
        yield line("distances, median", scores, 1e3 * building, "ms")
        yield from exact.lines("exact, median", scores, UNJUDGED)
        yield exact.proved_line(scores, (100, 100) if judged else UNJUDGED)
        yield from bench.peer_lines(scores, problems, exact, (3, 10) if judged else UNJUDGED)
    if data:
        yield from _long_lines(bench, load_corpora(data, LONG, bench.bench.console), limit)


def _long_lines(bench: LinkingBench, corpora: Sequence[Corpus], limit: int | None) -> Iterator[Measurement]:
    for connection, (seconds, marks) in WITHIN.items():
        scores = f"word-sense documents, {connection}"
        problems, building = _prepared(corpora, connection, limit)
        exact = bench.solve(scores, problems, LONGEST)
        whole = building + exact.seconds
        soon = 100 * float(np.mean(exact.proved & (whole <= seconds)))
        yield line(f"proved within {seconds:g} s, distances included", scores, soon, "%", marks, more=True)
        yield line("from candidates to proof, median", scores, whole, "s")
        yield line("distances, median", scores, building, "s")
        yield from bench.peer_lines(scores, problems, exact, UNJUDGED)


def _prepared(
    corpora: Sequence[Corpus], connection: str, limit: int | None
) -> tuple[list[LinkingProblem], FloatArray]:
    """Make problems whose distances are known; return them and the CPU seconds that making each took."""
    prepared = [
        timed_call(_prepare, corpus, document, connection)
        for corpus in corpora
        for document in corpus.documents[:limit]
    ]
    return [problem for _, problem in prepared], np.array([seconds for seconds, _ in prepared])


def _prepare(corpus: Corpus, document: Document, connection: str) -> LinkingProblem:
    problem = CONNECTIONS[connection](document.problem(corpus.knowledge.graph))
    _ = problem.distances  # found now, and kept
    return problem
