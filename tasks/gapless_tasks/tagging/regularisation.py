"""The paper's figure 2: penalties on transitions trade accuracy for speed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.cli import Console
from gapless_chains import ChainBatch
from gapless_models.solve_all import solve_all
from gapless_models.tagging import train
from gapless_models.tagging.decoder import decode
from gapless_tasks.tagging.corpus import Corpus
from gapless_tasks.tagging.measuring import cpu_seconds
from gapless_tasks.tagging.scores import gold_numbers
from gapless_tasks.terminal_bars import show_bars

L2 = 0.1
"""On the features of words, as in the paper."""

TRANSITION_L2 = (0.1, 0.3, 1.0, 3.0, 10.0)
METHODS = ("column-generation", "dominance")
PAPER = "Belanger et al. 2012: four times the speed for 8 % less accuracy, from 0.1 to 10"
_BAR = 30
"""Letters of the longest bar."""


@attrs.frozen
class Point:
    """One model of the figure.

    Parameters
    ----------
    transition_l2 : float
        Its penalty on the scores of label pairs.
    accuracy : float
        Share of the test part's words with the gold label.
    candidates : float
        Label pairs that column generation priced, a word: its work, without the noise of a clock.
    speeds : dict of str to float
        Sentences a second of each method.
    """

    transition_l2: float
    accuracy: float
    candidates: float
    speeds: dict[str, float]


def sweep(corpus: Corpus, epochs: int, seed: int, min_count: int, console: Console) -> list[Point]:
    """Train a structured SVM with 0/1 loss for each penalty, then let all models decode the test part in turns.

    The clock is read when all models are there: timed one after another, minutes apart, they would differ by what
    else the machine was doing.
    """
    batches: dict[float, ChainBatch] = {}
    gold: dict[float, NDArray[np.int64]] = {}
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
            batches[penalty] = tagger.batch(corpus.test)
            gold[penalty] = np.concatenate(gold_numbers(tagger, corpus.test))
            advance(1)
    runs = {
        f"{method} {penalty}": partial(solve_all, batch, method)
        for penalty, batch in batches.items()
        for method in METHODS
    }
    seconds = cpu_seconds(runs)
    points = []
    for penalty, batch in batches.items():
        arrays = solve_all(batch, METHODS[0]).arrays
        points.append(
            Point(
                penalty,
                float((arrays["labels"] == gold[penalty]).mean()),
                float(arrays["candidates"].sum() / batch.tokens),
                {method: len(batch) / seconds[f"{method} {penalty}"] for method in METHODS},
            )
        )
    return points


def show_sweep(points: Sequence[Point], console: Console) -> None:
    """Print the figure as a table, on a terminal with bars."""
    console.table(
        "Figure 2: L2 penalty on transitions",
        (
            *("penalty", "accuracy %", "candidates a word"),
            *(f"{method}, sentences/s" for method in METHODS),
        ),
        [
            (
                f"{point.transition_l2:g}",
                f"{100 * point.accuracy:.2f}",
                f"{point.candidates:.2f}",
                *(f"{point.speeds[method]:,.0f}" for method in METHODS),
            )
            for point in points
        ],
    )
    fastest = max(point.speeds[METHODS[0]] for point in points)
    show_bars(
        [
            (f"{point.transition_l2:g}", "█" * max(1, round(_BAR * point.speeds[METHODS[0]] / fastest)))
            for point in points
        ],
        console,
    )
    console.info(PAPER)
