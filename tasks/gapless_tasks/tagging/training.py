"""Training a chain tagger with the trainers of `gapless.learn`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gapless.learn import Progress, SampleRank, StructuredPerceptron, StructuredSVM, Trainer, Weights
from gapless_tasks.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    ChainScores,
    Labels,
    TrainingSentence,
)
from gapless_tasks.tagging.chain_neighbours import margin_violation, propose_label
from gapless_tasks.tagging.features import index_training
from gapless_tasks.tagging.sentence import TaggedSentence
from gapless_tasks.tagging.tagger import ChainTagger, Decoder

TrainerName = Literal["perceptron", "svm", "samplerank"]
MARGINS = {"perceptron": 60.0, "svm": 1.0, "samplerank": 60.0}
"""A word has about 50 features, so one update of the perceptron moves its score by about twice that."""
PROPOSALS_PER_WORD = 8


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What one pass over the training part did.

    Parameters
    ----------
    epoch : int
        From 1.
    updates : int
        Sentences that were decoded wrongly, violated the margin, or had a proposal ranked wrongly.
    mistakes : float
        The loss with the margin against the gold labels: wrong words for the perceptron, hinge loss for
        the SVM, wrongly ranked proposals for SampleRank.
    dev_accuracy : float or None
        Word accuracy of the averaged weights on the development part, in [0, 1]; None without such a part.
    """

    epoch: int
    updates: int
    mistakes: float
    dev_accuracy: float | None


def train(
    sentences: Sequence[TaggedSentence],
    decode: Decoder,
    epochs: int = 10,
    seed: int = 0,
    dev: Sequence[TaggedSentence] | None = None,
    *,
    progress: Callable[[EpochReport], None] | None = None,
    margin: float | None = None,
    patience: int = 3,
    min_count: int = 1,
    trainer: TrainerName = "perceptron",
    l2: float = 0.1,
    transition_l2: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = True,
) -> ChainTagger:
    """Train a chain tagger; the same arguments give the same tagger.

    Parameters
    ----------
    sentences : sequence of TaggedSentence
        The training part.
    decode : Decoder
        Finds the best chain under ``unary (n, K)``, ``transition (K, K)``, ``initial (K,)``, ``final (K,)``.
    epochs : int
        Passes over the training part, at least 1; the perceptron makes fewer once a pass has no mistakes.
    seed : int
        Shuffles the sentences.
    dev : sequence of TaggedSentence, optional
        If given, the epoch with the best accuracy on it is kept.
    progress : callable, optional
        Is called with an :class:`EpochReport` after each epoch.
    margin : float, optional
        By how much what is wrong must lose: a wrong label against the gold one, per word (perceptron,
        default 60, 0 is the plain perceptron; SampleRank, default 60), or a wrong chain against the gold one
        (SVM, default 1).
    patience : int
        Stop after that many epochs without a better accuracy on `dev`.
    min_count : int
        Features that occur less often are dropped.
    trainer : {"perceptron", "svm", "samplerank"}
        The averaged structured perceptron; the structured SVM with 0/1 loss; SampleRank.
    l2, transition_l2 : float
        For the SVM: the L2 penalties of the word features, and of the label pairs, which is that of
        the word features by default. See :class:`gapless.learn.StructuredSVM` for the unit.
    checkpoint, resume
        See :meth:`gapless.learn.Trainer.fit`.

    Returns
    -------
    ChainTagger

    Raises
    ------
    ValueError
        If there are no sentences, `epochs` or `patience` is below 1, `margin` or a penalty is negative or
        not finite, or `decode` returns something other than label numbers.
    KeyboardInterrupt
        At Ctrl-C: a tagger that was trained for fewer epochs than asked is not given back as if it were done;
        `checkpoint` has the finished epochs.

    Notes
    -----
    Memory is 16 bytes per feature and label while training (255 MB for 355,000 features and 45 labels), and
    8 for each of the weights of the best and of the last epoch.
    """
    index, features = index_training(sentences, min_count=min_count)
    names = sorted({label for sentence in sentences for label in sentence.labels})
    number = {label: i for i, label in enumerate(names)}
    examples = [
        TrainingSentence(active, np.array([number[label] for label in sentence.labels], dtype=np.int64))
        for active, sentence in zip(features, sentences, strict=True)
    ]
    penalties = {EMISSION: l2, TRANSITION: l2 if transition_l2 is None else transition_l2, INITIAL: l2, FINAL: l2}
    model = ChainFeatures(len(index), len(names))
    chosen = _trainer(trainer, model, decode, MARGINS.get(trainer) if margin is None else margin, penalties)

    def tagger(weights: Weights) -> ChainTagger:
        return ChainTagger(
            names,
            index,
            weights=weights[EMISSION],
            transition=weights[TRANSITION],
            initial=weights[INITIAL],
            final=weights[FINAL],
        )

    def tell(event: Progress) -> None:
        report = event.report
        if event.kind == "epoch" and progress is not None:
            progress(EpochReport(report.epoch, report.wrong, report.loss, report.score))

    fitted = chosen.fit(
        examples,
        # The scorer tags the sentences themselves, words unknown in training included.
        examples[:1] if dev else None,
        scorer=lambda weights, _: tagger(weights).accuracy(dev or (), decode),
        epochs=epochs,
        seed=seed,
        patience=patience,
        checkpoint=checkpoint,
        resume=resume,
        progress=tell,
    )
    if fitted.reason == "interrupted":
        raise KeyboardInterrupt
    return tagger(fitted.weights)


def _trainer(
    name: str, model: ChainFeatures, decode: Decoder, margin: float | None, penalties: dict[str, float]
) -> Trainer[TrainingSentence, ChainScores, Labels]:
    def solver(scores: ChainScores) -> Labels:
        return _labels(decode(*scores), scores.unary)

    options: dict[str, Any] = {} if margin is None else {"margin": float(margin)}
    if name == "perceptron":
        return StructuredPerceptron(model, solver, **options)
    if name == "svm":
        return StructuredSVM(model, solver, l2=penalties, oracle=margin_violation, **options)
    if name == "samplerank":
        return SampleRank(
            model, solver, proposal=propose_label, proposals=lambda gold: PROPOSALS_PER_WORD * len(gold), **options
        )
    raise ValueError(f"trainer={name!r}: choose one of {', '.join(MARGINS)}")


def _labels(found: Sequence[int] | NDArray[np.integer], unary: NDArray[np.float64]) -> Labels:
    labels = np.asarray(found, dtype=np.int64)
    count, kinds = unary.shape
    if labels.shape != (count,) or labels.min() < 0 or labels.max() >= kinds:
        raise ValueError(
            f"decode returned {labels.tolist()}; it must return {count} numbers between 0 and {kinds - 1}"
        )
    return labels
