"""A trainer of grandparent models: the conditional likelihood of trees, by stochastic gradient and beliefs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.learn import Step, Trainer, TrainingWeights
from gapless_dependency import Arcs, DependencyTree, Grandchild, ParsingProblem
from gapless_models.parsing.parser_model import all_arcs
from gapless_models.parsing.tree_likelihood import NEGLIGIBLE, arc_gradient
from gapless_models.price_and_cut.belief_propagation import propagate
from gapless_models.price_and_cut.features import GRANDPARENTS, Example, GrandparentFeatures
from gapless_models.price_and_cut.templates import LEARNT, PartPlaces


class BeliefLikelihood(Trainer[Example, ParsingProblem, DependencyTree]):
    """Trainer that moves the weights along the gold features minus those that belief propagation expects.

    The rate falls with the steps, and the weights are averaged over them. Arcs and parts whose probability is
    right within 0.001 are passed over.

    Parameters
    ----------
    rate : float
        Of the first step.
    pace : float
        The rate of grandparent weights over that of arc weights: a part has a tenth of the features of an arc.
    l2 : float
        Penalty on the grandparent weights, ``l2 / 2 |w|^2`` over the whole training part. Bounds by template are
        the tighter the smaller the weights are.
    rounds : int
        Of belief propagation.
    margin : float
        The extra score of every arc that is not gold, while learning. 0 is the likelihood; otherwise the gold tree
        must lead by this much for each wrong head.

    Notes
    -----
    Smith and Eisner (EMNLP 2008), section 6: the gradient of the log-likelihood with beliefs in place of
    probabilities. It is that of the Bethe approximation where the messages have converged. With a margin it is the
    softmax-margin of Gimpel and Smith (NAACL 2010), section 2.
    """

    features: GrandparentFeatures

    def __init__(
        self,
        features: GrandparentFeatures,
        *,
        rate: float = 0.03,
        pace: float = 2.0,
        l2: float = 1.0,
        rounds: int = 4,
        margin: float = 0.0,
    ) -> None:
        super().__init__(features)
        for name, value in (("rate", rate), ("pace", pace)):
            if not 0.0 < value < np.inf:
                raise InvalidProblem(f"{name}={value}: must be a positive number")
        for name, value in (("l2", l2), ("margin", margin)):
            if not 0.0 <= value < np.inf:
                raise InvalidProblem(f"{name}={value}: must be a number from 0")
        if rounds < 1:
            raise InvalidProblem(f"rounds={rounds}: must be at least 1")
        self.rate, self.pace, self.l2, self.rounds, self.margin = rate, pace, l2, rounds, margin

    def settings(self) -> dict[str, Any]:
        """Return the settings of the trainer: rates, penalty, rounds and margin included."""
        mine = {name: getattr(self, name) for name in ("rate", "pace", "l2", "rounds", "margin")}
        return {**super().settings(), **mine}

    def step(self, weights: TrainingWeights, example: Example, rng: np.random.Generator, count: int) -> Step:
        """Take one gradient step; the loss is minus the mean logarithm of the gold arcs' probabilities."""
        del rng
        g, p, c = parts_among(example)
        places = PartPlaces.of(LEARNT, self.features.classes, example.tokens).lookup(g, p, c)
        words = np.arange(1, len(example.heads) + 1)
        arc_scores = self.features.arc_scores(weights, example, all_arcs(len(words))) + self.margin
        arc_scores[example.heads, words] -= self.margin
        beliefs = propagate(
            arc_scores,
            g,
            p,
            c,
            self.features.part_scores(weights, places),
            single_root=self.features.single_root,
            projective=self.features.projective,
            rounds=self.rounds,
        )
        loss, arcs, missing = arc_gradient(beliefs.arcs, example.heads)
        above = np.concatenate([[-1], example.heads])
        missing_parts = ((above[p] == g) & (above[c] == p)) - beliefs.parts
        wrong = np.flatnonzero(np.abs(missing_parts) > NEGLIGIBLE)
        rate = self.rate / (1.0 + weights.steps / (4.0 * count))
        weights.shrink(GRANDPARENTS, 1.0 / (1.0 + rate * self.pace * self.l2 / count))
        change = self.features.vector(
            example, arcs, missing, places[wrong], missing_parts[wrong], part_scale=self.pace
        )
        weights.add(change, rate)
        return Step(loss, 1)


def parts_among(example: Example) -> tuple[IntArray, IntArray, IntArray]:
    """List grandparent, parent and child of the parts that the candidate arcs make, int64 (parts,) each."""
    arcs = Arcs(example.candidates)
    grandchild = Grandchild(_no_scores)
    g, p, c = grandchild.positions(grandchild.arc_sets(arcs), arcs)
    return g, p, c


def _no_scores(g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
    return np.zeros(len(g))
