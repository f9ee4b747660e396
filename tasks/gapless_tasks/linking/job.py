"""The task: link every document by every method, verify, and print the tables of the paper."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.plugins import load_plugins
from gapless.runs import AnswerLog, Fingerprint, RunFolder
from gapless_linking import LinkingProblem
from gapless_linking.choice_drawing import draw_choice
from gapless_models.linking.corpora import load_corpora
from gapless_models.linking.document import Corpus, Knowledge, graph_fingerprint
from gapless_tasks.linking.answers import keep, linked_again
from gapless_tasks.linking.directed import directed_values
from gapless_tasks.linking.explaining import explain
from gapless_tasks.linking.measuring import (
    EXACT,
    MAXIMAL,
    METHODS,
    MINIMAL,
    PLAIN,
    Linked,
    Measured,
    connected,
    measure,
)
from gapless_tasks.linking.options import ANSWER_OPTIONS
from gapless_tasks.linking.prior_report import PriorReport
from gapless_tasks.linking.tables import overlap, proof_table, table_1
from gapless_tasks.linking.verifying import contradictions, unproved, verify
from gapless_tasks.run_options import finish, keep_drawing, run_in_folder
from gapless_tasks.stored_answers import stored_places


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
        self.unproved += unproved(one)
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
