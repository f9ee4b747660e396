"""SampleRank: learning to rank neighbouring structures, without decoding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike

from gapless.errors import InvalidProblem
from gapless.learn.feature_map import FeatureMap
from gapless.learn.trainer import Step, Trainer
from gapless.learn.training_weights import TrainingWeights
from gapless.problems.problem import Problem

X = TypeVar("X")
P = TypeVar("P")
S = TypeVar("S")

Proposal = Callable[[P, S, np.random.Generator], S | None]
"""``proposal(problem, structure, rng)``: a neighbour of the structure, or None if an infeasible one was drawn."""


def change_one(problem: Problem[S], structure: S, rng: np.random.Generator) -> S | None:
    """Return a random neighbour that differs in one choice; None if it is infeasible.

    In a random choice group (a token's label), another decision is turned on; without such groups, a random
    decision is flipped.
    """
    decisions = problem.decisions
    on = problem.encode(structure)
    groups = decisions.exactly_one
    if len(groups):
        group = np.asarray(groups[int(rng.integers(len(groups)))])
        current = group[np.isin(group, on)]
        others = np.setdiff1d(group, current)
        if not others.size:
            return None
        ids = np.append(np.setdiff1d(on, current), others[int(rng.integers(others.size))])
    else:
        ids = np.setxor1d(on, [int(rng.integers(decisions.count))])
    # Most random changes break a constraint; the walk then stays where it is.
    try:
        neighbour = problem.decode(np.sort(ids))
    except InvalidProblem:
        return None
    return None if problem.violations(neighbour) else neighbour


class SampleRank(Trainer[X, P, S]):
    """Trainer that walks through structures and updates the weights where the model ranks two neighbours wrongly.

    Parameters
    ----------
    features, solver, average, dtype
        As for every `Trainer`. The solver is used for dev only: this trainer does not decode.
    proposal : callable, optional
        See `Proposal`; by default `change_one`, for which the problems must be `gapless.Problem`.
    proposals : int or callable
        Number of proposals per example and epoch; a callable receives the gold structure.
    margin : float
        Margin by which the better neighbour must win, per unit of difference in loss, 0 or more.
    rate : float
        Step length of an update, above 0.
    temperature : float
        A proposal is accepted with probability ``min(1, exp(gain / temperature))``, where `gain` is the model's; 0
        accepts exactly the proposals that do not lose.

    Notes
    -----
    Wick, Rohanimanesh, Bellare, Culotta and McCallum, "SampleRank: training factor graphs with atomic gradients"
    (ICML 2011), algorithm 1. The walk of each example begins at its gold structure and follows the model. An atomic
    gradient is the feature map's `difference` of two neighbours: implement it so that it looks only at their
    differences. The true objective is minus the feature map's `loss`.
    """

    def __init__(
        self,
        features: FeatureMap[X, P, S],
        solver: Callable[[P], S] | None = None,
        *,
        proposal: Proposal[P, S] | None = None,
        proposals: int | Callable[[S], int] = 100,
        margin: float = 1.0,
        rate: float = 1.0,
        temperature: float = 1.0,
        average: bool = True,
        dtype: DTypeLike = np.float64,
    ) -> None:
        super().__init__(features, solver, average=average, dtype=dtype)
        if not 0.0 <= margin < math.inf or not 0.0 < rate < math.inf or not 0.0 <= temperature < math.inf:
            raise InvalidProblem(
                f"margin={margin}, rate={rate}, temperature={temperature}: finite, not negative, the rate above 0"
            )
        self.proposal = cast("Proposal[P, S]", change_one) if proposal is None else proposal
        self.proposals = proposals
        self.margin = margin
        self.rate = rate
        self.temperature = temperature

    def settings(self) -> dict[str, Any]:
        """Return the settings with the options of the walk; for callables only their presence."""
        count = self.proposals if isinstance(self.proposals, int) else "callable"
        walk = {"proposals": count, "temperature": self.temperature}
        return {**super().settings(), "margin": self.margin, "rate": self.rate, **walk}

    def step(self, weights: TrainingWeights, example: X, rng: np.random.Generator, count: int) -> Step:
        """Walk from the gold structure of one example, and update at each wrongly ranked pair."""
        del count
        features = self.features
        problem = features.problem(weights, example)
        current = features.gold(example)
        current_loss = 0.0
        wrong = 0
        for _ in range(self.proposals if isinstance(self.proposals, int) else self.proposals(current)):
            proposal = self.proposal(problem, current, rng)
            if proposal is None:
                continue
            proposal_loss = features.loss(example, proposal)
            change = features.difference(example, proposal, current)
            gain = weights.dot(change)
            better = current_loss - proposal_loss  # above 0: the proposal is the better one
            # Pairs of equal loss teach nothing; others must be ranked with a margin that grows with their
            # difference.
            if better and gain * math.copysign(1.0, better) < self.margin * abs(better):
                weights.add(change, math.copysign(self.rate, better))
                gain = weights.dot(change)
                wrong += 1
            # The walk follows the model, not the loss: it visits the structures that the model confuses (Wick
            # et al.).
            if self._accepts(gain, rng):
                current, current_loss = proposal, proposal_loss
        return Step(float(wrong), wrong)

    def _accepts(self, gain: float, rng: np.random.Generator) -> bool:
        if gain >= 0.0 or not self.temperature:
            return gain >= 0.0
        return bool(rng.random() < math.exp(max(gain / self.temperature, -700.0)))
