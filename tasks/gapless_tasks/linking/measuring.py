"""Every method on every document of a corpus, under one connection."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.cli import Console
from gapless.parallel import map_chunks_ordered
from gapless_linking import Graph, LinkingProblem
from gapless_models.linking.document import Corpus, Document

EXACT = "exact"
METHODS = ("spanning-tree", "hitting-distance", "greedy", "degree", "pagerank", "local-search", EXACT)
MAXIMAL, MINIMAL, PLAIN = "maximal", "minimal", "plain"
CONNECTIONS = (MAXIMAL, MINIMAL, PLAIN)

LinkingResult = gl.Result[IntArray]

_TINY = LinkingProblem.from_distances([[0, 1], [1, 0]], [[0], [1]])
"""Solved before the clock runs: the first solve loads plug-ins and libraries."""


def connected(problem: LinkingProblem, connection: str) -> LinkingProblem:
    """Build the problem with one of `CONNECTIONS`; `PLAIN` leaves the graph as it is."""
    if connection == PLAIN:
        return problem
    return problem.maximal_connection() if connection == MAXIMAL else problem.minimal_connection()


@attrs.frozen(eq=False)
class Linked:
    """A document under one connection, and the answers of the methods.

    Parameters
    ----------
    distance_seconds : float
        CPU time from candidate sets to distances, connection included.
    results : mapping of str to Result
        By method; those that did not fail.
    seconds : mapping of str to float
        CPU time of each method, distances known; of the process that linked the document.
    truth : float
        The least cost of a right answer; where several candidates of a mention are right, they are chosen by an
        exact solve of their own. NaN if that has no proof.
    """

    document: Document
    problem: LinkingProblem
    distance_seconds: float
    results: Mapping[str, LinkingResult]
    seconds: Mapping[str, float]
    truth: float

    @property
    def optimum(self) -> float:
        """Least cost; NaN where no method has proved it."""
        proved = [result.value for result in self.results.values() if result.status is gl.Status.OPTIMAL]
        return proved[0] if proved else np.nan

    def value(self, method: str) -> float:
        """Compute the share of mentions that a method links right."""
        return self.document.value(self.results[method].best)

    def ratio(self, cost: float) -> float | None:
        """Compute ``100 cost / optimum``: 100 if both are 0, None if only the optimum is 0, NaN if unknown."""
        if self.optimum == 0.0:
            return 100.0 if cost == 0.0 else None
        return 100.0 * cost / self.optimum


@attrs.frozen(eq=False)
class Measured:
    """A corpus under one connection.

    Parameters
    ----------
    failed : sequence of str
        Sentences about solves that failed.
    """

    corpus: Corpus
    connection: str
    linked: Sequence[Linked]
    failed: Sequence[str]
    interrupted: bool


def measure(
    corpus: Corpus,
    connection: str,
    methods: Sequence[str],
    console: Console,
    *,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    seed: int = 0,
    jobs: int = 1,
    known: Mapping[int, Callable[[], Linked]] = MappingProxyType({}),
    finished: Callable[[Linked], object] = bool,
) -> Measured:
    """Link all documents by all methods; Ctrl-C keeps the finished part.

    Parameters
    ----------
    connection : str
        One of `CONNECTIONS`.
    methods : sequence of str
        In this order; what is not proved by any of them has no ratio.
    console : Console
        Draws progress; complains about failures.
    limits : Limits
        For each document and method.
    seed : int
        For methods that draw random numbers.
    jobs : int
        Processes; each measures its own CPU time.
    known : mapping of int to callable
        Stored answers of an earlier start of the run, by the number of the document.
    finished : callable
        ``finished(linked)`` hears of every other document that no method failed on.
    """
    linked: dict[int, Linked] = {}
    failed: list[str] = []
    interrupted = False
    graph = corpus.knowledge.graph
    todo = [i for i in range(len(corpus.documents)) if i not in known]
    link = partial(_link, graph, connection, methods, limits, seed)
    work = partial(_link_some, link, jobs != 1)
    _warm()
    gc.collect()
    gc.freeze()  # graphs and documents are out of the collector's way while the clock runs
    try:
        with console.progress(f"{corpus.name}, {connection}", len(corpus.documents)) as advance:
            for i, read in known.items():
                linked[i] = read()
                advance(1)
            for done in map_chunks_ordered(work, iter([corpus.documents[i] for i in todo]), jobs, 1):
                ((one, complaints),) = done.outcome
                one = attrs.evolve(one, problem=_with_graph(one, graph, connection))
                failed += [f"{corpus.name}, {one.document.name}, {what}" for what in complaints]
                if not complaints:
                    finished(one)
                linked[todo[done.start]] = one
                advance(1)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        gc.unfreeze()
    for what in failed:
        console.error(what)
    return Measured(corpus, connection, [linked[i] for i in sorted(linked)], failed, interrupted)


def _with_graph(linked: Linked, graph: Graph, connection: str) -> LinkingProblem:
    """Attach the graph to the problem of a document from another process, which did not send it."""
    if linked.problem.graph is not None:
        return linked.problem
    return connected(linked.document.problem(graph), connection).with_distances(linked.problem.distances)


def _link_some(
    link: Callable[[Document], tuple[Linked, list[str]]], send: bool, _: int, documents: Sequence[Document]
) -> list[tuple[Linked, list[str]]]:
    """Link some documents, and return failures, too; results sent to another process leave the graph here."""
    _warm()
    linked = [link(document) for document in documents]
    if not send:
        return linked
    return [(attrs.evolve(one, problem=one.problem.without_graph()), failed) for one, failed in linked]


@cache
def _warm() -> None:
    """Warm a process up: its first solve loads plug-ins and libraries."""
    gl.solve(_TINY, EXACT)


def _link(
    graph: Graph, connection: str, methods: Sequence[str], limits: gl.Limits, seed: int, document: Document
) -> tuple[Linked, list[str]]:
    start = time.process_time()
    problem = connected(document.problem(graph), connection)
    problem.distances  # noqa: B018  found when first asked for
    distance_seconds = time.process_time() - start
    results: dict[str, LinkingResult] = {}
    seconds: dict[str, float] = {}
    failed = []
    for method in methods:
        start = time.process_time()
        try:
            result = gl.solve(problem, method, limits=limits, seed=seed)
        except gl.SolveError as error:
            failed.append(f"{method}: {error}")
            continue
        if result.stop is gl.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        results[method], seconds[method] = result, time.process_time() - start
    truth = _truth(document, problem, limits)
    return Linked(document, problem, distance_seconds, results, seconds, truth), failed


def _truth(document: Document, problem: LinkingProblem, limits: gl.Limits) -> float:
    among = [np.searchsorted(problem.points, fair) for fair in document.fair]
    result = gl.solve(LinkingProblem.from_distances(problem.lengths(), among), EXACT, limits=limits)
    return result.value if result.status is gl.Status.OPTIMAL else np.nan
