"""Every method on every document of a corpus, under one connection."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import IntArray
from gapless_linking import LinkingProblem
from gapless_tasks.entity_linking.document import Corpus, Document

EXACT = "exact"
METHODS = ("spanning-tree", "hitting-distance", "greedy", "degree", "pagerank", "local-search", EXACT)
MAXIMAL, MINIMAL, PLAIN = "maximal", "minimal", "plain"
CONNECTIONS = (MAXIMAL, MINIMAL, PLAIN)

LinkingResult = gl.Result[IntArray]

_TINY = LinkingProblem.from_distances([[0, 1], [1, 0]], [[0], [1]])
"""Solved before the clock runs: the first solve loads plug-ins and libraries."""


def connected(problem: LinkingProblem, connection: str) -> LinkingProblem:
    """The problem with one of `CONNECTIONS`; `PLAIN` leaves the graph as it is."""
    if connection == PLAIN:
        return problem
    return problem.maximal_connection() if connection == MAXIMAL else problem.minimal_connection()


@attrs.frozen(eq=False)
class Linked:
    """A document under one connection, and what the methods chose.

    Parameters
    ----------
    document : Document
    problem : LinkingProblem
    distance_seconds : float
        CPU time from candidate sets to distances, connection included.
    results : mapping of str to Result
        By method; those that did not fail.
    seconds : mapping of str to float
        CPU time of each method, distances known.
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
        """The least cost, NaN where no method has proved it."""
        proved = [one.value for one in self.results.values() if one.status is gl.Status.OPTIMAL]
        return proved[0] if proved else np.nan

    def value(self, method: str) -> float:
        """The share of mentions that a method links right."""
        return self.document.value(self.results[method].best)

    def ratio(self, cost: float) -> float | None:
        """``100 cost / optimum``; 100 where both are 0, None where only the optimum is 0, NaN where unknown."""
        if self.optimum == 0.0:
            return 100.0 if cost == 0.0 else None
        return 100.0 * cost / self.optimum


@attrs.frozen(eq=False)
class Measured:
    """A corpus under one connection.

    Parameters
    ----------
    corpus : Corpus
    connection : str
    linked : sequence of Linked
    failed : sequence of str
        Sentences about solves that failed.
    interrupted : bool
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
) -> Measured:
    """Link all documents by all methods; Ctrl-C keeps what is finished.

    Parameters
    ----------
    corpus : Corpus
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
    """
    linked: list[Linked] = []
    failed: list[str] = []
    interrupted = False
    gl.solve(_TINY, EXACT)
    gc.collect()
    gc.freeze()  # graphs and documents are out of the collector's way while the clock runs
    try:
        with console.progress(f"{corpus.name}, {connection}", len(corpus.documents)) as advance:
            for document in corpus.documents:
                linked.append(_link(corpus, document, connection, methods, limits, seed, failed))
                advance(1)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        gc.unfreeze()
    for what in failed:
        console.complain(what)
    return Measured(corpus, connection, linked, failed, interrupted)


def _link(
    corpus: Corpus,
    document: Document,
    connection: str,
    methods: Sequence[str],
    limits: gl.Limits,
    seed: int,
    failed: list[str],
) -> Linked:
    start = time.process_time()
    problem = connected(document.problem(corpus.knowledge.graph), connection)
    problem.distances  # noqa: B018  found when first asked for
    distance_seconds = time.process_time() - start
    results: dict[str, LinkingResult] = {}
    seconds: dict[str, float] = {}
    for method in methods:
        start = time.process_time()
        try:
            result = gl.solve(problem, method, limits=limits, seed=seed)
        except gl.SolveError as error:
            failed.append(f"{corpus.name}, {document.name}, {method}: {error}")
            continue
        if result.stop is gl.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        results[method], seconds[method] = result, time.process_time() - start
    return Linked(document, problem, distance_seconds, results, seconds, _truth(document, problem, limits))


def _truth(document: Document, problem: LinkingProblem, limits: gl.Limits) -> float:
    among = [np.searchsorted(problem.points, fair) for fair in document.fair]
    result = gl.solve(LinkingProblem.from_distances(problem.lengths(), among), EXACT, limits=limits)
    return result.value if result.status is gl.Status.OPTIMAL else np.nan
