"""The verifier's view of a backbone: what the formula of a split bound reads, and bounds under any weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.certificates.split_formula import SplitWeights
from gapless.certificates.split_input import SplitInput
from gapless.certificates.trusted_maximiser import has_verifier_bounds, trust_statement, trusted_bound
from gapless.decisions.decisions import Decisions, Fixings
from gapless.limits.work import CALL
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.problems.backbone import Backbone
from gapless.problems.problem import Problem

Flip = tuple[float, int, bool]
"""The backbone's max-marginal of the flip; the decision; whether it is turned on."""


class BackboneVerifier:
    """Bounds on the backbone of `problem`, by `Problem.verifier_backbone_bounds` where the problem offers it.

    Everything is computed on first use, because an estimate of the work must not build the backbone.
    """

    def __init__(self, problem: Problem[Any]) -> None:
        self.problem = problem

    @cached_property
    def _backbone(self) -> Backbone[Any]:
        return self.problem.backbone()

    @cached_property
    def split(self) -> SplitInput:
        """Data of the problem that the formula reads."""
        backbone, factors = self._backbone, self.problem.factors_beyond_backbone
        # The search refuses scores above `LARGEST`, so the floor below which a bound proves infeasibility may
        # rely on that limit (decision 045).
        internal = backbone.maximiser.largest_internal_term if backbone.maximiser.has_internal_scores else 0.0
        return SplitInput(
            self.problem,
            self.problem.decisions,
            factors,
            backbone.weights,
            backbone.constant,
            opposite=backbone.maximiser.conflicts(),
            # Allowance for roundings of a weight before the formula reads it.
            length=4,
            unseen=LARGEST * len(factors.configurations) + internal,
        )

    @property
    def has_flips(self) -> bool:
        """Whether `bound_flips` can return a bound; False without max-marginals of the verifier's own."""
        return has_verifier_bounds(self.problem)

    def assumptions(self) -> str:
        """Describe what the bounds take on trust; empty if everything is checked."""
        return trust_statement(self.problem)

    def best(self, weighed: SplitWeights) -> float:
        """Bound the weight of any structure, internal scores and rounding included."""
        return self._bounds(weighed).best

    def _bounds(self, weighed: SplitWeights) -> CheckedBounds:
        # The fixings already exclude these decisions; a maximiser may assume finite weights.
        weights = np.where(weighed.weights > -np.inf, weighed.weights, 0.0)
        checked = self.problem.verifier_backbone_bounds(weights, weighed.fixings)
        if checked is not None:
            return checked
        return CheckedBounds(trusted_bound(self.problem, self._backbone, weights, weighed.fixings))

    def bound_flips(
        self,
        weighed: SplitWeights,
        fixings: Fixings,
        on: Sequence[int],
        off: Sequence[int],
        enough: float,
        *,
        known: Callable[[Fixings], SplitWeights | None],
        whole: Callable[[Fixings], float],
    ) -> float | None:
        """Bound the structures that lack a decision of `on` or contain one of `off`; None without max-marginals.

        `enough`: a bound at or below this value need not be tightened. `known`, `whole`: see `flips_bound`.
        """
        bounds = self._bounds(weighed)
        # A structure without decision d of `on` is bounded by the max-marginal of d off, and the reverse.
        if (len(off) and bounds.on is None) or (len(on) and bounds.off is None):
            return None
        sides = ((bounds.on, off, True), (bounds.off, on, False))
        flips = [(float(side[d]), int(d), way) for side, ids, way in sides if side is not None for d in ids]
        return flips_bound(self.problem.decisions, fixings, weighed, flips, enough, known=known, whole=whole)

    def work(self) -> float:
        """Estimate the steps of one bound: the sums over scopes, and one pass over the backbone."""
        factors = self.problem.factors_beyond_backbone
        scopes = sum(scored.scopes.size for scored in factors.conjunctions)
        # 16 stands for the bound of a configuration factor, which costs more than a sum over its scope.
        scopes += sum(16 * scope.size for _, scope in factors.configurations)
        return 200 * CALL + 10.0 * scopes + 100.0 * self.problem.decisions.count

    def work_for_flips(self, flips: int) -> float:
        """Estimate the steps of `bound_flips`, or of one bound for each flip."""
        # With configuration factors, `flips_bound` bounds the flips that stay too high one by one.
        single = len(self.problem.factors_beyond_backbone.configurations) > 0
        return self.work() * (3.0 + single * flips if self.has_flips else max(1, flips))


def flips_bound(
    decisions: Decisions,
    fixings: Fixings,
    weighed: SplitWeights,
    flips: Iterable[Flip],
    enough: float,
    *,
    known: Callable[[Fixings], SplitWeights | None],
    whole: Callable[[Fixings], float],
) -> float:
    """Bound the structures that contain at least one of some flips.

    The backbone's max-marginals bound all flips in one pass, but ignore that a configuration factor may lose more
    by a flip than the backbone does. Flips whose bound stays too high are therefore bounded one by one.

    Parameters
    ----------
    decisions : Decisions
    fixings : Fixings
        Before the flips.
    weighed : SplitWeights
        Under `fixings`.
    flips : iterable of Flip
    enough : float
        A bound at or below this value need not be tightened.
    known : callable
        From flipped fixings, with their implications, to the weights before the flip and the constant with the
        configuration factors bounded under the flip: `split_weights` with ``flipped=``.
    whole : callable
        From flipped fixings to the bound under them, with weights computed anew.
    """
    candidates = [(weighed.bound(score), score, d, on) for score, d, on in flips]
    highest = max((candidate[0] for candidate in candidates), default=-math.inf)
    # The backbone alone often suffices; then no factor needs a pass.
    if highest <= enough:
        return highest
    losses = weighed.factor_losses()[::-1]  # indexed by `on`: off, on
    ranked = sorted((weighed.bound(score, float(losses[on][d])), score, d, on) for _, score, d, on in candidates)
    bound = -math.inf
    # From the highest on: a flip that stays high decides the result, so that the others need no bound of their own.
    for highest, score, d, on in reversed(ranked):
        if highest <= max(enough, bound):
            return max(bound, highest)
        flipped = fixings.fix(on=(d,)) if on else fixings.fix(off=(d,))
        under = None if flipped is None else flipped.implied(decisions)
        if flipped is None or under is None:  # the flip is infeasible
            continue
        # Two tighter bounds in the order of their cost: the factors under the flip, then everything under it.
        partial = known(under)
        single = -math.inf if partial is None else min(highest, partial.bound(score))
        bound = max(bound, min(single, whole(flipped)) if single > max(enough, bound) else single)
    return bound
