"""Training the tagger of a job: the epochs are chosen on the development part, and on nothing else."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import median_low

from gapless.cli import Console
from gapless.learn import TrainingResult
from gapless_models.tagging import EpochReport, TaggedSentence, train
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.tagger import Tagger
from gapless_models.tagging.training import checkpoints
from gapless_tasks.tagging.corpus import Corpus


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
            console.detail(f"{prefix}{epoch.text}")

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
