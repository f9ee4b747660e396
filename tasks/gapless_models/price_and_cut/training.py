"""Training a grandparent model: a first-order model for candidate arcs, then beliefs or the perceptron."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import attrs

from gapless import InvalidProblem
from gapless.learn import StructuredPerceptron, Trainer
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing.parser_model import FirstOrder
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.training import Options, Tell, exact_tree, fit_parser, train_pruner, training_sentence
from gapless_models.parsing.treebank import is_crossing
from gapless_models.price_and_cut.likelihood import BeliefLikelihood, Example, GrandparentFeatures
from gapless_models.price_and_cut.model import GrandparentModel
from gapless_models.price_and_cut.token_classes import TokenClasses, fine_tagged

BELIEFS, PERCEPTRON = "beliefs", "perceptron"
LEARNERS = (BELIEFS, PERCEPTRON)


@attrs.frozen(kw_only=True)
class Training(Options):
    """Options for training a grandparent model: those of any parser, with other defaults, and its own.

    Decoding keeps all heads, because arcs are trained against all others; `max_heads` are those whose grandparent
    parts training looks at.

    Parameters
    ----------
    learner : {"beliefs", "perceptron"}
        Stochastic gradient of the likelihood by belief propagation, or the averaged perceptron.
    longest : int
        Longer training sentences are left out.
    fine, words : int
        Fine tags and words with a class of their own, at most.
    least : int
        And only if they come so often.
    rate, pace, l2, rounds
        Of `BeliefLikelihood`.
    soft_margin : float
        Margin of `BeliefLikelihood`; `margin` is the perceptron's. The likelihood alone, 0, parses the dev
        parts of three treebanks 0.3 to 0.9 points worse.
    """

    projective: bool = False
    learner: str = BELIEFS
    epochs: int = 8
    longest: int = 100
    fine: int = 32
    words: int = 150
    least: int = 10
    rate: float = 0.03
    pace: float = 2.0
    l2: float = 1.0
    rounds: int = 4
    soft_margin: float = 3.0


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    training: Training,
    *,
    pruner: FirstOrder | None = None,
    record: dict[str, Any] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Tell | None = None,
) -> GrandparentModel:
    """Train a model; equal arguments give equal weights, whether training was interrupted and resumed or not.

    Parameters
    ----------
    sentences, dev : sequence of Sentence
        With heads. The epoch that parses `dev` best, with all heads kept, is taken; without dev the last one.
    training : Training
    pruner : FirstOrder, optional
        One that `gapless_models.parsing.train_pruner` made from sentences with fine tags (`fine_tagged`); it
        chooses the candidate arcs of training only.
    record : dict, optional
        JSON data that the model keeps about its training.
    checkpoint : path, optional
        Training continues from it where it exists; that of the first-order model stands beside it.
    progress : callable, optional
        Receives what is being trained and a `gapless.learn.Progress`.

    Raises
    ------
    InvalidProblem
        There is nothing to learn from, or an unknown learner.
    KeyboardInterrupt
        Ctrl-C; finished epochs are in the checkpoint.
    """
    if training.learner not in LEARNERS:
        raise InvalidProblem(f"learner={training.learner!r}: expected one of {', '.join(LEARNERS)}")
    short, dev = _learnt_from(sentences, training), list(map(fine_tagged, dev))
    if pruner is None:
        pruner = train_pruner(short, dev, training, checkpoint=checkpoint, progress=progress)
    classes = TokenClasses.of(short, fine=training.fine, words=training.words, least=training.least)
    features = GrandparentFeatures(classes, projective=training.projective, single_root=training.single_root)
    examples, held_out = (
        [
            Example(
                **attrs.asdict(training_sentence(sentence, training, pruner, keep_gold=True), recurse=False),
                tokens=classes.of_sentence(sentence),
            )
            for sentence in part
        ]
        for part in (short, dev)
    )
    fitted = fit_parser(
        _trainer(features, training),
        features,
        examples,
        held_out,
        training,
        checkpoint=checkpoint,
        progress=progress,
    )
    return GrandparentModel.of(
        fitted.weights,
        classes,
        projective=training.projective,
        single_root=training.single_root,
        training=record or {},
    )


def _learnt_from(sentences: Sequence[Sentence], training: Training) -> list[Sentence]:
    """Select the sentences that are not too long; a projective model learns from trees without crossing arcs."""
    selected = [fine_tagged(sentence) for sentence in sentences if len(sentence) <= training.longest]
    if training.projective:
        selected = [sentence for sentence in selected if not is_crossing(sentence)]
    if not selected:
        kind = " and without crossing arcs" if training.projective else ""
        raise InvalidProblem(f"no training sentence of at most {training.longest} words{kind}")
    return selected


def _trainer(features: GrandparentFeatures, training: Training) -> Trainer[Example, ParsingProblem, DependencyTree]:
    if training.learner == PERCEPTRON:
        return StructuredPerceptron(features, exact_tree, margin=training.margin)
    return BeliefLikelihood(
        features,
        rate=training.rate,
        pace=training.pace,
        l2=training.l2,
        rounds=training.rounds,
        margin=training.soft_margin,
    )
