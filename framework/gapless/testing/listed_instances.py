"""Small problems with random factors of one kind and the scores of all their structures, computed term by term."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.decisions.decisions import Decisions
from gapless.factors import SegmentLengths
from gapless.factors.conjunctions import Conjunctions
from gapless.plugins.selftest_instances import SelftestInstances
from gapless.problems.problem import score_of
from gapless.testing.addressed import AddressedTable
from gapless.testing.conformance import ConformanceError, same
from gapless.testing.random_factors import SCORES, TIERS, lazy_conjunctions, random_scores
from gapless.testing.trial import Instance

MAX_STRUCTURES = 150
"""Instances of more structures are drawn again."""
_CANCELLING = 1e3
"""Terms of a score above this may cancel so that only their rounding remains."""
_TWO_FACTORS, _PAIRS_TOO, _LAZY_TOO = 0.4, 0.2, 0.4
"""Shares of the instances with a second factor of the kind, with pairs, and with lazily scored conjunctions."""

Maker = Callable[[np.random.Generator, Decisions, str], Any]


def _segments(rng: np.random.Generator, decisions: Decisions, kind: str) -> Any:
    groups = [tuple(map(int, group)) for group in decisions.choice_groups() if len(group)]
    labels = min(map(len, groups), default=0)
    if len(groups) < 2 or not labels:
        return TIERS["soft diagram"](rng, decisions, kind)
    scores = random_scores(rng, int(rng.integers(1, 4)), kind)
    return SegmentLengths(int(rng.integers(labels)), scores, tuple(group[:labels] for group in groups))


def _addressed(rng: np.random.Generator, decisions: Decisions, kind: str) -> Any:
    size = min(decisions.count, int(rng.integers(1, 4)))
    scope = np.sort(rng.choice(decisions.count, size, replace=False))
    return AddressedTable(scope, random_scores(rng, 1 << size, kind))


KINDS: Mapping[str, Maker | None] = {
    "none": None,
    **TIERS,
    "segment lengths": _segments,
    "by address": _addressed,
    "lazy scores": lazy_conjunctions,
}
"""Kinds of factors, and a function that draws one for some decisions and kind of scores."""


@attrs.frozen(eq=False)
class ListedInstance(Instance):
    """An instance with all structures of its backbone.

    `totals`: the sum of the terms of each structure's score, -inf if a factor forbids it.
    """

    structures: Sequence[Any] = attrs.field(kw_only=True)
    totals: FloatArray = attrs.field(kw_only=True)

    def check_scores(self) -> None:
        """Raise `ConformanceError` unless the problem scores every structure as the sum of its terms."""
        for structure, total in zip(self.structures, self.totals.tolist(), strict=True):
            allowed = not self.problem.violations(structure)
            score = score_of(self.problem, structure) if allowed else -math.inf
            if not same(score, total):
                detail = f"{score!r}, the sum is {total!r}"
                raise ConformanceError("problem", "a structure scores what its parts do", detail)


def listed_instance(
    problem: Any, structures: Sequence[Any], totals: FloatArray, *, case: int = 0, cancels: bool = False
) -> ListedInstance:
    """Make an instance from the structures of its backbone and their scores."""
    scores = sorted(totals[totals > -np.inf].tolist(), reverse=True)
    return ListedInstance(problem, scores, case, cancels, structures=structures, totals=totals)


def draw_listed(source: SelftestInstances, kind: str, rng: np.random.Generator, case: int = 0) -> ListedInstance:
    """Draw an instance and put factors of one of the `KINDS` on it."""
    assert source.structures is not None
    while True:
        bare = source.draw(rng)
        structures = list(source.structures(bare))
        if len(structures) <= MAX_STRUCTURES:
            break
    maker, decisions = KINDS[kind], bare.decisions
    scores = SCORES[int(rng.integers(len(SCORES)))]
    factors = []
    if maker is not None and decisions.count:
        factors = [maker(rng, decisions, scores) for _ in range(1 + int(rng.random() < _TWO_FACTORS))]
        for extra, share in ((TIERS["pairs"], _PAIRS_TOO), (lazy_conjunctions, _LAZY_TOO)):
            if rng.random() < share:
                factors.append(extra(rng, decisions, scores))
    problem = source.with_factors(bare, factors) if factors else bare
    on = np.zeros((len(structures), decisions.count), bool)
    for row, structure in enumerate(structures):
        on[row, bare.encode(structure)] = True
    terms = [np.array([score_of(bare, structure) for structure in structures], np.float64)]
    terms += [_factor_scores(factor, on, decisions) for factor in factors]
    largest = max(float(np.abs(term[np.isfinite(term)]).max(initial=0.0)) for term in terms)
    cancels = largest > _CANCELLING or (len(factors) > 0 and scores in ("cancel", "huge"))
    return listed_instance(problem, structures, np.sum(terms, axis=0), case=case, cancels=cancels)


def _factor_scores(factor: Any, on: BoolArray, decisions: Decisions) -> FloatArray:
    """Score each structure (a row of `on`) by the factor's definition."""
    scores = np.zeros(len(on))
    if isinstance(factor, Conjunctions):
        for members, score in zip(factor.sets, factor.scores.tolist(), strict=True):
            scores[on[:, members].all(axis=1)] += score
        return scores
    rows, kinds = np.unique(on[:, factor.scope(decisions)], axis=0, return_inverse=True)
    return np.array([factor.value(row) for row in rows])[kinds.ravel()] if len(on) else scores
