"""Structured SVM with a margin oracle, and an L2 penalty for each weight block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike

from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem
from gapless.learn.blocks import FeatureVector
from gapless.learn.feature_map import FeatureMap
from gapless.learn.solvers import margin_violation
from gapless.learn.trainer import RIGHT, Step, Trainer
from gapless.learn.training_weights import TrainingWeights
from gapless.learn.weights import Weights

X = TypeVar("X")
P = TypeVar("P")
S = TypeVar("S")

MarginOracle = Callable[[P, S, float], S | None]
"""``oracle(problem, gold, margin)`` returns the best structure other than `gold` if it scores at least the gold
score minus the margin, else None."""


class StructuredSVM(Trainer[X, P, S]):
    """Trainer that minimises ``sum_b l2_b / 2 |w_b|^2 + sum_i hinge_i(w)`` by incremental proximal steps.

    With 0/1 loss, ``hinge_i(w) = max(0, margin + max over y != gold_i of w.f(y) - w.f(gold_i))``; with Hamming
    loss, ``max over y of (margin * loss(y) + w.f(y)) - w.f(gold_i)``.

    Parameters
    ----------
    features, solver, average, dtype
        As for every `Trainer`. The solver is used with Hamming loss and for dev.
    l2 : float or mapping of str to float
        One penalty, or one per block, 0 or more. The hinge losses are summed, not averaged, so that ``1 / l2`` is
        the usual C. A stronger penalty on transitions gives models that decode faster (Belanger et al. 2012,
        appendix A.4).
    margin : float
        Margin by which a wrong structure must lose, above 0.
    loss : {"0/1", "hamming"}
        The second needs the feature map's `augmented_problem`.
    oracle : callable, optional
        For 0/1 loss, see `MarginOracle`; by default the two best structures, ``gapless.solve(problem, k=2)``.
    rate : float
        Initial step length, above 0.

    Notes
    -----
    A step on example ``i`` of ``n`` takes the proximal point of the penalty's share,
    ``w_b <- w_b / (1 + e l2_b / n)``, and then that of the linearised hinge,
    ``w <- w + min(e, hinge / |d|^2) d`` with ``d = f(gold) - f(violator)``, which never overshoots the example's
    own margin, whatever the step length ``e`` (Bertsekas, "Incremental proximal methods for large scale convex
    optimization", Mathematical Programming 129, 2011; the capped step is PA-I of Crammer et al., JMLR 2006). The
    length falls as ``rate / (1 + rate * l2_min * t / n)``, as strong convexity requires (Bottou 2012). A step costs
    the non-zeros of ``d``; shrinking costs one number per block.
    """

    def __init__(
        self,
        features: FeatureMap[X, P, S],
        solver: Callable[[P], S] | None = None,
        *,
        l2: float | Mapping[str, float] = 0.1,
        margin: float = 1.0,
        loss: Literal["0/1", "hamming"] = "0/1",
        oracle: MarginOracle[P, S] | None = None,
        rate: float = 1.0,
        average: bool = True,
        dtype: DTypeLike = np.float64,
    ) -> None:
        super().__init__(features, solver, average=average, dtype=dtype)
        blocks = features.blocks
        self.l2 = dict(l2) if isinstance(l2, Mapping) else dict.fromkeys(blocks, float(l2))
        if set(self.l2) != set(blocks):
            raise InvalidProblem(f"l2 has the blocks {sorted(self.l2)}, expected {sorted(blocks)}")
        if not all(0.0 <= penalty < math.inf for penalty in self.l2.values()):
            raise InvalidProblem(f"l2={l2}: penalties are finite numbers, 0 or more")
        if not 0.0 < margin < math.inf or not 0.0 < rate < math.inf:
            raise InvalidProblem(f"margin={margin}, rate={rate}: both must be finite and above 0")
        if loss not in ("0/1", "hamming"):
            raise InvalidProblem(f"loss={loss!r}: expected '0/1' or 'hamming'")
        self.margin = margin
        self.loss = loss
        self.rate = rate
        self.oracle = cast("MarginOracle[P, S]", margin_violation) if oracle is None else oracle

    def settings(self) -> dict[str, Any]:
        """Return the settings with penalties, margin, loss and step length."""
        options = {"l2": self.l2, "margin": self.margin, "loss": self.loss, "rate": self.rate}
        return {**super().settings(), **options}

    def violation(self, weights: Weights, example: X) -> tuple[float, FeatureVector] | None:
        """Compute the hinge loss of an example and ``f(gold) - f(violator)``; None if the loss is 0."""
        features = self.features
        gold = features.gold(example)
        if self.loss == "0/1":
            # All wrong structures have the same loss, so the violator is the best of them: the runner-up of the
            # gold structure, without loss-augmented decoding (Belanger et al. 2012, appendix A.4).
            violator = self.oracle(features.problem(weights, example), gold, self.margin)
            if violator is None:
                return None
            margin = self.margin
        else:
            # The Hamming loss is a sum over decisions: it joins their scores, and decoding finds the violator.
            violator = self.solver(features.augmented_problem(weights, example, self.margin))
            margin = self.margin * features.loss(example, violator)
        difference = features.difference(example, gold, violator)
        hinge = margin - weights.dot(difference)
        return (hinge, difference) if hinge > 0 else None

    def objective(self, weights: Weights, examples: Iterable[X]) -> float:
        """Compute the regularised objective."""
        penalties = [penalty / 2 * float(np.square(weights[name]).sum()) for name, penalty in self.l2.items()]
        violations = (self.violation(weights, example) for example in examples)
        return math.fsum([*penalties, *(violation[0] for violation in violations if violation is not None)])

    def subgradient(self, weights: Weights, examples: Iterable[X]) -> FloatArray:
        """Compute a subgradient of the objective, float64 (blocks.size,); the gradient wherever it exists."""
        blocks = weights.blocks
        slope = np.concatenate([self.l2[name] * weights[name].ravel() for name in blocks]).astype(np.float64)
        for example in examples:
            violation = self.violation(weights, example)
            if violation is not None:
                for name, (indices, values) in violation[1].parts.items():
                    # `subtract.at`: a feature may occur twice, and plain indexing would count it once.
                    np.subtract.at(slope[blocks.slice(name)], indices, values)
        return slope

    def step(self, weights: TrainingWeights, example: X, rng: np.random.Generator, count: int) -> Step:
        """Shrink each block, then close the margin of one example as far as the step length allows."""
        del rng
        # The strong convexity of the objective is that of its weakest penalised block.
        weakest = min((penalty for penalty in self.l2.values() if penalty), default=0.0)
        # Step length of stochastic gradient descent under strong convexity (Bottou 2012).
        length = self.rate / (1.0 + self.rate * weakest * weights.steps / count)
        # The penalty first: the proximal point of the hinge is taken at the shrunk weights (Bertsekas 2011).
        for name, penalty in self.l2.items():
            if penalty:
                weights.shrink(name, 1.0 / (1.0 + length * penalty / count))
        violation = self.violation(weights, example)
        if violation is None:
            return RIGHT
        hinge, difference = violation
        norm = difference.squared_norm()
        if norm == 0.0:  # another structure with the gold features: no weights distinguish the two
            return Step(hinge)
        # The cap is PA-I (Crammer et al. 2006): the step never overshoots the example's own margin.
        weights.add(difference, min(length, hinge / norm))
        return Step(hinge, 1)
