"""Training the tagger of a job: the epochs are chosen on the development part, and on nothing else."""

from __future__ import annotations

import argparse
from statistics import median_low

from gapless.cli import Console
from gapless_tasks.tagging import EpochReport, train
from gapless_tasks.tagging.tagger import Tagger
from gapless_tasks.tagging_job.corpus import Corpus
from gapless_tasks.tagging_job.decoder import decode


def train_tagger(corpus: Corpus, arguments: argparse.Namespace, console: Console, *, min_count: int) -> Tagger:
    """Train as the options say.

    With a development part, each shuffle keeps the epoch that is best there. With ``--use-dev`` that part then
    joins the training part, and all shuffles train again for the number of epochs that was best (their median).
    """
    best: list[tuple[float, int]] = []
    with console.progress("training", arguments.epochs * arguments.shuffles) as advance:

        def report(epoch: EpochReport) -> None:
            advance(1)
            if epoch.epoch == 1:
                best.append((-1.0, 0))
            prefix = f"shuffle {len(best)}, " if arguments.shuffles > 1 else ""
            dev = ""
            if epoch.dev_accuracy is not None:
                best[-1] = max(best[-1], (epoch.dev_accuracy, epoch.epoch), key=lambda found: found[0])
                dev = f", {100 * epoch.dev_accuracy:.2f} % of the dev words right"
            console.say(f"{prefix}epoch {epoch.epoch}: {epoch.updates} sentences wrong{dev}")

        tagger = train(
            corpus.train,
            decode,
            arguments.epochs,
            arguments.seed,
            dev=corpus.dev or None,
            progress=report,
            min_count=min_count,
            labels=corpus.product,
            shuffles=arguments.shuffles,
        )
    if not (arguments.use_dev and corpus.dev):
        return tagger
    epochs = median_low([epoch for _, epoch in best])
    console.say(f"training again on the training and the dev part, {epochs} epochs")
    return train(
        [*corpus.train, *corpus.dev],
        decode,
        epochs,
        arguments.seed,
        min_count=min_count,
        labels=corpus.product,
        shuffles=arguments.shuffles,
    )
