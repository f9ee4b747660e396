"""Real documents, from their candidate sets to a proved answer, with the graph in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import gapless as gl
from benchmarks.chains.stopwatch import Spread, cpu_seconds
from benchmarks.chains.targets import Line
from benchmarks.linking.proof_rows import Bench
from benchmarks.parsing.lines import UNJUDGED, line, percent
from benchmarks.sides import Compared
from gapless.core.sparse import FloatArray
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


def document_lines(bench: Bench, data: str | None, limit: int | None) -> Iterator[Line | Compared]:
    """Documents and sentences under each connection, then whole word-sense documents.

    Parameters
    ----------
    bench : Bench
    data : str, optional
        The folder of all corpora, else the embedded documents; the marks speak of the real ones.
    limit : int, optional
        Only the first documents of each corpus.
    """
    corpora = load_corpora(data, SHORT if data else None, bench.console)
    for connection in CONNECTIONS:
        scores = f"documents and sentences, {connection}"
        problems, building = _prepared(corpora, connection, limit)
        exact = bench.solve(scores, problems, LONGEST)
        judged = data is not None and connection != "plain"
        whole = Spread.of(1e3 * (building + exact.seconds))
        yield line("from candidates to proof, median", scores, whole, "ms", (15, 6) if judged else UNJUDGED, False)
        yield line("distances, median", scores, Spread.of(1e3 * building), "ms", UNJUDGED, False)
        yield from exact.lines("exact, median", scores, UNJUDGED)
        proved = percent(exact.proved.mean())
        yield line("proved", scores, proved, "%", (100, 100) if judged else UNJUDGED, True)
        yield from bench.peer_lines(scores, problems, exact, (3, 10) if judged else UNJUDGED)
    if data:
        yield from _long_lines(bench, load_corpora(data, LONG, bench.console), limit)


def _long_lines(bench: Bench, corpora: Sequence[Corpus], limit: int | None) -> Iterator[Line | Compared]:
    for connection, (seconds, marks) in WITHIN.items():
        scores = f"word-sense documents, {connection}"
        problems, building = _prepared(corpora, connection, limit)
        exact = bench.solve(scores, problems, LONGEST)
        whole = building + exact.seconds
        soon = percent(float(np.mean(exact.proved & (whole <= seconds))))
        yield line(f"proved within {seconds:g} s, distances included", scores, soon, "%", marks, True)
        yield line("from candidates to proof, median", scores, Spread.of(whole), "s", UNJUDGED, False)
        yield line("distances, median", scores, Spread.of(building), "s", UNJUDGED, False)
        yield from bench.peer_lines(scores, problems, exact, UNJUDGED)


def _prepared(
    corpora: Sequence[Corpus], connection: str, limit: int | None
) -> tuple[list[LinkingProblem], FloatArray]:
    """Problems whose distances are known, and the CPU seconds that making each took."""
    problems: list[LinkingProblem] = []
    seconds = []
    for corpus in corpora:
        for document in corpus.documents[:limit]:
            seconds.append(cpu_seconds(_prepare, corpus, document, connection, problems))
    return problems, np.array(seconds)


def _prepare(corpus: Corpus, document: Document, connection: str, problems: list[LinkingProblem]) -> None:
    problem = CONNECTIONS[connection](document.problem(corpus.knowledge.graph))
    _ = problem.distances  # found now, and kept
    problems.append(problem)
