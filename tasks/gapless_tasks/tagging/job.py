"""A tagging job: train, decode the test part exactly, verify every certificate, print the tables."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median_low
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console
from gapless.learn import EpochReport, TrainingResult
from gapless.runs import RunFolder
from gapless_models.tagging import TaggedSentence, train
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.product_tagger import ProductTagger
from gapless_models.tagging.tagger import ChainTagger, Tagger
from gapless_models.tagging.training import MARGINS, checkpoints, epoch_text
from gapless_tasks.run_options import finish, run_in_folder
from gapless_tasks.tagging.corpus import Corpus, CorpusSource, add_corpus_options, load_named
from gapless_tasks.tagging.decoding import Outcome, Scorer, decode_with, fingerprint, gold_numbers
from gapless_tasks.tagging.evaluation import (
    SEQEVAL_MISSING,
    are_entities,
    can_score_entities,
    entity_scores,
    joint_scores,
)
from gapless_tasks.tagging.options import ANSWER_OPTIONS, TRAINERS, add_arguments, methods, prepare
from gapless_tasks.tagging.paper import PaperTables
from gapless_tasks.tagging.regularisation import L2, show_sweep, sweep, write_figure
from gapless_tasks.tagging.tables import agree, show_margin_oracles, show_tables


def train_tagger(corpus: Corpus, arguments: argparse.Namespace, console: Console, *, min_count: int) -> Tagger:
    """Train as the options say; with ``--model``, finished epochs are kept beside it until it is stored.

    With a development part, each shuffle keeps the epoch that is best there. With ``--use-dev`` that part then
    joins the training part, and all shuffles train again for the number of epochs that was best (their median).
    """
    first, second = _checkpoints(arguments)
    dev = corpus.dev or None
    tagger, fitted = _train(corpus, corpus.train, arguments, console, min_count, arguments.epochs, first, dev)
    if not (arguments.use_dev and dev):
        return tagger
    epochs = median_low([shuffle.epoch for shuffle in fitted])
    console.info(f"training again on the training and the dev part, {epochs} epochs")
    return _train(corpus, [*corpus.train, *dev], arguments, console, min_count, epochs, second)[0]


def _train(
    corpus: Corpus,
    sentences: Sequence[TaggedSentence],
    arguments: argparse.Namespace,
    console: Console,
    min_count: int,
    epochs: int,
    checkpoint: Path | None,
    dev: Sequence[TaggedSentence] | None = None,
) -> tuple[Tagger, list[TrainingResult]]:
    """Train all shuffles; with ``--verbose`` report each epoch."""
    fitted: list[TrainingResult] = []
    with console.progress("training", epochs * arguments.shuffles) as advance:

        def report(epoch: EpochReport) -> None:
            advance(1)
            prefix = f"shuffle {len(fitted) + 1}, " if arguments.shuffles > 1 else ""
            console.detail(f"{prefix}{epoch_text(epoch)}")

        tagger = train(
            sentences,
            decode,
            epochs,
            arguments.seed,
            trainer=arguments.trainer,
            dev=dev,
            progress=report,
            min_count=min_count,
            labels=corpus.product,
            shuffles=arguments.shuffles,
            checkpoint=checkpoint,
            fitted=fitted.append,
        )
    return tagger, fitted


def forget_checkpoints(arguments: argparse.Namespace) -> None:
    """Remove the finished epochs of a training whose tagger is stored."""
    for path in _checkpoints(arguments):
        if path is not None:
            for file in checkpoints(path, arguments.shuffles):
                file.unlink(missing_ok=True)


def _checkpoints(arguments: argparse.Namespace) -> tuple[Path, Path] | tuple[None, None]:
    """List the checkpoint files of both trainings."""
    if not arguments.model:
        return None, None
    return Path(f"{arguments.model}.epochs"), Path(f"{arguments.model}.epochs-with-dev")


@attrs.frozen
class TaggingJob:
    """A tagging task: its corpus, its training, and the tables that it reports.

    Parameters
    ----------
    name : str
        For ``gapless run``.
    source : CorpusSource
        With columns, labels are joint ones, ``TAG|ENTITY``, decoded over all their combinations.
    epochs, shuffles, min_count : int
        Defaults of training, see `train`; chosen on the development part.
    sweep_epochs : int
        Passes of each training for figure 2.
    """

    name: str
    source: CorpusSource
    tables: PaperTables
    epochs: int
    shuffles: int
    min_count: int = 1
    sweep_epochs: int = 5

    @property
    def joint(self) -> bool:
        """Whether labels are joint ones."""
        return bool(self.source.columns)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the task."""
        add_arguments(parser, self.source.folder, self.epochs, self.shuffles)
        if not self.joint:
            add_corpus_options(parser)

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Run the job."""
        prepare(arguments)
        return run_in_folder(self.name, arguments, ANSWER_OPTIONS, lambda out: self._run(arguments, console, out))

    def _run(self, arguments: argparse.Namespace, console: Console, out: RunFolder | None) -> int:
        if self.joint and not can_score_entities():
            console.error(SEQEVAL_MISSING)
        corpus = self._corpus(arguments).first(arguments.sentences)
        counts = f"{len(corpus.train)} training, {len(corpus.dev)} dev, {len(corpus.test)} test sentences"
        console.info(f"{corpus.name}: {counts}")
        tagger, seconds, trained = self._tagger(corpus, arguments, console)
        console.info(f"{trained} with {len(tagger.labels)} labels, ready in {seconds:.1f} s")
        batch = tagger.batch(corpus.test)
        if out is not None:
            out.about("scores of", fingerprint(batch, corpus.name))
        outcomes: list[Outcome] = []
        for method in methods(arguments):
            log = None if out is None else out.log(f"{method}.jsonl")
            outcomes.append(
                decode_with(method, batch, corpus.test, self._scorer(corpus), console, arguments.jobs, log)
            )
            if outcomes[-1].decoded < len(batch):
                console.error(f"{method}: interrupted: {outcomes[-1].decoded} of {len(batch)} sentences decoded")
                break
        speed = "CPU time" if arguments.jobs == 1 else f"clock, {arguments.jobs} processes"
        document = show_outcomes(corpus, outcomes, console, speed)
        end = partial(finish, document, console, out)
        if outcomes[-1].decoded < len(batch):
            return end(interrupted=True)
        try:
            if arguments.tables:
                document["tables"] = show_tables(batch, self.tables, console)
                document["tables"]["table2a"] = self._oracles(corpus, tagger, trained, arguments, console)
            if arguments.figure2 or arguments.figure:
                document["figure2"] = self._figure(corpus, arguments, console)
        except KeyboardInterrupt:
            console.error("interrupted: the tables show the finished part")
            return end(interrupted=True)
        agreed = agree(document["tables"]["table2a"]) if arguments.tables else True
        return end(interrupted=False, failed=not (document["all_verified"] and agreed))

    def _corpus(self, arguments: argparse.Namespace) -> Corpus:
        if self.joint or not arguments.corpus:
            return self.source.load(arguments.data)
        corpus = load_named(arguments.corpus, arguments.data, arguments.tags)
        stored = arguments.model and Path(arguments.model).exists()
        if not corpus.train and not stored:
            raise gl.InvalidProblem(
                f"--corpus {corpus.name} has no training part: a stored tagger is needed (--model)"
            )
        return corpus

    def _scorer(self, corpus: Corpus) -> Scorer:
        """Choose the measures in addition to the accuracy."""
        if self.joint:
            return joint_scores
        return entity_scores if are_entities(corpus.test) else lambda gold, found: {}

    def _tagger(self, corpus: Corpus, arguments: argparse.Namespace, console: Console) -> tuple[Tagger, float, str]:
        """Load the stored tagger, or train one and store it; with the seconds, and a description.

        A stored tagger does not say who trained it.
        """
        start = time.perf_counter()
        stored = Path(arguments.model) if arguments.model else None
        if stored is not None and stored.exists():
            try:
                loaded = ProductTagger.load(stored) if self.joint else ChainTagger.load(stored)
            except ValueError as error:
                raise gl.InvalidProblem(f"--model {error}") from error
            return loaded, time.perf_counter() - start, f"tagger of {stored}"
        tagger = train_tagger(corpus, arguments, console, min_count=self.min_count)
        if stored is not None:
            tagger.save(stored)
            forget_checkpoints(arguments)
        return tagger, time.perf_counter() - start, TRAINERS[arguments.trainer]

    def _oracles(
        self, corpus: Corpus, tagger: Tagger, trained: str, arguments: argparse.Namespace, console: Console
    ) -> list[dict[str, Any]]:
        """Measure table 2 A, under the paper's own kind of model unless joint labels make its training long."""
        margin, model = MARGINS[arguments.trainer], trained
        if not self.joint:
            margin = MARGINS["svm"]
            model = f"{TRAINERS['svm']}, l2 {L2:g}, {self.sweep_epochs} epochs"
            tagger = train(
                corpus.train,
                decode,
                self.sweep_epochs,
                arguments.seed,
                trainer="svm",
                l2=L2,
                min_count=self.min_count,
            )
        gold = gold_numbers(tagger, corpus.test)
        batch = tagger.batch(corpus.test)
        return show_margin_oracles(batch, gold, self.tables.oracles, console, margin=margin, model=model)

    def _figure(self, corpus: Corpus, arguments: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
        points = sweep(corpus, self.sweep_epochs, arguments.seed, self.min_count, console)
        show_sweep(points, console)
        if arguments.figure:
            write_figure(points, corpus.name, arguments.figure)
            console.info(f"figure 2 drawn: {arguments.figure}")
        return [attrs.asdict(point) for point in points]


def show_outcomes(corpus: Corpus, outcomes: Sequence[Outcome], console: Console, speed: str) -> dict[str, Any]:
    """Print the table and the verdict; return them as JSON data. `speed` names the clock."""
    more = list(outcomes[0].scores)
    console.table(
        f"Exact decoding of {len(corpus.test):,} test sentences (sentences/s: {speed})",
        (
            *("method", "accuracy %", *(f"{name.replace('_', ' ')} %" for name in more)),
            *("sentences/s", "proved %", "labels looked at", "rounds"),
        ),
        [
            (
                o.method,
                round(100 * o.accuracy, 2),
                *(round(100 * o.scores.get(name, 0.0), 2) for name in more),
                round(o.sentences_per_second),
                round(100 * o.proved, 2),
                round(o.mean_domain, 2),
                round(o.iterations, 2),
            )
            for o in outcomes
        ],
    )
    verified = all(o.verified == 1.0 for o in outcomes)
    if verified:
        console.info(f"all certificates verified: {len(corpus.test)} sentences by each of {len(outcomes)} methods")
    else:
        for o in outcomes:
            console.info(f"{o.method}: {100 * o.verified:.2f} % of the answers proved and verified")
    return {
        "corpus": corpus.name,
        "sentences": len(corpus.test),
        "methods": [attrs.asdict(o) for o in outcomes],
        "all_verified": verified,
    }
