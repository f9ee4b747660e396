"""Rules for a feature map: its problems, features, differences and losses are consistent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from gapless.errors import InvalidProblem
from gapless.learn.blocks import Blocks, FeatureVector
from gapless.learn.feature_map import FeatureMap
from gapless.learn.weights import Weights
from gapless.problems.problem import Problem, score_of
from gapless.testing.conformance import Check

X = TypeVar("X")
S = TypeVar("S")

_RELATIVE = 1e-9
_MARGIN = 1.75


def check_feature_map(
    features: FeatureMap[X, Any, S], example: X, structures: Sequence[S], *, seed: int = 0
) -> None:
    """Check a feature map on one example, under random weights.

    Parameters
    ----------
    features : FeatureMap
    example : X
    structures : sequence of S
        Feasible structures of the example, to be compared with the gold one and with each other; at least one has
        a positive loss.
    seed : int
        Seed of the weights.

    Raises
    ------
    InvalidProblem
        No given structure differs from the gold one.
    ConformanceError
        The gold structure has a loss; features lie outside the blocks; `difference` is not the difference of the
        features; the scores of a `gapless.Problem` are not the weights times the features, up to a constant; the
        problem changes with the weights; augmented scores differ by something other than the loss.
    """
    check = Check(features)
    gold = check.at("example").call("gold is given", features.gold, example)
    compared = [gold, *structures]
    losses = [
        check.at(f"structure {i}").call("loss is given", features.loss, example, s) for i, s in enumerate(compared)
    ]
    if not any(losses):
        raise InvalidProblem("no structure given differs from gold (all have loss 0): give one that does")
    check.require(losses[0] == 0, "gold has loss 0", f"loss {losses[0]!r}")
    for loss in losses:
        check.require(0 <= loss < math.inf, "losses are finite, 0 or more", f"loss {loss!r}")
    vectors = [features.features(example, s) for s in compared]
    for vector in vectors:
        _inside(check, features.blocks, vector)
    pairs = [(i, j) for i in range(len(compared)) for j in range(len(compared))]
    for i, j in pairs:
        found = features.difference(example, compared[i], compared[j])
        _inside(check, features.blocks, found)
        check.require(
            (found - (vectors[i] - vectors[j])).squared_norm()
            <= _RELATIVE**2 * (1.0 + vectors[i].squared_norm() + vectors[j].squared_norm()),
            "difference is that of the features",
            f"structures {i} and {j} (0 is gold)",
        )
    weights = Weights(features.blocks, np.random.default_rng(seed).normal(size=features.blocks.size))
    problem = features.problem(weights, example)
    if isinstance(problem, Problem):
        _check_scores(check, features, weights, problem, example, compared, vectors, losses)


def _inside(check: Check, blocks: Blocks, vector: FeatureVector) -> None:
    for name, (places, values) in vector.parts.items():
        check.require(name in blocks, "features lie in the blocks", f"block {name!r}")
        size = math.prod(blocks[name])
        check.require(
            places.shape == values.shape and (not places.size or 0 <= places.min() <= places.max() < size),
            "features lie in the blocks",
            f"block {name!r} with {size} weights",
        )


def _check_scores(
    check: Check,
    features: FeatureMap[X, Any, S],
    weights: Weights,
    problem: Problem[S],
    example: X,
    compared: Sequence[S],
    vectors: Sequence[FeatureVector],
    losses: Sequence[float],
) -> None:
    for i, structure in enumerate(compared):
        broken = problem.violations(structure)
        check.require(not broken, "structures are feasible", f"structure {i} (0 is gold): {'; '.join(broken)}")
    scores = [score_of(problem, s) for s in compared]
    totals = [weights.dot(vector) for vector in vectors]
    _constant(check, scores, totals, "scores are weights times features, up to a constant")
    try:
        augmented: Any = features.augmented_problem(weights, example, _MARGIN)
    except NotImplementedError:
        augmented = None
    if augmented is not None:
        with_loss = [t + _MARGIN * loss for t, loss in zip(totals, losses, strict=True)]
        found = [score_of(augmented, s) for s in compared]
        _constant(check, found, with_loss, "augmented scores add the margin times the loss, up to a constant")
    weights.values[...] = 0.0
    check.require(
        [score_of(problem, s) for s in compared] == scores,
        "a problem keeps no view of the weights",
        "weights reset",
    )


def _constant(check: Check, found: Sequence[float], wanted: Sequence[float], rule: str) -> None:
    apart = [a - b for a, b in zip(found, wanted, strict=True)]
    room = _RELATIVE * (1.0 + max(map(abs, [*found, *wanted])))
    for i, (a, b) in enumerate(pairwise(apart)):
        check.require(
            abs(a - b) <= room,
            rule,
            f"structures {i} and {i + 1} (0 is gold): scores differ by {found[i] - found[i + 1]!r}, "
            f"expected {wanted[i] - wanted[i + 1]!r}",
        )
