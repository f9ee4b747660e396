"""The task: train, decode by every decoder, verify, and print the tables of the paper."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless.runs import Fingerprint, RunFolder
from gapless_models.titles.corpus import Corpus, load_corpus
from gapless_models.titles.graph import TitleGraph, prepare, train_model
from gapless_ordering.path_drawing import draw_path
from gapless_tasks.run_options import finish, keep_drawing, run_in_folder
from gapless_tasks.stored_answers import refused_certificates
from gapless_tasks.titles.convergence import converge, draw_convergence, show_convergence
from gapless_tasks.titles.decoders import COLOUR_CODING, INTEGER_PROGRAMS, METHODS, Decoder, decoders
from gapless_tasks.titles.explaining import explain
from gapless_tasks.titles.measuring import Decoded, contradictions, decode, proved_optima
from gapless_tasks.titles.options import ANSWER_OPTIONS
from gapless_tasks.titles.tables import MISSING, can_score, show_titles, table_1


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the job; return an exit code."""
    return run_in_folder(
        "title-generation", arguments, ANSWER_OPTIONS, lambda out: _Run(arguments, console, out).all()
    )


class _Run:
    """One run and its answers so far, which are printed after Ctrl-C."""

    def __init__(self, arguments: argparse.Namespace, console: Console, out: RunFolder | None) -> None:
        self.arguments, self.console = arguments, console
        methods = list(arguments.method or METHODS)
        if arguments.ilp_seconds:
            methods += INTEGER_PROGRAMS
        self.decoders = decoders(methods)
        self.out = out
        self.document: dict[str, Any] = {}
        self.decoded: list[Decoded] = []
        self.wrong: list[str] = []
        self.interrupted = False

    def all(self) -> int:
        if not can_score():
            self.console.error(MISSING)
        corpus = load_corpus(self.arguments.data, extra=self.arguments.extra)
        graphs = self._graphs(corpus)
        try:
            for decoder in self.decoders:
                self._decode(decoder, graphs)
        except KeyboardInterrupt:
            self.interrupted = True
            self.console.error("interrupted: the tables show the finished part")
        optima = proved_optima(self.decoded, len(graphs))
        self.wrong += contradictions(self.decoded, optima, graphs)
        self._report(graphs, optima)
        self.document["wrong"] = self.wrong
        end = partial(finish, self.document, self.console, self.out)
        return end(interrupted=self.interrupted, wrong=self.wrong, proved=not np.isnan(optima).any())

    def _graphs(self, corpus: Corpus) -> Sequence[TitleGraph]:
        """Train, and build the graphs of the test sections."""
        if self.out is not None:
            texts = [(s.name, s.title, s.body) for part in (corpus.train, corpus.test, corpus.extra) for s in part]
            self.out.about("the sections", Fingerprint.of(corpus.name, texts))
        test = corpus.test[: self.arguments.limit]
        number = self.arguments.explain
        if number and number not in {section.name for section in test}:
            raise gl.InvalidProblem(f"--explain {number}: no such test section; the first is {test[0].name}")
        self.console.info(f"{corpus.name}: {len(corpus.train)} training, {len(test)} test sections")
        start = time.process_time()
        prepared = prepare(train_model(corpus), test, self.console)
        seconds = time.process_time() - start
        graphs = prepared.graphs
        for section, why in prepared.left_out:
            self.console.info(f"left out: {section.name}: {why}")
        if not graphs:
            raise gl.InvalidProblem(f"{corpus.name}: no test section has a graph: {prepared.left_out[0][1]}")
        sizes = np.array([(g.problem.vertices, g.problem.class_count, g.problem.length) for g in graphs])
        self.console.info(
            f"trained, and {len(graphs)} graphs built, in {seconds:.1f} s of CPU time: {sizes[:, 0].mean():.0f} "
            f"words in {sizes[:, 1].mean():.0f} classes on average, at most {sizes[:, 0].max()}; titles of "
            f"{sizes[:, 2].mean():.1f} content words, at most {sizes[:, 2].max()}"
        )
        self.console.info()
        self.document |= {
            "corpus": corpus.name,
            "training_sections": len(corpus.train),
            "test_sections": len(test),
            "verified": {},
            "left_out": {section.name: why for section, why in prepared.left_out},
        }
        return graphs

    def _decode(self, decoder: Decoder, graphs: Sequence[TitleGraph]) -> None:
        """Process one decoder; raise `KeyboardInterrupt` after looking at everything that is finished."""
        seconds, numbers = self.arguments.limit_seconds, None
        if decoder.slow and self.arguments.ilp_seconds:
            seconds = self.arguments.ilp_seconds
            spread = np.linspace(0, len(graphs) - 1, min(self.arguments.ilp_titles, len(graphs)))
            numbers = spread.round().astype(int).tolist()
        decoded = decode(
            decoder,
            graphs,
            self.console,
            limits=gl.Limits(time=seconds),
            seed=self.arguments.seed,
            numbers=numbers,
            jobs=self.arguments.jobs if decoder.slow else 1,
            log=None if self.out is None else self.out.log(decoder.log, records=decoder.records),
        )
        self.decoded.append(decoded)
        if decoded.failed:
            self.wrong.append(f"{decoder.name}: {decoded.failed} titles failed")
        self._verify(decoded, graphs)
        if self.out is not None and decoder.records and decoded.certified:
            self.console.info(f"answers kept: {self.out.path / decoder.log}")
        if decoded.interrupted:
            raise KeyboardInterrupt

    def _verify(self, decoded: Decoded, graphs: Sequence[TitleGraph]) -> None:
        """Check every certificate."""
        name, certified = decoded.decoder.name, decoded.certified
        refused = refused_certificates(
            (f"{name}: {graphs[i].section.name}", result, graphs[i].problem) for i, result in certified.items()
        )
        self.wrong += refused
        verified = self.document["verified"][name] = len(certified) - len(refused)
        if certified:
            self.console.info(f"{name}: {verified} of {len(certified)} certificates verified")

    def _report(self, graphs: Sequence[TitleGraph], optima: FloatArray) -> None:
        self.console.info()
        self.document["table1"] = table_1(self.decoded, graphs, optima, self.console, "CPU time")
        for best in self.decoded[:1]:
            self.document["titles"] = show_titles(best, graphs, self.console)
            if self.arguments.explain:
                self._explain(best, graphs)
        colours = any(decoded.decoder.method == COLOUR_CODING for decoded in self.decoded)
        if colours and not self.arguments.no_figure and not self.interrupted:
            self._figure(graphs, optima)

    def _explain(self, decoded: Decoded, graphs: Sequence[TitleGraph]) -> None:
        name = self.arguments.explain
        i = next((i for i, graph in enumerate(graphs) if graph.section.name == name), None)
        result = None if i is None else decoded.results.get(i)
        if i is None or result is None or not result.solutions:
            self.console.error(f"--explain {name}: this section has no title by {decoded.decoder.name}")
            return
        self.document["explained"] = explain(graphs[i], result.best, self.console)
        problem = graphs[i].problem
        title = f"{' '.join(graphs[i].section.title)}: best path of {problem.length} words"
        keep_drawing(self.out, "graph.svg", partial(draw_path, problem, result.best, title), self.console)

    def _figure(self, graphs: Sequence[TitleGraph], optima: FloatArray) -> None:
        convergence, interrupted = converge(graphs, optima, self.console, seed=self.arguments.seed)
        self.interrupted |= interrupted
        if not convergence.found.size:
            self.console.error("figure 2 is left out: no title has a proved optimum")
            return
        self.document["figure2"] = show_convergence(convergence, self.console)
        keep_drawing(self.out, "figure2.svg", partial(draw_convergence, convergence), self.console)
