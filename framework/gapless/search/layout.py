"""A problem in the flat arrays that the search reads: laid out once, for any number of searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

import attrs
import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.certificates.certificate import Certificate
from gapless.certificates.enumerated_choices import EnumeratedChoices
from gapless.certificates.split_certificate import SplitCertificate
from gapless.decisions.decisions import Decisions
from gapless.factors.factor import ConfigurationFactor, ScoredFactor, largest_term_of
from gapless.problems.backbone import Backbone
from gapless.problems.problem import Problem

S = TypeVar("S")

Block = tuple[IntArray, FloatArray]
CHOICES = 1 << 14
"""Largest number of assignments for which a node is enumerated."""
NO_LOSS = float(np.finfo(np.float64).max)
"""A loss that changes no finite score."""


class ForbiddenScore(Exception):
    """A lazily asked score is -inf, and the finite loss that stands for it depends on all other scores."""


@attrs.frozen(eq=False, slots=False, kw_only=True)
class SearchInput(Generic[S]):
    """Weights, choice groups, scopes with scores, and other factors of one problem.

    Parameters
    ----------
    problem : Problem
    backbone : Backbone
    counted : sequence of Factor
        Conjunctions whose scores the backbone counts; they are left out of `blocks`.
    lazily : bool
        If True, ask for scores of factors with cheap upper bounds only when they matter.
    harsh : bool
        If True, a forbidden scope loses more than all scores, those of maximiser and other factors included, can
        gain.
    lifted : bool
        Whether charges of pairs include decisions that exclude one of the two, by `Maximiser.are_exclusive`. This
        needs an `evidence` that takes the keyword ``lifted`` and derives the exclusions itself.
    evidence : callable
        Makes a certificate from the keywords orientation, multipliers, places, alone and loss; can be pickled.
    enumerated : Certificate
        Certificate of nodes that were enumerated.
    most : int
        Largest number of structures that its verifier enumerates.
    even : callable, optional
        Makes a certificate of evenly spread scores; by default `SplitCertificate.even`.
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
        own = self.backbone.enumeration_certificate
        return EnumeratedChoices() if own is None else cast(Certificate, own)

    def evenly(self) -> Certificate:
        """Return the certificate of evenly spread scores, which needs no search."""
        return SplitCertificate.even(self.problem) if self.even is None else self.even()

    @property
    def choices(self) -> int:
        """Largest number of assignments for which a node is enumerated: the verifier must enumerate it as well."""
        return min(CHOICES, self.most)

    @cached_property
    def conflicts(self) -> IntArray | None:
        """Decisions that exclude each other, as `Maximiser.conflicts` states them."""
        return self.backbone.maximiser.conflicts()

    @property
    def decisions(self) -> Decisions:
        """Decisions of the problem."""
        return self.problem.decisions

    @property
    def conjunctions(self) -> tuple[ScoredFactor, ...]:
        """All conjunctions, also those without scopes and those that the backbone counts."""
        return self.problem.factors_beyond_backbone.conjunctions

    @cached_property
    def scored(self) -> tuple[ScoredFactor, ...]:
        """Conjunctions of the `blocks`, in their order: those with scopes that the backbone does not count."""
        counted = set(map(id, self.counted))
        return tuple(s for s in self.conjunctions if s.scopes.size and id(s.factor) not in counted)

    @property
    def configurations(self) -> tuple[tuple[ConfigurationFactor, IntArray], ...]:
        """Configuration factors, each with its scope."""
        return self.problem.factors_beyond_backbone.configurations

    @cached_property
    def groups(self) -> tuple[IntArray, IntArray]:
        """Choice groups ``members[first[g]:first[g + 1]]`` as (first, members), int64."""
        return self.decisions.choice_groups_csr()

    @cached_property
    def known(self) -> BoolArray | None:
        """Whether each scope of the blocks has a known score from the start, bool (scopes,); None if all have."""
        if not self.lazily:
            return None
        is_lazy = [scored.factor.bounded and scored.scopes.shape[1] > 1 for scored in self.scored]
        if not any(is_lazy) or all(scored.scored == len(scored.scopes) for scored in self.scored):
            return None
        for scored, lazy in zip(self.scored, is_lazy, strict=True):
            # The loss that stands for -inf depends on all scores, so none of them can be unknown.
            if (scored.all_bounds() if lazy else scored.all_scores()).min() == -math.inf:
                return None
        return np.concatenate([scored.known for scored in self.scored])

    @cached_property
    def blocks(self) -> list[Block]:
        """Scopes and finite scores; upper bounds stand for scores that are not known yet."""
        if self.known is not None:
            return [(scored.scopes, scored.all_bounds()) for scored in self.scored]
        blocks = [(scored.scopes, scored.all_scores()) for scored in self.scored]
        if not self.forbids:
            return blocks
        return [(scopes, np.maximum(scores, -self.loss)) for scopes, scores in blocks]

    @cached_property
    def forbids(self) -> bool:
        """Whether a conjunction scores -inf somewhere."""
        return self.known is None and any(scored.has_forbidden_scopes for scored in self.scored)

    @property
    def loss(self) -> float:
        """Finite loss that stands for a score of -inf.

        Any finite loss keeps a bound valid. This one puts a structure with a forbidden scope below every allowed
        one, as far as weights and conjunctions alone are concerned.
        """
        return self._extent[0]

    @property
    def floor(self) -> float:
        """Score below that of every allowed structure, if a score is -inf and sizes are known; else -inf."""
        return self._extent[1]

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Compute loss and floor."""
        if not self.forbids:
            return NO_LOSS, -math.inf
        weights = self.backbone.weights
        allowed = weights > -np.inf
        first, members = self.groups
        ungrouped = allowed.copy()
        ungrouped[members] = False
        # An interval that contains the score of every allowed structure: one decision of each group, any ungrouped
        # ones.
        low, high = np.minimum(weights[ungrouped], 0.0).sum(), np.maximum(weights[ungrouped], 0.0).sum()
        if members.size:
            starts = first[:-1].astype(np.intp, copy=False)
            low += np.minimum.reduceat(np.where(allowed, weights, np.inf)[members], starts).sum()
            high += np.maximum.reduceat(weights[members], starts).sum()
        for scored in self.scored:
            scores = scored.all_scores()
            finite = scores[np.isfinite(scores) & self.problem.factors_beyond_backbone.possible(scored.scopes)]
            low, high = low + finite[finite < 0].sum(), high + finite[finite > 0].sum()
        if self.harsh:
            role = self.backbone.maximiser
            own = (
                min(role.largest_internal_term, 8 * LARGEST * self.decisions.count)
                if role.has_internal_scores
                else 0.0
            )
            # Factors score at most LARGEST each, see `NamedFactor`; for maximisers this is assumed (decision 045).
            unseen = LARGEST * len(self.configurations) + own
            low, high = low - unseen, high + unseen
        # Far above the tolerance within which scores of the size of the floor count as equal.
        loss = 2.0 * (high - low) + 1.0 + 1e-6 * abs(low) if np.isfinite(high - low) else 1.0
        return float(loss), float(low) if self.harsh or self.sums_up else -math.inf

    @property
    def sums_up(self) -> bool:
        """Whether a score consists of weights and the blocks only."""
        return not (self.counted or self.configurations) and not self.backbone.maximiser.has_internal_scores

    def ask(self, numbers: IntArray) -> FloatArray:
        """Return the scores of scopes, which are numbered through all blocks.

        Raises `ForbiddenScore`: one is -inf.
        """
        if len(self.scored) == 1:
            scores = self.scored[0].scores(numbers)
        else:
            ends = np.cumsum([len(scored.scopes) for scored in self.scored])
            scores = np.empty(numbers.size)
            owners = np.searchsorted(ends, numbers, side="right")
            for owner in np.unique(owners).tolist():
                in_block = owners == owner
                scores[in_block] = self.scored[owner].scores(
                    numbers[in_block] - (ends[owner] - len(self.scored[owner].scopes))
                )
        if scores.min() == -math.inf:
            raise ForbiddenScore
        return scores

    @property
    def scopes_scored(self) -> int:
        """Number of scopes with a known score."""
        return sum(scored.scored for scored in self.conjunctions)

    @property
    def scopes_total(self) -> int:
        """Number of scopes of all conjunctions."""
        return sum(len(scored.scopes) for scored in self.conjunctions)

    def largest(self) -> float:
        """Return the largest absolute value of a weight or a score."""
        scores = (scored.all_scores() for scored in self.conjunctions)
        return max(self.internal_score_limit, *map(_largest, (self.backbone.weights, *scores)))

    @cached_property
    def internal_score_limit(self) -> float:
        """Largest term that the backbone or a configuration factor sums by itself."""
        counted = set(map(id, self.counted))
        scores = (scored.all_scores() for scored in self.conjunctions if id(scored.factor) in counted)
        terms = (largest_term_of(factor, self.decisions) for factor, _ in self.configurations)
        largest = (float(block.max(initial=0.0)) for block in scores)
        return max(self.backbone.maximiser.internal_score_limit(), *largest, *terms, 0.0)


def _largest(scores: FloatArray) -> float:
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
