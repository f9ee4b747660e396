"""The parsing job: train or load a parser, parse the test part exactly, print the tables, draw the figures."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.core.serial import write_aside
from gapless.plugins import load_plugins
from gapless_dependency import ParsingProblem
from gapless_tasks.dependency_parsing import options
from gapless_tasks.dependency_parsing.decoding import Parsed, parse_all
from gapless_tasks.dependency_parsing.evaluation import Accuracy, accuracy
from gapless_tasks.dependency_parsing.explaining import explain
from gapless_tasks.dependency_parsing.figures import (
    PLOTLY_MISSING,
    can_draw,
    show_figures,
    write_figures,
)
from gapless_tasks.dependency_parsing.parser import Parser, ParserSource, Request
from gapless_tasks.dependency_parsing.svg_drawing import draw_svg
from gapless_tasks.dependency_parsing.tables import Tables
from gapless_tasks.dependency_parsing.treebank import Treebank, load_treebank
from gapless_tasks.parsing import Sentence


@attrs.frozen
class Outcome:
    """What one parser did with one part.

    Parameters
    ----------
    accuracy : Accuracy
    parsed : Parsed
    scoring_seconds : float
        CPU time of looking up the features' weights.
    """

    accuracy: Accuracy
    parsed: Parsed
    scoring_seconds: float

    def document(self) -> dict[str, Any]:
        """As JSON data."""
        reached = max(1, self.parsed.reached)
        return {
            "sentences": self.parsed.reached,
            "uas": self.accuracy.uas,
            "uas_with_punctuation": self.accuracy.uas_all,
            "whole_trees": self.accuracy.exact,
            "proved": float(self.parsed.proved.sum()) / reached,
            "verified": float(self.parsed.verified.sum()) / reached,
            "words_per_second": self.parsed.words_per_second,
            "scoring_seconds": self.scoring_seconds,
            "decoding_seconds": self.parsed.seconds,
            "oracle_calls": self.parsed.mean("dp_calls"),
            "nodes": self.parsed.mean("nodes"),
            "closed_at_root": self.parsed.mean("root_closed"),
            "interrupted": self.parsed.interrupted,
        }


@attrs.frozen
class ParsingJob:
    """``gapless run dependency-parsing``.

    Parameters
    ----------
    source : ParserSource
    """

    source: ParserSource

    def task(self) -> gl.Task:
        """The task to register."""
        return gl.Task(
            "dependency-parsing",
            "Dependency parsing with non-local factors: exact decoding of projective and other trees.",
            options.add_arguments,
            self.run,
        )

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Do the job."""
        out = options.prepare(arguments)
        chosen = options.families(arguments, self.source.families)
        treebank = load_treebank(arguments.treebank, arguments.data).first(arguments.sentences)
        if arguments.explain and arguments.explain > len(treebank.test):
            raise gl.InvalidProblem(f"--explain {arguments.explain}: there are {len(treebank.test)} test sentences")
        kind = "projective" if treebank.projective else "non-projective"
        console.say(
            f"{treebank.name}: {len(treebank.train)} training, {len(treebank.dev)} dev, {len(treebank.test)} test "
            f"sentences, {kind}"
        )
        stored = Path(arguments.model) if arguments.model else None
        request = Request(chosen, arguments.epochs, arguments.seed, arguments.heads_kept)
        parser = self.parser(treebank, request, stored, arguments, console)
        outcome, problems = self.decode(
            parser, treebank.test, arguments, console, heads_kept=arguments.heads_kept, keep=out is not None
        )
        document = {"treebank": treebank.name, "families": list(parser.families), **outcome.document()}
        show_outcome(outcome, len(treebank.test), arguments, console)
        if arguments.explain:
            place = arguments.explain - 1
            if place in outcome.parsed.heads:
                heads = outcome.parsed.heads[place]
                document["explained"] = explain(problems[place], treebank.test[place], heads, console)
            else:
                console.complain(f"--explain {arguments.explain}: this sentence has no tree")
        if out is not None:
            _keep(out, treebank.test, problems, outcome.parsed)
        interrupted = outcome.parsed.interrupted
        if arguments.tables and not interrupted:
            tables = Tables(self, treebank, arguments, console)
            document["tables"] = tables.show()
            interrupted = tables.interrupted
            document["figures"] = show_figures(tables.curves, console)
            if out is not None and can_draw():
                write_figures(tables.curves, treebank.name, out / "figures.html")
                console.say(f"figures 4 and 5 drawn: {out / 'figures.html'}")
            elif out is not None:
                console.complain(PLOTLY_MISSING)
        console.data(document)
        if out is not None:
            write_aside(out / "summary.json", json.dumps(document, indent=2, default=float) + "\n")
        if interrupted:
            return exit_codes.INTERRUPTED
        parsed = outcome.parsed
        if arguments.verify and not parsed.verified[parsed.proved].all():
            return exit_codes.FAILED
        return exit_codes.PROVED if parsed.proved.all() else exit_codes.STOPPED_EARLY

    def parser(
        self,
        treebank: Treebank,
        request: Request,
        stored: Path | None,
        arguments: argparse.Namespace,
        console: Console,
    ) -> Parser:
        """Load the stored parser, or train one and store it.

        Raises
        ------
        InvalidProblem
            The file is no stored parser, or there is nothing to train on.
        """
        start = time.perf_counter()
        if stored is not None and stored.exists() and not arguments.train:
            try:
                loaded = self.source.load(stored)
            except ValueError as error:
                raise gl.InvalidProblem(f"--model {error}") from error
            console.say(f"parser of {stored}: {_named(loaded.families)}")
            return loaded
        if not treebank.train:
            raise gl.InvalidProblem(
                f"--treebank {treebank.name} has no training part: give --model a stored parser"
            )
        if stored is not None:
            request = attrs.evolve(request, checkpoint=Path(f"{stored}.epochs"))
        parser = self.source.train(treebank, request, console)
        if stored is not None:
            parser.save(stored)
            # By name: a pattern would take the checkpoints of a neighbour, parser.npz2, too.
            for kept in (".epochs", ".pruner.epochs"):
                Path(f"{stored}{kept}").unlink(missing_ok=True)
        console.say(f"trained with {_named(request.families)} in {time.perf_counter() - start:.0f} s")
        return parser

    def decode(
        self,
        parser: Parser,
        sentences: Sequence[Sentence],
        arguments: argparse.Namespace,
        console: Console,
        *,
        keep: bool = False,
        title: str = "parsing",
        heads_kept: int | None,
    ) -> tuple[Outcome, list[ParsingProblem]]:
        """Score and parse sentences."""
        method = load_plugins().registry.find_method(ParsingProblem, arguments.method)
        chosen = {"backbone": arguments.backbone} if arguments.backbone else {}
        start = time.process_time()
        problems = []
        with console.progress("scoring", len(sentences)) as advance:
            for sentence in sentences:
                problem = parser.problem(sentence, heads_kept=heads_kept)
                for scored in problem.conjunctions:
                    scored.scores(np.arange(len(scored.scopes)))  # now: decoding is timed apart from scoring
                problems.append(problem)
                advance(1)
        seconds = time.process_time() - start
        parsed = parse_all(
            problems,
            method.name,
            console,
            title=title,
            options=chosen,
            limits=gl.Limits(time=arguments.limit_seconds),
            jobs=arguments.jobs,
            verify=arguments.verify,
            keep=keep,
        )
        return Outcome(accuracy(sentences, parsed.heads), parsed, seconds), problems


def show_outcome(outcome: Outcome, count: int, arguments: argparse.Namespace, console: Console) -> None:
    """Print how right, how sure and how fast."""
    known = outcome.document()
    clock = "CPU time" if arguments.jobs == 1 else f"clock, {arguments.jobs} processes"
    kept = "all heads" if arguments.heads_kept is None else f"{arguments.heads_kept} heads a word and the root"
    columns = ["UAS %", "with punct. %", "whole trees %", "proved %", "words/s", "oracle calls", "closed at root %"]
    row = [
        *(round(100 * known[name], 2) for name in ("uas", "uas_with_punctuation", "whole_trees", "proved")),
        round(known["words_per_second"]),
        "" if known["oracle_calls"] is None else round(known["oracle_calls"], 1),
        "" if known["closed_at_root"] is None else round(100 * known["closed_at_root"], 1),
    ]
    console.table(
        f"Exact parsing of {outcome.parsed.reached} of {count} test sentences ({clock}; {kept})", columns, [row]
    )
    if arguments.heads_kept is not None:
        console.say("the proofs are about the trees that the kept heads make: --heads-kept all leaves none out")
    if arguments.verify:
        console.say(f"certificates verified: {int(outcome.parsed.verified.sum())} of {outcome.parsed.reached}")
    if outcome.parsed.interrupted:
        console.complain(f"interrupted: {outcome.parsed.reached} of {count} sentences parsed, short ones first")


def _named(families: Sequence[str]) -> str:
    return ", ".join(families) if families else "arcs only"


def _keep(out: Path, sentences: Sequence[Sentence], problems: Sequence[ParsingProblem], parsed: Parsed) -> None:
    """Every answer with its certificate, and every tree drawn."""
    records = (
        gl.dumps(gl.Record(problems[i], result, f"sentence {i + 1}")) + "\n"
        for i, result in sorted(parsed.results.items())
    )
    write_aside(out / "answers.jsonl", "".join(records))
    trees = out / "trees"
    trees.mkdir(exist_ok=True)
    for i, heads in sorted(parsed.heads.items()):
        one = sentences[i]
        drawn = draw_svg(one.words, heads.tolist(), labels=one.labels, tags=one.tags, gold=one.heads or None)
        write_aside(trees / f"{i + 1}.svg", drawn)
