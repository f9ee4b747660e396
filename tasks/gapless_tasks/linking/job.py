"""The task: link every document by every method, verify, and print the tables of the paper."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless.plugins import load_plugins
from gapless.runs import AnswerLog, Fingerprint, LoggedAnswer, RunFolder, without_evidence
from gapless_linking import LinkingProblem
from gapless_linking.choice_drawing import draw_choice
from gapless_models.linking.corpora import load_corpora
from gapless_models.linking.document import Corpus, Document, Knowledge, graph_fingerprint
from gapless_tasks.linking.explaining import explain
from gapless_tasks.linking.measuring import (
    EXACT,
    MAXIMAL,
    METHODS,
    MINIMAL,
    PLAIN,
    Linked,
    LinkingResult,
    Measured,
    connected,
    measure,
)
from gapless_tasks.linking.options import ANSWER_OPTIONS
from gapless_tasks.linking.prior_report import PriorReport
from gapless_tasks.linking.tables import directed_values, overlap, proof_table, table_1
from gapless_tasks.run_options import finish, keep_drawing, run_in_folder
from gapless_tasks.stored_answers import contradicted_optimum, refused_certificates, stored_places


def keep(log: AnswerLog, titles: Sequence[str], linked: Linked) -> None:
    """Append the answer of `EXACT` to those of the other methods; without `EXACT` nothing is kept.

    The problem is written with the titles of its candidates, of which `titles` has those of all vertices, and the
    distances between them, without its graph: vertices are numbered as in its `points`. ``gapless verify``
    re-checks the record.
    """
    if EXACT not in linked.results:
        return
    problem = linked.problem

    def at_places(vertices: IntArray) -> Any:
        return np.searchsorted(problem.points, vertices)

    others = {name: without_evidence(result) for name, result in linked.results.items() if name != EXACT}
    named = attrs.evolve(problem.without_graph(), names=[titles[vertex] for vertex in problem.points.tolist()])
    log.keep(
        linked.document.name,
        named,
        _renamed(linked.results[EXACT], at_places),
        linked.document.mentions,
        {
            "distance_seconds": linked.distance_seconds,
            "seconds": dict(linked.seconds),
            "others": {name: _renamed(result, at_places) for name, result in others.items()},
            "truth": linked.truth,
        },
        [[named.name(vertex) for vertex in at_places(fair).tolist()] for fair in linked.document.fair],
    )


def linked_again(record: gl.Record | LoggedAnswer, document: Document, problem: LinkingProblem) -> Linked:
    """Rebuild a stored answer on the document's problem with its graph; see `keep`."""
    if not isinstance(record, gl.Record) or not isinstance(record.problem, LinkingProblem):
        raise gl.InvalidProblem(f"the answer for {document.name} is no record of linking")
    measured = record.measurements
    answers = {EXACT: record.result, **measured["others"]}
    return Linked(
        document,
        problem.with_distances(record.problem.distances),
        measured["distance_seconds"],
        # In the order of the run: the first of several proved optima is the one in the message.
        {name: _renamed(answers[name], problem.points.__getitem__) for name in measured["seconds"]},
        measured["seconds"],
        measured["truth"],
    )


def _renamed(result: gl.Result[IntArray], vertices: Callable[[IntArray], Any]) -> gl.Result[IntArray]:
    solutions = tuple(gl.Solution(vertices(solution.structure), solution.value) for solution in result.solutions)
    return attrs.evolve(result, solutions=solutions)


def verify(measured: Measured, console: Console) -> list[str]:
    """Check the certificate of every answer of `EXACT`; return sentences about those that do not hold."""
    solved = [linked for linked in measured.linked if EXACT in linked.results]
    with console.progress("verifying", len(solved)) as advance:

        def answers() -> Iterator[tuple[str, LinkingResult, LinkingProblem]]:
            for linked in solved:
                yield _location(measured, linked), linked.results[EXACT], linked.problem
                advance(1)

        wrong = refused_certificates(answers())
    if solved:
        console.info(f"{len(solved) - len(wrong)} of {len(solved)} certificates verified")
    return wrong


def contradictions(measured: Measured) -> list[str]:
    """Return sentences about costs below a proved optimum, and about two proved optima."""
    return [
        f"{_location(measured, linked)}: {message}"
        for linked in measured.linked
        for message in _contradictions(linked)
    ]


def _contradictions(linked: Linked) -> Iterator[str]:
    optimum = linked.optimum
    if np.isnan(optimum):
        return
    for method, result in linked.results.items():
        message = contradicted_optimum(method, result, linked.problem, optimum)
        if message is not None:
            yield message
    if linked.truth < optimum and not meets(-linked.truth, -optimum):
        yield f"the right answer costs {linked.truth!r}, the proved optimum is {optimum!r}"


def _location(measured: Measured, linked: Linked) -> str:
    return f"{measured.corpus.name}, {measured.connection}, {linked.document.name}"


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the job; return an exit code."""
    return run_in_folder(
        "entity-linking", arguments, ANSWER_OPTIONS, lambda out: _Run(arguments, console, out).all()
    )


class _Run:
    """One run and its answers so far, which are printed after Ctrl-C."""

    def __init__(self, arguments: argparse.Namespace, console: Console, out: RunFolder | None) -> None:
        self.arguments, self.console = arguments, console
        self.methods = tuple(dict.fromkeys(arguments.method or METHODS))
        registry = load_plugins().registry
        for method in self.methods:
            registry.find_method(LinkingProblem, method)
        self.connections = tuple(dict.fromkeys(arguments.connection or (MAXIMAL, MINIMAL)))
        self.limits = gl.Limits(time=arguments.limit_seconds)
        self.out = out
        self.document: dict[str, Any] = {"corpora": [], "proofs": []}
        self.prior = None if arguments.no_prior else PriorReport(console, self.limits)
        self.wrong: list[str] = []
        self.unproved = 0

    def all(self) -> int:
        corpora = self._corpora()
        interrupted = False
        try:
            for corpus in corpora:
                self._corpus(corpus)
        except KeyboardInterrupt:
            interrupted = True
            self.console.error("interrupted: the tables show the finished part")
        self.document["wrong"] = self.wrong
        if self.prior is not None and self.prior.curves:
            keep_drawing(self.out, "prior.svg", self.prior.drawing, self.console)
        end = partial(finish, self.document, self.console, self.out)
        return end(interrupted=interrupted, wrong=self.wrong, proved=not self.unproved)

    def _corpora(self) -> list[Corpus]:
        number = self.arguments.explain
        corpora = load_corpora(self.arguments.data, self.arguments.corpora, self.console)
        if self.out is not None:
            for corpus in corpora:
                self.out.about(f"the graph {corpus.knowledge.name}", graph_fingerprint(corpus.knowledge))
                texts = [(document.name, document.sets, document.fair) for document in corpus.documents]
                self.out.about(f"the documents {corpus.name}", Fingerprint.of(corpus.name, texts))
        corpora = [attrs.evolve(corpus, documents=corpus.documents[: self.arguments.limit]) for corpus in corpora]
        if number and not any(document.name == number for corpus in corpora for document in corpus.documents):
            raise gl.InvalidProblem(
                f"--explain {number}: no such document; the first is {corpora[0].documents[0].name}"
            )
        return corpora

    def _corpus(self, corpus: Corpus) -> None:
        """Process one corpus; raise `KeyboardInterrupt` after looking at everything that is finished."""
        self._say_sizes(corpus)
        measured: list[Measured] = []
        for connection in self.connections:
            one = self._measure(corpus, connection)
            measured.append(one)
            if one.interrupted:
                break
        methods = [name for name in self.methods if any(name in x.results for one in measured for x in one.linked)]
        entry: dict[str, Any] = {"corpus": corpus.name, "documents": len(corpus.documents)}
        self.document["corpora"].append(entry)
        entry["table1"] = table_1(measured, methods, self.console)
        entry["jaccard"] = overlap(measured, self.console)
        if EXACT in methods:
            self.document["proofs"] += proof_table(measured, self.console)
        if measured[-1].interrupted:
            raise KeyboardInterrupt
        entry["directed"] = directed_values(corpus, self.console)
        self.console.info()
        self._explain(measured[0], entry)
        if self.prior is not None and EXACT in methods:
            entry["prior"] = self.prior.of(measured)

    def _say_sizes(self, corpus: Corpus) -> None:
        documents, graph = corpus.documents, corpus.knowledge.graph
        sets = [members.size for document in documents for members in document.sets]
        self.console.info(
            f"{corpus.name}: {len(documents)} documents with {len(sets) / len(documents):.1f} mentions on average, "
            f"at most {max(len(one.sets) for one in documents)}; {np.mean(sets):.1f} candidates for each, at most "
            f"{max(sets)}; graph {corpus.knowledge.name}: {graph.vertex_count} vertices, {graph.edge_count} edges"
        )

    def _measure(self, corpus: Corpus, connection: str) -> Measured:
        # On the graph as it is the sets need not be connected, which the spanning tree stands on.
        methods = [name for name in self.methods if connection != PLAIN or name != "spanning-tree"]
        log_name = f"{corpus.name.replace(' ', '-')}.{connection}.jsonl.gz"
        log = self.out.log(log_name) if self.out is not None and EXACT in methods else None
        one = measure(
            corpus,
            connection,
            methods,
            self.console,
            limits=self.limits,
            seed=self.arguments.seed,
            jobs=self.arguments.jobs,
            known=self._known(log, corpus, connection),
            finished=bool if log is None else partial(keep, log, corpus.knowledge.titles),
        )
        self.wrong += [*one.failed, *contradictions(one), *verify(one, self.console)]
        self.unproved += sum(bool(np.isnan(linked.optimum)) for linked in one.linked)
        if log is not None and len(log):
            self.console.info(f"answers kept: {log.path}")
        return one

    def _known(self, log: AnswerLog | None, corpus: Corpus, connection: str) -> dict[int, Callable[[], Linked]]:
        """Read the documents that were finished before, one by one."""
        names = [document.name for document in corpus.documents]
        places = stored_places(log, names, "documents", f"{corpus.name}, {connection}", self.console)

        def read(i: int, log: AnswerLog) -> Linked:
            problem = connected(corpus.documents[i].problem(corpus.knowledge.graph), connection)
            return linked_again(log[names[i]], corpus.documents[i], problem)

        return {} if log is None else {i: partial(read, i, log) for i in places}

    def _explain(self, measured: Measured, entry: dict[str, Any]) -> None:
        for linked in measured.linked:
            if linked.document.name == self.arguments.explain and EXACT in linked.results:
                entry["explained"] = explain(linked, measured.corpus.knowledge, self.console, self.limits)
                draw = partial(_neighbourhood, linked, measured.corpus.knowledge)
                keep_drawing(self.out, "neighbourhood.svg", draw, self.console)


def _neighbourhood(linked: Linked, knowledge: Knowledge) -> str:
    """Draw the exact answer, right and wrong candidates in green and red."""
    document = linked.document
    return draw_choice(
        linked.problem,
        linked.results[EXACT].best,
        document.mentions,
        name=knowledge.titles.__getitem__,
        fair=[set(vertices.tolist()) for vertices in document.fair],
        title=document.text or document.name,
    )
