"""A problem in the flat arrays that the search reads: laid out once, for any number of searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.backbone import Backbone
from gapless.core.certificate import Certificate
from gapless.core.decisions import Decisions
from gapless.core.factor import ConfigurationFactor, ScoredFactor, largest_term_of
from gapless.core.problem import Problem
from gapless.core.proofs.enumerated_choices import EnumeratedChoices
from gapless.core.proofs.split_certificate import SplitCertificate
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray, IntArray

S = TypeVar("S")

Block = tuple[IntArray, FloatArray]
CHOICES = 1 << 14
"""Once a node has no more ways to choose than this, all its structures are looked at."""
NO_LOSS = float(np.finfo(np.float64).max)
"""Cuts no score down."""


class ForbiddenScore(Exception):
    """A score that was asked for forbids its scope, and whatever stands for that depends on all other scores."""


@attrs.frozen(eq=False, slots=False, kw_only=True)
class Layout(Generic[S]):
    """Weights, choice groups, scopes with scores, and other factors of one problem.

    Parameters
    ----------
    problem : Problem
    backbone : Backbone
    counted : sequence of Factor
        Conjunctions whose scores are the backbone's own; they are left out here.
    lazily : bool
        Whether scores of factors with cheap upper bounds are asked for when they matter.
    harsh : bool
        Whether forbidden scopes lose more than any scores could make good, whatever the other factors score.
    lifted : bool
        Whether charges of pairs take in what excludes one of the two, where the maximiser tells. Only where
        `evidence` takes the keyword of that name, and knows by itself what excludes what.
    evidence : callable
        From the keywords orientation, multipliers, alone and loss to a certificate; can be pickled.
    enumerated : Certificate
        For nodes all of whose structures were looked at.
    most : int
        Structures that its verifier goes through.
    even : callable, optional
        To a certificate of scores that are spread evenly.
    """

    problem: Problem[S]
    backbone: Backbone[S]
    counted: Sequence[Any] = ()
    lazily: bool = False
    harsh: bool = False
    lifted: bool = False
    evidence: Callable[..., Certificate] = SplitCertificate
    enumerated: Certificate = attrs.field()
    most: int = EnumeratedChoices.most
    even: Callable[[], Certificate] | None = None

    @enumerated.default
    def _enumerated(self) -> Certificate:
        return EnumeratedChoices() if self.backbone.enumerated is None else self.backbone.enumerated

    def evenly(self) -> Certificate:
        """Scores spread evenly: what there is to show before any search."""
        return SplitCertificate.even(self.problem) if self.even is None else self.even()

    @property
    def choices(self) -> int:
        """A node with at most so many ways to choose is enumerated: as many as its verifier goes through."""
        return min(CHOICES, self.most)

    @cached_property
    def rivals(self) -> IntArray | None:
        """Those that the maximiser names, whether or not it has compiled code."""
        return self.backbone.maximiser.rivals()

    @property
    def decisions(self) -> Decisions:
        """Those of the problem."""
        return self.problem.decisions

    @property
    def conjunctions(self) -> tuple[ScoredFactor, ...]:
        """All factors that are conjunctions, those without scopes and those that the backbone counts included."""
        return self.problem.search_factors.conjunctions

    @cached_property
    def scored(self) -> tuple[ScoredFactor, ...]:
        """The conjunctions that have scopes here, in their order; the blocks of the search."""
        counted = set(map(id, self.counted))
        return tuple(s for s in self.conjunctions if s.scopes.size and id(s.factor) not in counted)

    @property
    def configurations(self) -> tuple[tuple[ConfigurationFactor, IntArray], ...]:
        """The other factors, each with its scope."""
        return self.problem.search_factors.configurations

    @cached_property
    def groups(self) -> tuple[IntArray, IntArray]:
        """The choice groups: ``members[first[g]:first[g + 1]]``; int64 both."""
        return self.decisions.choice_rows()

    @cached_property
    def known(self) -> BoolArray | None:
        """Scopes of all blocks whose score is known from the start, bool; None where all are."""
        if not self.lazily:
            return None
        late = [scored.factor.bounded and scored.scopes.shape[1] > 1 for scored in self.scored]
        if not any(late) or all(scored.scored == len(scored.scopes) for scored in self.scored):
            return None
        for scored, waits in zip(self.scored, late, strict=True):
            # How much it takes to forbid a scope depends on all scores.
            if (scored.all_bounds() if waits else scored.all_scores()).min() == -math.inf:
                return None
        return np.concatenate([scored.known for scored in self.scored])

    @cached_property
    def blocks(self) -> list[Block]:
        """Scopes and finite scores, or upper bounds on those that are not known."""
        if self.known is not None:
            return [(scored.scopes, scored.all_bounds()) for scored in self.scored]
        held = [(scored.scopes, scored.all_scores()) for scored in self.scored]
        if not self.forbids:
            return held
        return [(scopes, np.maximum(scores, -self.loss)) for scopes, scores in held]

    @cached_property
    def forbids(self) -> bool:
        """Whether a conjunction scores -inf somewhere."""
        return self.known is None and any(scored.forbids for scored in self.scored)

    @property
    def loss(self) -> float:
        """A finite loss that stands for a score of -inf.

        Any finite number above -inf keeps a bound true. This one is so large that a structure with one forbidden
        scope falls below every allowed one, as far as conjunctions and weights alone go.
        """
        return self._extent[0]

    @property
    def floor(self) -> float:
        """Less than any allowed structure scores, where that is known and a score is -inf; else -inf."""
        return self._extent[1]

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Loss and floor."""
        if not self.forbids:
            return NO_LOSS, -math.inf
        weights = self.backbone.weights
        allowed = weights > -np.inf
        first, members = self.groups
        loose = allowed.copy()
        loose[members] = False
        low, high = np.minimum(weights[loose], 0.0).sum(), np.maximum(weights[loose], 0.0).sum()
        if members.size:
            starts = first[:-1].astype(np.intp, copy=False)
            low += np.minimum.reduceat(np.where(allowed, weights, np.inf)[members], starts).sum()
            high += np.maximum.reduceat(weights[members], starts).sum()
        for scored in self.scored:
            scores = scored.all_scores()
            finite = scores[np.isfinite(scores) & self.problem.search_factors.possible(scored.scopes)]
            low, high = low + finite[finite < 0].sum(), high + finite[finite > 0].sum()
        if self.harsh:
            role = self.backbone.maximiser
            own = min(role.largest_own, 8 * LARGEST * self.decisions.count) if role.has_own else 0.0
            most = LARGEST * len(self.configurations) + own
            low, high = low - most, high + most
        # Far above the margin within which scores of the size of the floor count as equal.
        loss = 2.0 * (high - low) + 1.0 + 1e-6 * abs(low) if np.isfinite(high - low) else 1.0
        return float(loss), float(low) if self.harsh or self.sums_up else -math.inf

    @property
    def sums_up(self) -> bool:
        """Whether weights and conjunctions are all that counts."""
        return not (self.counted or self.configurations) and not self.backbone.maximiser.has_own

    def ask(self, numbers: IntArray) -> FloatArray:
        """Scores of scopes, counted over all blocks, finite.

        Raises `ForbiddenScore`: one is -inf.
        """
        if len(self.scored) == 1:
            scores = self.scored[0].scores(numbers)
        else:
            ends = np.cumsum([len(scored.scopes) for scored in self.scored])
            scores = np.empty(numbers.size)
            owners = np.searchsorted(ends, numbers, side="right")
            for owner in np.unique(owners).tolist():
                mine = owners == owner
                scores[mine] = self.scored[owner].scores(
                    numbers[mine] - (ends[owner] - len(self.scored[owner].scopes))
                )
        if scores.min() == -math.inf:
            raise ForbiddenScore
        return scores

    @property
    def parts_scored(self) -> int:
        """Scopes whose score is known by now."""
        return sum(scored.scored for scored in self.conjunctions)

    @property
    def parts(self) -> int:
        """Scopes of all conjunctions."""
        return sum(len(scored.scopes) for scored in self.conjunctions)

    def largest(self) -> float:
        """The largest size of a weight or a score."""
        scores = (scored.all_scores() for scored in self.conjunctions)
        return max(self.own_size, *map(_largest, (self.backbone.weights, *scores)))

    @cached_property
    def own_size(self) -> float:
        """The largest score that the backbone, or a factor that is no conjunction, sums by itself."""
        counted = set(map(id, self.counted))
        scores = (scored.all_scores() for scored in self.conjunctions if id(scored.factor) in counted)
        terms = (largest_term_of(factor, self.decisions) for factor, _ in self.configurations)
        largest = (float(one.max(initial=0.0)) for one in scores)
        return max(self.backbone.maximiser.own_size(), *largest, *terms, 0.0)


def _largest(scores: FloatArray) -> float:
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
