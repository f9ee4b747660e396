"""The paper's figure 2: penalties on transitions trade accuracy for speed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless_tasks.tagging import train
from gapless_tasks.tagging_job.corpus import Corpus
from gapless_tasks.tagging_job.decoder import decode
from gapless_tasks.tagging_job.measuring import cpu_seconds
from gapless_tasks.tagging_job.scores import chain_batch, gold_numbers

L2 = 0.1
"""On the features of words, as in the paper."""

TRANSITION_L2 = (0.1, 0.3, 1.0, 3.0, 10.0)
METHODS = ("column-generation", "viterbi-pruned")
PAPER = "Belanger et al. 2012: four times the speed for 8 % less accuracy, from 0.1 to 10"
_BAR = 30


@attrs.frozen
class Point:
    """One model of the figure.

    Parameters
    ----------
    transition_l2 : float
        Its penalty on the scores of label pairs.
    accuracy : float
        Share of the test part's words with the gold label.
    speeds : dict of str to float
        Sentences a second of each method.
    """

    transition_l2: float
    accuracy: float
    speeds: dict[str, float]


def sweep(corpus: Corpus, epochs: int, seed: int, min_count: int, console: Console) -> list[Point]:
    """Train a structured SVM with 0/1 loss for each penalty; decode the test part with each."""
    points = []
    with console.progress("figure 2", len(TRANSITION_L2)) as advance:
        for penalty in TRANSITION_L2:
            tagger = train(
                corpus.train,
                decode,
                epochs,
                seed,
                trainer="svm",
                l2=L2,
                transition_l2=penalty,
                labels=corpus.product,
                min_count=min_count,
            )
            batch = chain_batch(tagger, corpus.test)
            seconds = cpu_seconds({method: partial(gl.solve_many, batch, method) for method in METHODS})
            found = gl.solve_many(batch, METHODS[0])
            gold = np.concatenate(gold_numbers(tagger, corpus.test))
            labels = np.concatenate([found.structure(i) for i in range(len(batch))])
            accuracy = float((labels == gold).mean())
            points.append(Point(penalty, accuracy, {m: len(batch) / s for m, s in seconds.items()}))
            advance(1)
    return points


def show_sweep(points: Sequence[Point], console: Console) -> None:
    """Print the figure as a table with bars."""
    fastest = {method: max(point.speeds[method] for point in points) for method in METHODS}
    console.table(
        "Figure 2: L2 penalty on transitions",
        ("penalty", "accuracy %", *(f"{method}, sentences/s" for method in METHODS), f"speed of {METHODS[0]}"),
        [
            (
                f"{point.transition_l2:g}",
                f"{100 * point.accuracy:.2f}",
                *(f"{point.speeds[method]:,.0f}" for method in METHODS),
                "#" * max(1, round(_BAR * point.speeds[METHODS[0]] / fastest[METHODS[0]])),
            )
            for point in points
        ],
    )
    console.say(PAPER)
