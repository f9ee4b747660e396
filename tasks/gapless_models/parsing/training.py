"""Training a parser: a first-order model for candidate heads, then the structured perceptron over the kept ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray
from gapless.learn import Progress, StructuredPerceptron, Trainer, TrainingResult, Weights
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing.atoms import atoms_of
from gapless_models.parsing.decoder import exact_tree
from gapless_models.parsing.features import TABLE, Example, ParsingFeatures, TrainingSentence, TreeFeatures
from gapless_models.parsing.parser_model import FirstOrder, ParserModel, all_arcs, pattern_matches
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.tree_likelihood import TreeLikelihood, log_loss

Solver = Callable[[ParsingProblem], DependencyTree]
Stage = Literal["pruner", "parser"]
Tell = Callable[[Stage, Progress], None]

_MOST_DIGITS = 24
"""A float32 holds whole numbers below 2^24."""
PRUNER_EPOCHS = 8
"""Whatever the parser's are: a resumed training must prune as it did."""


@attrs.frozen(kw_only=True)
class Options:
    """Options for training a parser.

    Parameters
    ----------
    families : tuple of str
        Higher-order families, see `FAMILIES`; and "pattern", see `HAND_CRAFTED`.
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    epochs, seed, patience : int
        As for `gapless.learn.Trainer.fit`.
    max_heads : int or None
        Candidate heads that the pruner keeps for each word; None keeps all and trains no pruner.
    margin : float
        By how much wrong trees must lose for each wrong head. An arc has about 90 features, so that one update
        moves its score by as much; with a few thousand sentences the margin is worth more than a point of accuracy.
    bits : int
        The table has ``2^bits`` weights.
    """

    families: tuple[str, ...] = ()
    projective: bool = True
    single_root: bool = True
    epochs: int = 10
    seed: int = 0
    patience: int = 3
    max_heads: int | None = 10
    margin: float = 120.0
    bits: int = 22


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: Options,
    *,
    pruner: FirstOrder | None = None,
    solver: Solver = exact_tree,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Tell | None = None,
) -> ParserModel:
    """Train a parser; equal arguments give equal weights, whether training was interrupted and resumed or not.

    The pruner is trained on the sentences that it then prunes, so it is surer of itself than on new text. The
    gold heads are kept in training whatever it says, and it only chooses candidates: its scores are no part of the
    model. So training on parts in turn (jackknifing) would cost several trainings and change little.

    Parameters
    ----------
    sentences, dev : sequence of Sentence
        With heads. The epoch that parses `dev` best is kept; without dev the last one.
    options : Options
    pruner : FirstOrder, optional
        One that `train_pruner` made, to save training it again.
    solver : callable
        Gives the best tree of a problem; by default `exact_tree`, which ends a search after a few nodes.
    checkpoint : path, optional
        Training continues from it where it exists; the pruner's stands beside it.
    progress : callable, optional
        Receives what is being trained and a `gapless.learn.Progress`.

    Raises
    ------
    InvalidProblem
        If a sentence has no heads, is not projective though `options` say so, or a family is unknown.
    KeyboardInterrupt
        Ctrl-C; finished epochs are in the checkpoint.
    """
    if options.max_heads is not None and pruner is None:
        pruner = train_pruner(sentences, dev, options, checkpoint=checkpoint, progress=progress)
    masked = attrs.evolve(options, max_heads=None) if pruner is None else options
    examples = [training_sentence(s, masked, pruner, keep_gold=True) for s in sentences]
    held_out = [training_sentence(s, masked, pruner, keep_gold=False) for s in dev]
    features = ParsingFeatures(
        options.families, projective=options.projective, single_root=options.single_root, bits=options.bits
    )
    trainer = StructuredPerceptron(features, solver, margin=options.margin)
    fitted = fit_parser(
        trainer, features, examples, held_out, options, solver=solver, checkpoint=checkpoint, progress=progress
    )
    table, granularity = whole_multiples(fitted.weights[TABLE], fitted.epoch * len(examples))
    return ParserModel(table, options.families, options.projective, options.single_root, granularity, pruner)


def train_pruner(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: Options,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Tell | None = None,
) -> FirstOrder:
    """Train a first-order model by the likelihood of trees; keep the epoch whose marginals fit `dev` best.

    Parameters
    ----------
    sentences, dev, options, checkpoint, progress
        As for `train`.
    """
    everything = attrs.evolve(options, families=(), max_heads=None)
    examples = [training_sentence(s, everything, None, keep_gold=True) for s in sentences]
    held_out = [training_sentence(s, everything, None, keep_gold=True) for s in dev]
    features = ParsingFeatures(
        (), projective=options.projective, single_root=options.single_root, bits=options.bits
    )
    pruner_checkpoint = None
    if checkpoint is not None:
        pruner_checkpoint = Path(checkpoint).with_suffix(".pruner" + Path(checkpoint).suffix)

    def likelihood(weights: Weights, sentences: Sequence[TrainingSentence]) -> float:
        model = FirstOrder(weights[TABLE])
        trees = {"projective": options.projective, "single_root": options.single_root}
        return -float(np.mean([log_loss(model.marginals(x.atoms, **trees), x.heads) for x in sentences]))

    fitted = TreeLikelihood(features).fit(
        examples,
        held_out,
        scorer=likelihood,
        epochs=PRUNER_EPOCHS,
        seed=options.seed,
        checkpoint=pruner_checkpoint,
        progress=telling("pruner", progress),
        dev_identity=_identity(held_out),
    )
    raise_if_interrupted(fitted)
    return FirstOrder(fitted.weights[TABLE].astype(np.float32))


def fit_parser(
    trainer: Trainer[Example, ParsingProblem, DependencyTree],
    features: TreeFeatures[Example],
    examples: Sequence[Example],
    held_out: Sequence[Example],
    options: Options,
    *,
    solver: Solver = exact_tree,
    checkpoint: str | os.PathLike[str] | None,
    progress: Tell | None,
) -> TrainingResult:
    """Fit the weights of a parser, and keep the epoch with the best share of right heads on `held_out`.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C; finished epochs are in the checkpoint.
    """

    def share_right(weights: Weights, sentences: Sequence[Example]) -> float:
        right = sum(len(x.heads) - features.loss(x, solver(features.problem(weights, x))) for x in sentences)
        return right / sum(len(x.heads) for x in sentences)

    fitted = trainer.fit(
        examples,
        held_out,
        scorer=share_right,
        epochs=options.epochs,
        seed=options.seed,
        patience=options.patience,
        checkpoint=checkpoint,
        progress=telling("parser", progress),
        dev_identity=_identity(held_out),
    )
    raise_if_interrupted(fitted)
    return fitted


def raise_if_interrupted(fitted: TrainingResult) -> None:
    """Raise if training was interrupted, so that an unfinished parser never replaces its checkpoint."""
    if fitted.reason == "interrupted":
        raise KeyboardInterrupt


def training_sentence(
    sentence: Sentence, options: Options, pruner: FirstOrder | None, *, keep_gold: bool
) -> TrainingSentence:
    """Build the training sentence with its candidate arcs."""
    if not sentence.heads:
        raise InvalidProblem(f"a sentence to learn from has no heads: {' '.join(sentence.words[:8])} ...")
    atoms, heads = atoms_of(sentence), np.array(sentence.heads, np.int64)
    candidates: BoolArray = all_arcs(len(sentence))
    if pruner is not None and options.max_heads is not None:
        candidates = pruner.candidates(
            atoms,
            options.max_heads,
            heads if keep_gold else None,
            projective=options.projective,
            single_root=options.single_root,
        )
    return TrainingSentence(atoms, heads, candidates, pattern_matches(options.families, sentence, candidates))


def whole_multiples(average: NDArray[np.floating], steps: int) -> tuple[NDArray[np.float32], float]:
    """Express the averaged weights as whole numbers times a power of two.

    The perceptron's weights are whole numbers, so their mean over `steps` steps times `steps` is, too. They are
    divided not by `steps` but by the power of two below it, which is exact and changes no decision. Where the
    largest needs more digits than a float32 has, all are rounded to those.

    Returns
    -------
    float32 array, float
        The table, and the power of two.
    """
    totals = np.rint(np.asarray(average, np.float64) * steps)
    exponent = -(max(steps, 1).bit_length() - 1)
    excess = int(np.abs(totals).max(initial=0.0)).bit_length() - _MOST_DIGITS
    if excess > 0:
        totals = np.rint(np.ldexp(totals, -excess))
        exponent += excess
    return np.ldexp(totals, exponent).astype(np.float32), float(np.ldexp(1.0, exponent))


def telling(stage: Stage, progress: Tell | None) -> Callable[[Progress], None]:
    """Build a callback for `gapless.learn.Trainer.fit` that passes the stage on."""

    def tell(event: Progress) -> None:
        if progress is not None:
            progress(stage, event)

    return tell


def _identity(sentences: Sequence[TrainingSentence]) -> str:
    """Identify a development set for the checkpoint."""
    return " ".join(f"{x.heads.tobytes().hex()} {int(x.candidates.sum())}" for x in sentences)
