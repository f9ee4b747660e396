"""The feature map of the grandparent model, and its trainer by conditional likelihood and loopy beliefs."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.learn import Blocks, FeatureVector, Step, TrainingWeights, Weights
from gapless_dependency import Arcs, DependencyTree, Grandchild, ParsingProblem
from gapless_models.parsing.features import TrainingSentence, TreeFeatures, arc_places
from gapless_models.parsing.parser_model import all_arcs
from gapless_models.parsing.parts import parts_of_tree
from gapless_models.parsing.pruning import arc_marginals
from gapless_models.parsing.training import NEGLIGIBLE, TreeLikelihood, arc_gradient
from gapless_models.price_and_cut.templates import LEARNT, PartPlaces, table_slices
from gapless_models.price_and_cut.token_classes import TokenClasses

ARCS, GRANDPARENTS = "arcs", "grandparents"
"""The blocks of weights."""
FAMILY = "grandchild"


@attrs.frozen(eq=False, kw_only=True)
class Example(TrainingSentence):
    """A training sentence with the classes of its tokens.

    Trees are made of all arcs; training looks at the grandparent parts of the `candidates` only.

    Parameters
    ----------
    tokens : int64 (4, n + 1)
        Token classes, level by level.
    """

    tokens: IntArray


class GrandparentFeatures(TreeFeatures[Example]):
    """Arcs hashed into one table; parts by templates with a table each.

    Parameters
    ----------
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    bits : int
        The table of arcs has ``2^bits`` weights.
    """

    def __init__(self, classes: TokenClasses, *, projective: bool, single_root: bool, bits: int = 22) -> None:
        self.classes = classes
        # One table for arcs, and those of the templates one after the other.
        blocks = Blocks({ARCS: (1 << bits,), GRANDPARENTS: (table_slices(LEARNT, classes)[-1].stop,)})
        super().__init__(blocks, ARCS, projective=projective, single_root=single_root, bits=bits)

    def problem(self, weights: Weights, example: Example) -> ParsingProblem:
        """Build the problem over all arcs, as decoding sees it."""
        return self._problem(weights, example, self.arc_scores(weights, example, all_arcs(len(example.heads))))

    def factors(self, weights: Weights, example: Example) -> list[Any]:
        """Return the grandchild factor."""
        places = PartPlaces.of(LEARNT, self.classes, example.tokens)

        def score(g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
            return self.part_scores(weights, places.lookup(g, p, c))

        return [Grandchild(score)]

    def part_scores(self, weights: Weights, places: IntArray) -> FloatArray:
        """Score parts (parts,) by the indices of their weights (parts, templates)."""
        rows = weights.rows(GRANDPARENTS, places.ravel()).reshape(places.shape)
        scores: FloatArray = rows.sum(axis=1, dtype=np.float64)
        return scores

    def features(self, example: Example, structure: DependencyTree) -> FeatureVector:
        """Return the indices of all arcs and parts of a tree."""
        arcs = np.column_stack([structure.heads, np.arange(1, len(structure) + 1)])
        parts = parts_of_tree(FAMILY, structure.heads)
        lookup = PartPlaces.of(LEARNT, self.classes, example.tokens).lookup(*parts.T)
        return self.vector(example, arcs, np.ones(len(arcs)), lookup, np.ones(len(lookup)))

    def vector(
        self,
        example: Example,
        arcs: IntArray,
        arc_values: FloatArray,
        places: IntArray,
        part_values: FloatArray,
        *,
        part_scale: float = 1.0,
    ) -> FeatureVector:
        """Combine features: a value for each arc (m, 2), and for each part with its `places` (parts, templates)."""
        hashed, counts = arc_places(example.atoms, arcs, self.bits)
        return self._blocks.vector(
            **{
                ARCS: (hashed, np.repeat(arc_values, counts)),
                GRANDPARENTS: (places.ravel(), np.repeat(part_scale * part_values, places.shape[1])),
            }
        )


_LEAST = 1e-9
"""Probabilities stay so far from 0 and 1 that their logarithms are finite."""
_LARGEST = 30.0
"""Scores of parts beyond it say no more: their exponentials are as good as 0 or infinity."""


@attrs.frozen(eq=False)
class Beliefs:
    """Marginals of a sentence by belief propagation.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
        The probability of each arc [head, modifier].
    parts : float64 (parts,)
        The probability that both arcs of the part are in the tree.
    weights : float64 (n + 1, n + 1)
        The arc scores with all messages added, under which the tree factor alone gives `arcs`.
    """

    arcs: FloatArray
    parts: FloatArray
    weights: FloatArray


def propagate(
    arc_scores: FloatArray,
    g: IntArray,
    p: IntArray,
    c: IntArray,
    part_scores: FloatArray,
    *,
    single_root: bool,
    projective: bool = False,
    rounds: int = 4,
    damping: float = 0.2,
) -> Beliefs:
    """Approximate the marginals of trees with probabilities proportional to the exponentials of their scores.

    Parameters
    ----------
    arc_scores : (n + 1, n + 1) array of float64
        -inf where there is no arc.
    g, p, c : int64 (parts,)
        Grandparent, parent and child of the parts; each scores when both its arcs, g -> p and p -> c, are there.
    part_scores : float64 (parts,)
    single_root, projective : bool
        The set of trees: projective or all, with one word below the root or more.
    rounds : int
        The number of times that every part sends its messages.
    damping : float
        In [0, 1): the share of the former message in a new one.

    Notes
    -----
    Smith and Eisner (EMNLP 2008), sections 3 to 5: one binary variable for each arc, the global factor TREE, and a
    factor GRAND for each part. Messages are kept as logarithms of odds. TREE answers them all at once: the
    marginals of the arcs under their scores plus the messages (the matrix-tree theorem, or the sums of Eisner's
    algorithm). A part that scores s tells one arc ``log(1 - q + q exp(s))``, where q is the probability of its
    other arc without what the part itself said. Without parts, or with parts that score 0, the marginals are exact.
    """
    shape = arc_scores.shape
    size = shape[0]
    ends = g * size + p, p * size + c
    surplus = np.expm1(np.clip(part_scores, -_LARGEST, _LARGEST))
    to_upper, to_lower = np.zeros(len(g)), np.zeros(len(g))

    def tree() -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute the weights, the marginals of TREE, and their odds."""
        messages = np.bincount(ends[0], to_upper, size * size) + np.bincount(ends[1], to_lower, size * size)
        weights = arc_scores + messages.reshape(shape)
        arcs = arc_marginals(weights, single_root, projective=projective)
        inside = arcs.clip(_LEAST, 1.0 - _LEAST).ravel()
        return weights, arcs, inside / (1.0 - inside)

    def without(odds: FloatArray, end: IntArray, message: FloatArray) -> FloatArray:
        """Compute the probability of an arc without the part's own message."""
        others = odds.take(end) * np.exp(-message)
        odds_without: FloatArray = others / (1.0 + others)
        return odds_without

    for _ in range(rounds if len(g) else 0):
        _, _, odds = tree()
        upper, lower = without(odds, ends[0], to_upper), without(odds, ends[1], to_lower)
        to_upper = damping * to_upper + (1.0 - damping) * np.log1p(lower * surplus)
        to_lower = damping * to_lower + (1.0 - damping) * np.log1p(upper * surplus)
    weights, arcs, odds = tree()
    both = without(odds, ends[0], to_upper) * without(odds, ends[1], to_lower)
    return Beliefs(arcs, both * (1.0 + surplus) / (1.0 + both * surplus), weights)


class BeliefLikelihood(TreeLikelihood[Example]):
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
        super().__init__(features, rate=rate)
        if not 0.0 < pace < np.inf:
            raise InvalidProblem(f"pace={pace}: must be a positive number")
        for name, value in (("l2", l2), ("margin", margin)):
            if not 0.0 <= value < np.inf:
                raise InvalidProblem(f"{name}={value}: must be a number from 0")
        if rounds < 1:
            raise InvalidProblem(f"rounds={rounds}: must be at least 1")
        self.pace, self.l2, self.rounds, self.margin = pace, l2, rounds, margin

    def settings(self) -> dict[str, Any]:
        """Return the settings of the trainer: rates, penalty, rounds and margin included."""
        mine = {name: getattr(self, name) for name in ("pace", "l2", "rounds", "margin")}
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
        rate = self.current_rate(weights, count)
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
