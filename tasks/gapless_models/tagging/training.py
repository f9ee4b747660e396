"""Training a chain tagger with the trainers of `gapless.learn`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.learn import (
    EpochReport,
    Progress,
    SampleRank,
    StructuredPerceptron,
    StructuredSVM,
    Trainer,
    TrainingResult,
    Weights,
)
from gapless_models.tagging.chain_features import (
    EMISSION,
    FINAL,
    INITIAL,
    TRANSITION,
    ChainFeatures,
    ChainScores,
    Labels,
    TrainingSentence,
    margin_violation,
    propose_label,
)
from gapless_models.tagging.features import FeatureIndex, index_training
from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.product_tagger import PAIRS, ProductFeatures, ProductTagger, part_block
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import ChainTagger, Decoder, Tagger

TrainerName = Literal["perceptron", "svm", "samplerank"]
MARGINS = {"perceptron": 60.0, "svm": 1.0, "samplerank": 60.0}
"""A word has about 50 features, so one update of the perceptron moves its score by about twice that."""
PROPOSALS_PER_WORD = 8


def epoch_text(report: EpochReport) -> str:
    """Format a pass over the training part as a line for the terminal."""
    right = "" if report.score is None else f", {100 * report.score:.2f} % of the dev words right"
    return f"epoch {report.epoch}: {report.wrong} sentences wrong{right}"


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
    labels: ProductLabels | None = None,
    shuffles: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = True,
    fitted: Callable[[TrainingResult], None] | None = None,
) -> Tagger:
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
        Is called with a :class:`gapless.learn.EpochReport` after each epoch: its score is the word accuracy of the
        averaged weights on `dev`, its loss counts what the margin asks for.
    margin : float, optional
        Margin by which an error must lose: a wrong label against the gold one, per word (perceptron,
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
    labels : ProductLabels, optional
        Labels of several parts: the tagger decodes over all their combinations.
    shuffles : int
        Train that many times in different orders, from `seed` on, and give the mean of the weights.
    checkpoint, resume
        See :meth:`gapless.learn.Trainer.fit`; the shuffles after the first add their number to the name, see
        :func:`checkpoints`.
    fitted : callable, optional
        Is called after each shuffle, with its history: also of the epochs that a checkpoint held.

    Returns
    -------
    ChainTagger, or ProductTagger if `labels` are given

    Raises
    ------
    ValueError
        If there are no sentences, `epochs`, `patience` or `shuffles` is below 1, `margin` or a penalty is
        negative or not finite, a joint label is not among `labels`, or `decode` returns something other than
        label numbers.
    KeyboardInterrupt
        At Ctrl-C: a tagger that was trained for fewer epochs than asked is not given back as if it were done;
        `checkpoint` has the finished epochs.

    Notes
    -----
    Memory is 16 bytes per feature and label while training (255 MB for 355,000 features and 45 labels), and
    8 for each of the weights of the best and of the last epoch.
    """
    if shuffles < 1:
        raise ValueError(f"shuffles={shuffles}: must be at least 1")
    index, features = index_training(sentences, min_count=min_count)
    used = {label for sentence in sentences for label in sentence.labels}
    names = sorted(used) if labels is None else labels.names
    number = {label: i for i, label in enumerate(names)}
    if used - number.keys():
        raise InvalidProblem(
            f"the joint label {min(used - number.keys())} is not a combination of the listed parts"
        )
    examples = [
        TrainingSentence(active, np.array([number[label] for label in sentence.labels], dtype=np.int64))
        for active, sentence in zip(features, sentences, strict=True)
    ]
    model = ChainFeatures(len(index), len(names)) if labels is None else ProductFeatures(len(index), labels)
    pairs = l2 if transition_l2 is None else transition_l2
    penalties = {block: pairs if block.endswith(TRANSITION) else l2 for block in model.blocks}
    fitter = trainer_of(trainer, model, decode, MARGINS.get(trainer) if margin is None else margin, penalties)

    def tagger(weights: Weights) -> Tagger:
        return _tagger(names, index, weights) if labels is None else _product_tagger(labels, index, weights)

    def tell(event: Progress) -> None:
        if event.kind == "epoch" and progress is not None:
            progress(event.report)

    total: Weights | None = None
    for shuffle in range(shuffles):
        done = fitter.fit(
            examples,
            # The scorer tags the sentences themselves, words unknown in training included.
            examples[:1] if dev else None,
            scorer=lambda weights, _: tagger(weights).accuracy(dev or (), decode),
            epochs=epochs,
            seed=seed + shuffle,
            patience=patience,
            checkpoint=None if checkpoint is None else checkpoints(checkpoint, shuffles)[shuffle],
            resume=resume,
            progress=tell,
            dev_identity=repr([(sentence.words, sentence.labels) for sentence in dev or ()]),
        )
        if done.reason == "interrupted":
            raise KeyboardInterrupt
        if fitted is not None:
            fitted(done)
        if total is None:
            total = done.weights
        else:
            total.values += done.weights.values
    assert total is not None
    total.values /= shuffles
    return tagger(total)


def checkpoints(path: str | os.PathLike[str], shuffles: int) -> list[Path]:
    """List the files in which `train` keeps the finished epochs of each shuffle."""
    first = Path(path)
    return [first, *(first.with_name(f"{first.name}.{shuffle}") for shuffle in range(1, shuffles))]


def _tagger(names: Sequence[str], index: FeatureIndex, weights: Weights, part: str = "{}") -> ChainTagger:
    return ChainTagger(
        names,
        index,
        weights=weights[part.format(EMISSION)],
        transition=weights[part.format(TRANSITION)],
        initial=weights[part.format(INITIAL)],
        final=weights[part.format(FINAL)],
    )


def _product_tagger(labels: ProductLabels, index: FeatureIndex, weights: Weights) -> ProductTagger:
    parts = [_tagger(names, index, weights, part_block(i, "{}")) for i, names in enumerate(labels.parts)]
    return ProductTagger(labels, parts, pairs=weights[PAIRS])


def trainer_of(
    name: str, model: ChainFeatures, decode: Decoder, margin: float | None, penalties: dict[str, float]
) -> Trainer[TrainingSentence, ChainScores, Labels]:
    """Build the trainer called `name`, see `train`; `penalties` are those of the SVM, for each weight block.

    Raises
    ------
    ValueError
        There is no such trainer.
    """

    def solver(scores: ChainScores) -> Labels:
        return _labels(decode(*scores), scores.unary)

    options: dict[str, Any] = {} if margin is None else {"margin": float(margin)}
    if name == "perceptron":
        return StructuredPerceptron(
            model, solver, dtype=np.float32 if isinstance(model, ProductFeatures) else np.float64, **options
        )
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
