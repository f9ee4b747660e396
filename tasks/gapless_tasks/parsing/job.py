"""The parsing job: train or load a parser, parse the test part exactly, print the tables, draw the figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console
from gapless.runs import RunFolder
from gapless_models.parsing import Sentence
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank, load_treebank
from gapless_tasks.parsing import options
from gapless_tasks.parsing.explaining import explain_sentence
from gapless_tasks.parsing.length_figures import can_draw, show_figures, write_figures
from gapless_tasks.parsing.outcome import Outcome, decode, keep_trees
from gapless_tasks.parsing.parser import SOURCE, ParserSource, Request
from gapless_tasks.parsing.tables import (
    MEANINGS,
    PLOTLY_MISSING,
    SPEEDS,
    Tables,
    figures,
    models,
    show_exact_parsing,
    show_verified,
)
from gapless_tasks.run_options import finish, run_in_folder


@attrs.frozen
class ParsingJob:
    """The task ``gapless run dependency-parsing``."""

    source: ParserSource

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Run the job."""
        options.prepare(arguments)
        return run_in_folder(
            "dependency-parsing", arguments, options.ANSWER_OPTIONS, lambda out: self._run(arguments, console, out)
        )

    def _run(self, arguments: argparse.Namespace, console: Console, out: RunFolder | None) -> int:
        path = Path(arguments.model) if arguments.model else None
        parser = self.source.stored(path, arguments, console)
        arguments = options.effective(arguments, self.source.families, parser)
        if arguments.projective is not None:
            self.check_method(arguments)
        treebank = load_treebank(arguments.treebank, arguments.data).first(arguments.sentences)
        if arguments.projective is None:
            arguments.projective = treebank.projective
            self.check_method(arguments)
        if arguments.explain and arguments.explain > len(treebank.test):
            raise gl.InvalidProblem(f"--explain {arguments.explain}: there are {len(treebank.test)} test sentences")
        if arguments.tables and out is not None and not can_draw():
            console.error(f"figures.html will not be written: {PLOTLY_MISSING}")  # now, not after the training
        console.info(
            f"{treebank.name}: {len(treebank.train)} training, {len(treebank.dev)} dev, {len(treebank.test)} test "
            f"sentences; the parser chooses among {options.kind(arguments.projective)} trees"
        )
        if parser is None:
            parser = self.source.trained(treebank, Request.of(arguments, arguments.factors), path, console)
        limits_of_gold(treebank.test, parser, console)
        outcome, problems = decode(
            parser,
            treebank.test,
            arguments,
            console,
            max_heads=arguments.max_heads,
            verify=arguments.verify,
            out=out,
        )
        document = {
            **described(arguments, treebank, parser),
            **outcome.document(),
            "several_roots": sum(sentence.heads.count(0) > 1 for sentence in treebank.test),
        }
        show_outcome(outcome, len(treebank.test), arguments, console)
        if arguments.explain:
            explain_sentence(document, arguments.explain, problems, treebank.test, outcome.parsed, console)
        if out is not None:
            keep_trees(out.path, treebank, outcome.parsed)
        interrupted = outcome.parsed.interrupted
        if arguments.tables and not interrupted:
            tables = Tables(self.source, treebank, arguments, console, out)
            document["tables"] = tables.show()
            interrupted = tables.interrupted
            curves = figures(tables.curves) if tables.curves else []
            document["figures"] = show_figures(curves, console)
            if out is not None and curves and can_draw():
                write_figures(curves, treebank.name, out.path / "figures.html", PLOTLY_MISSING)
                console.info(f"figures 4 and 5 drawn: {out.path / 'figures.html'}")
        parsed = outcome.parsed
        refused = parsed.verified is not None and not parsed.verified[parsed.proved].all()
        end = partial(finish, document, console, out)
        return end(interrupted=interrupted, failed=refused, proved=bool(parsed.proved.all()))

    def check_method(self, arguments: argparse.Namespace) -> None:
        """Refuse a method or a backbone that does not fit the factors of every model to come."""
        rows = models(self.source.families, arguments.projective) if arguments.tables else []
        for families in dict.fromkeys([arguments.factors, *(families for _, families in rows)]):
            options.check_method(arguments, self.source.trial, families)


JOB = ParsingJob(SOURCE)


def show_outcome(outcome: Outcome, count: int, arguments: argparse.Namespace, console: Console) -> None:
    """Print accuracy, proofs and speed."""
    document = outcome.document()
    clock = "CPU time" if arguments.jobs == 1 else f"clock, {arguments.jobs} processes already started"
    heads = "all heads" if arguments.max_heads is None else f"{arguments.max_heads} heads a word and the root"
    show_exact_parsing(
        f"Exact parsing of {outcome.parsed.reached:,} of {count:,} test sentences ({clock}; {heads})",
        {
            "UAS %": document["uas"],
            "with punct. %": document["uas_with_punctuation"],
            "whole trees %": document["whole_trees"],
            "proved %": document["proved"],
        },
        document,
        SPEEDS,
        console,
    )
    console.info(MEANINGS)
    if arguments.max_heads is not None:
        console.info("the proofs are about the trees that the kept heads make: --max-heads all leaves none out")
    show_verified(outcome.parsed, console)
    if outcome.parsed.interrupted:
        console.error(f"interrupted: {outcome.parsed.reached} of {count} sentences parsed, short ones first")


def limits_of_gold(sentences: Sequence[Sentence], parser: ParserModel, console: Console) -> None:
    """Report which gold trees are missing, and which the parser cannot find under any scores."""
    missing = sum(not sentence.heads for sentence in sentences)
    if missing:
        console.info(f"{missing} of {len(sentences)} test sentences have no gold tree: they are parsed, not scored")
    several = sum(sentence.heads.count(0) > 1 for sentence in sentences)
    if several and parser.single_root:
        console.info(
            f"{several} of {len(sentences)} gold test trees have several words under the root: the parser chooses "
            "among trees with one and cannot find them"
        )


def described(arguments: argparse.Namespace, treebank: Treebank, parser: ParserModel) -> dict[str, Any]:
    """Return the options of the run as JSON data."""
    return {
        "treebank": treebank.name,
        "families": list(parser.families),
        "projective": parser.projective,
        "method": options.method_of(arguments),
        "backbone": arguments.backbone,
        "model": arguments.model,
        "max_heads": arguments.max_heads,
        "epochs": parser.training.get("epochs"),
        "seed": parser.training.get("seed"),
        "limit_seconds": arguments.limit_seconds,
        "jobs": arguments.jobs,
    }
