"""The parsing job: train or load a parser, parse the test part exactly, print the tables, draw the figures."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.cli.outputs import check_output
from gapless.runs import Fingerprint, RunFolder
from gapless_dependency import ParsingProblem
from gapless_models.parsing import Attachment, Sentence, attachment
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank, load_treebank
from gapless_tasks.parsing import options
from gapless_tasks.parsing.answers import ANSWERS, gold_tree, keep_trees
from gapless_tasks.parsing.decoding import parse_all
from gapless_tasks.parsing.explaining import explain
from gapless_tasks.parsing.figures import PLOTLY_MISSING, figures
from gapless_tasks.parsing.from_arrays import certified_rate
from gapless_tasks.parsing.length_figures import can_draw, show_figures, write_figures
from gapless_tasks.parsing.parsed import Parsed, known
from gapless_tasks.parsing.parser import ParserSource, Request
from gapless_tasks.parsing.perceptron_parser import SOURCE
from gapless_tasks.parsing.tables import MEANINGS, SPEEDS, Tables, models, speeds
from gapless_tasks.parsing.training_progress import forget_checkpoints
from gapless_tasks.run_options import finish, run_in_folder


@attrs.frozen
class Outcome:
    """The answers of one parser on one part of a treebank.

    Parameters
    ----------
    accuracy : Attachment
        Of the sentences that have a gold tree.
    scoring_seconds : float
        CPU time of looking up the features' weights.
    certified_words_per_second : float or None
        CPU time from arrays of scores to results with their certificates; None with several processes.
    """

    accuracy: Attachment
    parsed: Parsed
    scoring_seconds: float
    certified_words_per_second: float | None

    def document(self) -> dict[str, Any]:
        """As JSON data."""
        reached = max(1, self.parsed.reached)
        return {
            "sentences": self.parsed.reached,
            "scored": len(self.accuracy.words),
            "uas": known(self.accuracy.uas_without_punctuation),
            "uas_with_punctuation": known(self.accuracy.uas),
            "whole_trees": known(self.accuracy.whole_trees),
            "proved": float(self.parsed.proved.sum()) / reached,
            "verified": None if self.parsed.verified is None else float(self.parsed.verified.sum()) / reached,
            "words_per_second": self.parsed.words_per_second,
            "certified_words_per_second": self.certified_words_per_second,
            "scoring_seconds": self.scoring_seconds,
            "decoding_seconds": self.parsed.seconds,
            "oracle_calls": self.parsed.mean("dp_calls"),
            "nodes": self.parsed.mean("nodes"),
            "closed_at_root": self.parsed.mean("root_closed"),
            "interrupted": self.parsed.interrupted,
        }


@attrs.frozen
class ParsingJob:
    """``gapless run dependency-parsing``."""

    source: ParserSource

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Run the job."""
        options.prepare(arguments)
        return run_in_folder(
            "dependency-parsing", arguments, options.ANSWER_OPTIONS, lambda out: self._run(arguments, console, out)
        )

    def _run(self, arguments: argparse.Namespace, console: Console, out: RunFolder | None) -> int:
        place = Path(arguments.model) if arguments.model else None
        parser = self.stored(place, arguments, console)
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
            console.complain(f"figures.html will not be written: {PLOTLY_MISSING}")  # now, not after the training
        console.say(
            f"{treebank.name}: {len(treebank.train)} training, {len(treebank.dev)} dev, {len(treebank.test)} test "
            f"sentences; the parser chooses among {options.kind(arguments.projective)} trees"
        )
        if parser is None:
            parser = self.trained(treebank, self.request(arguments, arguments.families), place, console)
        limits_of_gold(treebank.test, parser, console)
        outcome, problems = self.decode(
            parser,
            treebank.test,
            arguments,
            console,
            heads_kept=arguments.heads_kept,
            verify=arguments.verify,
            out=out,
        )
        document = {
            **described(arguments, treebank, parser),
            **outcome.document(),
            "several_roots": sum(one.heads.count(0) > 1 for one in treebank.test),
        }
        show_outcome(outcome, len(treebank.test), arguments, console)
        if arguments.explain:
            place = arguments.explain - 1
            if place in outcome.parsed.heads:
                heads = outcome.parsed.heads[place]
                document["explained"] = explain(problems[place], treebank.test[place], heads, console)
            else:
                console.complain(f"--explain {arguments.explain}: this sentence has no tree")
        if out is not None:
            keep_trees(out.path, treebank, outcome.parsed)
        interrupted = outcome.parsed.interrupted
        if arguments.tables and not interrupted:
            tables = Tables(self, treebank, arguments, console, out)
            document["tables"] = tables.show()
            interrupted = tables.interrupted
            drawn = figures(tables.curves) if tables.curves else []
            document["figures"] = show_figures(drawn, console)
            if out is not None and drawn and can_draw():
                write_figures(drawn, treebank.name, out.path / "figures.html", PLOTLY_MISSING)
                console.say(f"figures 4 and 5 drawn: {out.path / 'figures.html'}")
        parsed = outcome.parsed
        refused = parsed.verified is not None and not parsed.verified[parsed.proved].all()
        end = partial(finish, document, console, out)
        return end(interrupted=interrupted, failed=refused, proved=bool(parsed.proved.all()))

    def stored(self, place: Path | None, arguments: argparse.Namespace, console: Console) -> ParserModel | None:
        """The parser of a file; None where there is none, or a new one is to take its place.

        Raises
        ------
        InvalidProblem
            The file is no stored parser.
        """
        if place is None or not place.exists():
            return None
        if arguments.train:
            check_output(place, self._is_parser, overwrite=arguments.overwrite)
            return None
        try:
            loaded = self.source.load(place)
        except ValueError as error:
            raise gl.InvalidProblem(f"--model {error}") from error
        console.say(f"parser of {place}: {_named(loaded.families)}")
        return loaded

    def _is_parser(self, place: Path) -> bool:
        with contextlib.suppress(ValueError):
            self.source.load(place)
            return True
        return False

    def trained(self, treebank: Treebank, request: Request, place: Path | None, console: Console) -> ParserModel:
        """Train a parser, and store it if there is a place for it.

        Raises
        ------
        InvalidProblem
            There is nothing to train on.
        """
        start = time.perf_counter()
        if not treebank.train:
            raise gl.InvalidProblem(
                f"--treebank {treebank.name} has no training part: give --model a stored parser"
            )
        if place is not None:
            request = attrs.evolve(request, checkpoint=Path(f"{place}.epochs"))
        parser = self.source.train(treebank, request, console)
        if place is not None:
            parser.save(place)
            forget_checkpoints(place)
        console.say(f"trained with {_named(request.families)} in {time.perf_counter() - start:.0f} s")
        return parser

    def parser(
        self,
        treebank: Treebank,
        request: Request,
        place: Path | None,
        arguments: argparse.Namespace,
        console: Console,
    ) -> ParserModel:
        """The parser that a request makes: of a file that says that it is that one, or a new one.

        Raises
        ------
        InvalidProblem
            The file is no stored parser, or one that was trained in another way; there is nothing to train on.
        """
        found = self.stored(place, arguments, console)
        if found is None:
            return self.trained(treebank, request, place, console)
        different = request.differences(found, treebank)
        if different:
            raise gl.InvalidProblem(
                f"--model: {place} was trained in another way ({'; '.join(different)}); give the same options and "
                "treebank, remove the file, or use --train to train all anew"
            )
        return found

    def request(self, arguments: argparse.Namespace, families: tuple[str, ...]) -> Request:
        """The training under the final options."""
        return Request(
            families, arguments.epochs, arguments.seed, arguments.heads_kept, projective=arguments.projective
        )

    def check_method(self, arguments: argparse.Namespace) -> None:
        """Refuse a method or a backbone that does not fit the factors of every model to come."""
        rows = models(self.source.families, arguments.projective) if arguments.tables else []
        for families in dict.fromkeys([arguments.families, *(families for _, families in rows)]):
            options.check_method(arguments, self.source.trial, families)

    def decode(
        self,
        parser: ParserModel,
        sentences: Sequence[Sentence],
        arguments: argparse.Namespace,
        console: Console,
        *,
        out: RunFolder | None = None,
        log: str = ANSWERS,
        verify: bool = False,
        title: str = "parsing",
        heads_kept: int | None,
    ) -> tuple[Outcome, list[ParsingProblem]]:
        """Score and parse sentences, and keep the answers in a log of the run's folder."""
        method = options.method_of(arguments)
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
        if out is not None:
            out.about(f"scores for {log}", fingerprint(problems, title))
        parsed = parse_all(
            problems,
            method,
            console,
            title=title,
            options=options.method_options(arguments),
            limits=gl.Limits(time=arguments.limit_seconds),
            jobs=arguments.jobs,
            verify=verify,
            log=None if out is None else out.log(log, records=log == ANSWERS),
            words=[sentence.words for sentence in sentences],
            gold=[gold_tree(sentence) for sentence in sentences],
        )
        certified = None
        if arguments.jobs == 1 and not parsed.interrupted:
            measure = partial(
                certified_rate,
                [problem for i, problem in enumerate(problems) if i in parsed.heads],
                method,
                console,
                title,
                options=options.method_options(arguments),
                limits=gl.Limits(time=arguments.limit_seconds),
            )
            certified = measure() if out is None else out.timed(log, measure)
        gold = [i for i, sentence in enumerate(sentences) if sentence.heads]
        found = attachment([sentences[i] for i in gold], [parsed.heads.get(i) for i in gold])
        return Outcome(found, parsed, seconds, certified), problems


JOB = ParsingJob(SOURCE)


def show_outcome(outcome: Outcome, count: int, arguments: argparse.Namespace, console: Console) -> None:
    """Print accuracy, proofs and speed."""
    found = outcome.document()
    clock = "CPU time" if arguments.jobs == 1 else f"clock, {arguments.jobs} processes already started"
    kept = "all heads" if arguments.heads_kept is None else f"{arguments.heads_kept} heads a word and the root"
    columns = ["UAS %", "with punct. %", "whole trees %", "proved %", *SPEEDS, "oracle calls", "closed at root %"]
    shares = [found[name] for name in ("uas", "uas_with_punctuation", "whole_trees", "proved")]
    row = [
        *("" if share is None else round(100 * share, 2) for share in shares),
        *speeds(found),
        "" if found["oracle_calls"] is None else round(found["oracle_calls"], 1),
        "" if found["closed_at_root"] is None else round(100 * found["closed_at_root"], 1),
    ]
    console.table(
        f"Exact parsing of {outcome.parsed.reached:,} of {count:,} test sentences ({clock}; {kept})", columns, [row]
    )
    console.say(MEANINGS)
    if arguments.heads_kept is not None:
        console.say("the proofs are about the trees that the kept heads make: --heads-kept all leaves none out")
    if outcome.parsed.verified is not None:
        console.say(f"certificates verified: {int(outcome.parsed.verified.sum())} of {outcome.parsed.reached}")
    if outcome.parsed.interrupted:
        console.complain(f"interrupted: {outcome.parsed.reached} of {count} sentences parsed, short ones first")


def fingerprint(problems: Sequence[ParsingProblem], name: str) -> Fingerprint:
    """A digest of sentences and parser: a run continues under the same ones only."""
    everything = [
        (one.scores, [scored.scores(np.arange(len(scored.scopes))) for scored in one.conjunctions])
        for one in problems
    ]
    return Fingerprint.of(name, everything)


def limits_of_gold(sentences: Sequence[Sentence], parser: ParserModel, console: Console) -> None:
    """Say which gold trees are missing, and which the parser cannot find under any scores."""
    missing = sum(not one.heads for one in sentences)
    if missing:
        console.say(f"{missing} of {len(sentences)} test sentences have no gold tree: they are parsed, not scored")
    several = sum(one.heads.count(0) > 1 for one in sentences)
    if several and parser.single_root:
        console.say(
            f"{several} of {len(sentences)} gold test trees have several words under the root: the parser chooses "
            "among trees with one and cannot find them"
        )


def described(arguments: argparse.Namespace, treebank: Treebank, parser: ParserModel) -> dict[str, Any]:
    """The options of the run, as JSON data."""
    return {
        "treebank": treebank.name,
        "families": list(parser.families),
        "projective": parser.projective,
        "method": options.method_of(arguments),
        "backbone": arguments.backbone,
        "model": arguments.model,
        "heads_kept": arguments.heads_kept,
        "epochs": parser.training.get("epochs"),
        "seed": parser.training.get("seed"),
        "limit_seconds": arguments.limit_seconds,
        "jobs": arguments.jobs,
    }


def _named(families: Sequence[str]) -> str:
    return ", ".join(families) if families else "arcs only"
