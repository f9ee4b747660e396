"""Training a parser: a first-order model for candidate heads by likelihood, then the structured perceptron."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
import gapless_kernels
from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import Progress, Step, StructuredPerceptron, Trainer, TrainingResult, TrainingWeights, Weights
from gapless.search.driver import SearchDriver
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import backbone_for, backbone_needed
from gapless_models.parsing.features import (
    TABLE,
    Example,
    ParsingFeatures,
    TrainingSentence,
    TreeFeatures,
    arc_places,
)
from gapless_models.parsing.parser_model import FirstOrder, ParserModel, all_arcs, pattern_matches
from gapless_models.parsing.pruning import arc_marginals
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.templates import atoms_of
from gapless_splitbound.tree_search import tree_layout

NODES = 30
"""Limit on nodes of a search in training; few sentences need more."""


def exact_tree(problem: ParsingProblem) -> DependencyTree:
    """Find the best tree, or the best one within a few nodes of the search.

    The same searches as `gapless.solve` runs, but nothing is kept that a `Result` would need: what a single tree
    costs is what an epoch takes.

    Raises
    ------
    NoSolution
        There is no tree.
    """
    if not problem.infeasibility():
        needed = backbone_needed(problem)
        backbone = backbone_for(problem, needed)
        if len(backbone.scored_factors) == len(problem.factors):
            _, heads = backbone.solve(problem.scores)
            if heads[-1] >= 0:
                return problem.tree(heads[1:])
        elif gapless_kernels.COMPILED:
            search = SearchDriver(tree_layout(problem, needed), keep_proof=False)
            search.finish(NODES)
            if search.exact > -math.inf:
                return problem.decode(search.kernel.on)
    result = gl.solve(problem, "split-bound", limits=gl.Limits(nodes=NODES), certificate=False)
    if result.stop is gl.Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result.best


NEGLIGIBLE = 1e-3
"""Probabilities that are wrong by no more cost no update: most arcs of a sentence are settled after an epoch."""


def log_loss(marginals: FloatArray, heads: IntArray) -> float:
    """Compute minus the mean logarithm of the gold arcs' probabilities."""
    gold = marginals[heads, np.arange(1, len(heads) + 1)]
    return -float(np.log(np.maximum(gold, 1e-12)).mean())


def arc_gradient(marginals: FloatArray, heads: IntArray) -> tuple[float, IntArray, FloatArray]:
    """Compute the loss, the arcs (m, 2) whose probability is wrong, and how much each lacks, float64 (m,)."""
    missing = -marginals
    missing[heads, np.arange(1, len(heads) + 1)] += 1.0
    arcs = np.argwhere(np.abs(missing) > NEGLIGIBLE)
    return log_loss(marginals, heads), arcs, missing[arcs[:, 0], arcs[:, 1]]


class TreeLikelihood(Trainer[Example, ParsingProblem, DependencyTree], Generic[Example]):
    """Trainer that moves the weights along the gold features minus the expected ones.

    Trees have probabilities proportional to the exponentials of their scores. The rate falls
    with the steps, and the weights are averaged over them. Arcs whose probability is right within 0.001 are passed
    over.

    Parameters
    ----------
    features : TreeFeatures
        Of arcs alone.
    rate : float
        Of the first step.

    Notes
    -----
    Koo, Globerson, Carreras and Collins (EMNLP 2007), section 4.1, without a regulariser: few epochs and the
    average do its work.
    """

    features: TreeFeatures[Example]

    def __init__(self, features: TreeFeatures[Example], *, rate: float = 0.03) -> None:
        super().__init__(features)
        if type(self) is TreeLikelihood and getattr(features, "families", False):
            raise InvalidProblem("marginals are those of arcs alone: train the pruner without families")
        if not 0.0 < rate < np.inf:
            raise InvalidProblem(f"rate={rate}: must be a positive number")
        self.rate = rate

    def settings(self) -> dict[str, Any]:
        """Return the settings of the trainer, the rate included."""
        return {**super().settings(), "rate": self.rate}

    def current_rate(self, weights: TrainingWeights, count: int) -> float:
        """Compute the rate of the next step, with `count` examples."""
        return self.rate / (1.0 + weights.steps / (4.0 * count))

    def step(self, weights: TrainingWeights, example: Example, rng: np.random.Generator, count: int) -> Step:
        """Take one gradient step; the loss is minus the mean logarithm of the gold arcs' probabilities."""
        del rng
        features = self.features
        scores = features.arc_scores(weights, example, example.candidates)
        marginals = arc_marginals(scores, features.single_root, projective=features.projective)
        loss, arcs, missing = arc_gradient(marginals, example.heads)
        if not len(arcs):
            return Step(loss)
        places, counts = arc_places(example.atoms, arcs, features.bits)
        change = features.blocks.vector(**{features.arc_block: (places, np.repeat(missing, counts))})
        weights.add(change, self.current_rate(weights, count))
        return Step(loss, 1)


Solver = Callable[[ParsingProblem], DependencyTree]
Stage = Literal["pruner", "parser"]
Tell = Callable[[Stage, Progress], None]

_MOST_DIGITS = 24
"""A float32 holds whole numbers below 2^24."""
PRUNER_EPOCHS, _PRUNER_PATIENCE = 8, 3
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
    trees = options.projective, options.single_root
    features = ParsingFeatures((), projective=trees[0], single_root=trees[1], bits=options.bits)
    pruner_checkpoint = None
    if checkpoint is not None:
        pruner_checkpoint = Path(checkpoint).with_suffix(".pruner" + Path(checkpoint).suffix)

    def likelihood(weights: Weights, sentences: Sequence[TrainingSentence]) -> float:
        model = FirstOrder(weights[TABLE], *trees)
        return -float(np.mean([log_loss(model.marginals(x.atoms), x.heads) for x in sentences]))

    fitted = _fit(
        "pruner",
        TreeLikelihood(features),
        examples,
        held_out,
        likelihood,
        attrs.evolve(options, epochs=PRUNER_EPOCHS, patience=_PRUNER_PATIENCE),
        pruner_checkpoint,
        progress,
    )
    return FirstOrder(fitted.weights[TABLE].astype(np.float32), *trees)


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

    return _fit("parser", trainer, examples, held_out, share_right, options, checkpoint, progress)


def _fit(
    stage: Stage,
    trainer: Trainer[Example, ParsingProblem, DependencyTree],
    examples: Sequence[Example],
    held_out: Sequence[Example],
    scorer: Callable[[Weights, Sequence[Example]], float],
    options: Options,
    checkpoint: str | os.PathLike[str] | None,
    progress: Tell | None,
) -> TrainingResult:
    """Fit the weights of one stage; raise if interrupted, so that no unfinished parser replaces its checkpoint."""
    fitted = trainer.fit(
        examples,
        held_out,
        scorer=scorer,
        epochs=options.epochs,
        seed=options.seed,
        patience=options.patience,
        checkpoint=checkpoint,
        progress=None if progress is None else partial(progress, stage),
        dev_identity=" ".join(f"{x.heads.tobytes().hex()} {int(x.candidates.sum())}" for x in held_out),
    )
    if fitted.reason == "interrupted":
        raise KeyboardInterrupt
    return fitted


def training_sentence(
    sentence: Sentence, options: Options, pruner: FirstOrder | None, *, keep_gold: bool
) -> TrainingSentence:
    """Build the training sentence with its candidate arcs."""
    if not sentence.heads:
        raise InvalidProblem(f"a sentence to learn from has no heads: {' '.join(sentence.words[:8])} ...")
    atoms, heads = atoms_of(sentence), np.array(sentence.heads, np.int64)
    candidates: BoolArray = all_arcs(len(sentence))
    if pruner is not None and options.max_heads is not None:
        candidates = pruner.candidates(atoms, options.max_heads, heads if keep_gold else None)
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
