"""Random factors of every tier over any decisions, which `gapless selftest` puts on backbones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, bool_array, float_array, int_array
from gapless.decisions.decisions import Decisions, Fixings
from gapless.factors import AtLeastOne, AtMostOne, Budget, Cardinality, Or, Table
from gapless.factors.conjunctions import Conjunctions
from gapless.factors.factor import ConfigurationFactor, Factor
from gapless.factors.structure_factor import StructureFactor
from gapless.oracles.maximiser import Maximiser, MaxMarginals, Optimum
from gapless.problems.problem import Problem, score_of
from gapless.results.result import Solution

AnyFactor = Factor | ConfigurationFactor


@serialisable("gapless.testing.TightBudget")
class TightBudget(Budget):
    """A budget whose diagram may have so few states that it is relaxed."""

    limit: ClassVar[int] = 40


@serialisable("gapless.testing.ScoredCount")
@attrs.frozen(eq=False)
class ScoredCount(ConfigurationFactor):
    """A score for each number of decisions that are on, with a ``best`` in Python.

    Parameters
    ----------
    scope_ids : int64 (m,)
    scores : float64 (m + 1,)
    """

    name: ClassVar[str] = "scored-count"
    scope_ids: IntArray = attrs.field(converter=int_array)
    scores: FloatArray = attrs.field(converter=float_array)

    def scope(self, decisions: Decisions) -> IntArray:
        """Return the decisions as given."""
        return self.scope_ids

    def value(self, on: BoolArray) -> float:
        """Look up the score of their number."""
        return float(self.scores[int(on.sum())])

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Try the heaviest decisions of each number."""
        order = np.argsort(-weights, kind="stable")
        totals = np.concatenate([[0.0], np.cumsum(weights[order])]) + self.scores
        most = int(np.argmax(totals))
        on = np.zeros(weights.size, bool)
        on[order[:most]] = True
        return float(totals[most]), on


@serialisable("gapless.testing.ListedStructures")
@attrs.frozen(eq=False)
class ListedStructures(Maximiser[Any]):
    """A maximiser over a list of structures.

    Parameters
    ----------
    on : bool (structures, decisions)
    own : float64 (structures,)
        Their internal scores.
    """

    on: BoolArray = attrs.field(converter=bool_array)
    own: FloatArray = attrs.field(converter=float_array)

    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[Any]:
        """Return the first of the best structures."""
        worth = self._worth(weights, fixings)
        best = int(np.argmax(worth))
        if worth[best] == -math.inf:
            return Optimum(-math.inf, np.zeros(0, np.int64))
        return Optimum(float(worth[best]), np.flatnonzero(self.on[best]), None, float(self.own[best]))

    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Compute max-marginals by enumerating every listed structure."""
        worth = self._worth(weights, fixings)
        most = float(worth.max())
        if most == -math.inf:
            nothing = np.full(weights.size, math.inf)
            return MaxMarginals(nothing, nothing)
        with_on = np.where(self.on, worth[:, None], -math.inf).max(axis=0)
        without = np.where(self.on, -math.inf, worth[:, None]).max(axis=0)
        return MaxMarginals(most - with_on, most - without)

    def _worth(self, weights: FloatArray, fixings: Fixings) -> FloatArray:
        fits = ~(self.on & (fixings.state == 0)).any(axis=1) & ~(~self.on & (fixings.state == 1)).any(axis=1)
        sums = np.array([float(weights[row].sum()) for row in self.on]) + self.own
        return np.where(fits, sums, -math.inf)


@serialisable("gapless.testing.LazyConjunctions")
@attrs.frozen(eq=False)
class LazyConjunctions(Conjunctions):
    """Conjunctions with upper bounds, so that a method may leave some of them unscored.

    Parameters
    ----------
    bounds : float64 (sets,)
        At least the scores.
    """

    bounds: FloatArray = attrs.field(converter=float_array)

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the bounds as given."""
        return Conjunctions(self.sets, self.bounds).score(scopes, decisions)


SCORES = ("ties", "normal", "cancel", "huge")


def random_scores(rng: np.random.Generator, size: int, kind: str, forbidden: float = 0.1) -> FloatArray:
    """Draw scores with ties, normal ones, large ones of opposite sign, or millions; some are -inf."""
    drawn: Any
    if kind == "ties":
        drawn = rng.integers(-2, 3, size)
    elif kind == "cancel":
        drawn = rng.choice([-1e4, 1e4, 1.0, -1.0], size)
    else:
        drawn = rng.normal(0.0, 1e6 if kind == "huge" else 2.0, size)
    return np.where(rng.random(size) < forbidden, -math.inf, np.asarray(drawn, np.float64))


def _scope(rng: np.random.Generator, count: int, most: int) -> IntArray:
    return np.sort(rng.choice(count, min(count, int(rng.integers(1, most + 1))), replace=False))


def _sets(rng: np.random.Generator, decisions: Decisions, kind: str, width: int) -> Conjunctions:
    width, count = min(width, decisions.count), decisions.count
    if not count:
        return Conjunctions([], [])
    found = {tuple(sorted(rng.choice(count, width, replace=False).tolist())) for _ in range(rng.integers(1, 9))}
    return Conjunctions(sorted(found), random_scores(rng, len(found), kind))


def _stars(rng: np.random.Generator, decisions: Decisions, kind: str) -> Conjunctions:
    """Draw many pairs, in either order, so that choice groups meet other decisions."""
    pairs = [(a, b) for a in range(decisions.count) for b in range(a)]
    every: list[tuple[int, ...]] = [*pairs] or [(0,)]
    found = [pair if rng.random() < 0.5 else pair[::-1] for pair in every if rng.random() < 0.4] or every[:1]
    return Conjunctions(found, random_scores(rng, len(found), kind, 0.05))


def _hard(rng: np.random.Generator, decisions: Decisions, kind: str) -> ConfigurationFactor:
    scope = _scope(rng, decisions.count, 6).tolist()
    drawn = int(rng.integers(5))
    if drawn == 0:
        return Budget(scope, rng.integers(0, 4, len(scope)), int(rng.integers(1, 6)))
    if drawn == 1:
        return AtMostOne(scope)
    if drawn == 2:
        return AtLeastOne(scope)
    number = int(rng.integers(0, 3))
    return Cardinality.at_most(scope, number) if drawn == 3 else Cardinality.exactly(scope, min(number, len(scope)))


def _soft(rng: np.random.Generator, decisions: Decisions, kind: str) -> ConfigurationFactor:
    scope = _scope(rng, decisions.count, 6).tolist()
    drawn, groups = int(rng.integers(5)), [tuple(g) for g in decisions.choice_groups() if len(g)]
    if drawn == 0 and len(groups) > 1:
        chosen = [groups[i] for i in sorted(rng.choice(len(groups), 2, replace=False).tolist())]
        shape = tuple(map(len, chosen))
        return Table(
            tuple(tuple(map(int, g)) for g in chosen), random_scores(rng, math.prod(shape), kind).reshape(shape)
        )
    if drawn == 1:
        return Or(scope, float(random_scores(rng, 1, kind)[0]))
    if drawn == 2:
        return Budget(scope, rng.integers(0, 4, len(scope)), int(rng.integers(0, 4)), float(rng.integers(0, 3)))
    if drawn == 3:
        return AtMostOne(scope, -1.5)
    return Cardinality(scope, random_scores(rng, len(scope) + 1, kind))


def _relaxed(rng: np.random.Generator, decisions: Decisions, kind: str) -> ConfigurationFactor:
    scope = _scope(rng, decisions.count, 8).tolist()
    most = float(rng.uniform(0.5, 4.0))
    return TightBudget(scope, rng.uniform(0.0, 2.0, len(scope)), most, math.inf if rng.random() < 0.6 else 1.0)


def _structure(rng: np.random.Generator, decisions: Decisions, kind: str) -> ConfigurationFactor:
    scope = _scope(rng, decisions.count, 3)
    rows = np.array([[bits >> i & 1 for i in range(scope.size)] for bits in range(1 << scope.size)], bool)
    kept = rng.random(len(rows)) < 0.8
    kept[0] |= not kept.any()
    weights = random_scores(rng, scope.size, kind, 0.0) if rng.random() < 0.5 else None
    return StructureFactor(
        ListedStructures(rows[kept], random_scores(rng, int(kept.sum()), kind, 0.0)), scope, weights
    )


def _counted(rng: np.random.Generator, decisions: Decisions, kind: str) -> ConfigurationFactor:
    scope = _scope(rng, decisions.count, 5)
    return ScoredCount(scope, random_scores(rng, scope.size + 1, kind))


TIERS: dict[str, Callable[[np.random.Generator, Decisions, str], AnyFactor]] = {
    "single": lambda rng, decisions, kind: _sets(rng, decisions, kind, 1),
    "pairs": lambda rng, decisions, kind: _sets(rng, decisions, kind, 2),
    "triples": lambda rng, decisions, kind: _sets(rng, decisions, kind, 3),
    "stars": _stars,
    "hard diagram": _hard,
    "soft diagram": _soft,
    "relaxed diagram": _relaxed,
    "second structure": _structure,
    "python": _counted,
}
"""By tier: ``(rng, decisions, kind of scores) -> factor``."""


EXACT_TIERS = ("single", "pairs", "triples", "stars", "second structure", "python")
"""Tiers whose bound is exact once everything is decided: no diagram, which may be relaxed, is among them."""


def lazy_conjunctions(rng: np.random.Generator, decisions: Decisions, kind: str) -> LazyConjunctions:
    """Draw upper bounds that equal the scores, exceed them, or are at least 0 over negative scores and -inf."""
    known = (
        _stars(rng, decisions, kind) if rng.random() < 0.5 else _sets(rng, decisions, kind, int(rng.integers(1, 4)))
    )
    lowest = np.where(known.scores > -np.inf, known.scores, rng.choice([-2.0, 0.0, 3.0], known.scores.size))
    slack = rng.choice([0.0, 0.5, 4.0], known.scores.size) * np.maximum(1.0, np.abs(lowest))
    bounds = np.where(rng.random(slack.size) < 0.3, np.maximum(lowest, 0.0), lowest + slack)
    return LazyConjunctions(known.sets, known.scores, bounds)


def random_factors(
    rng: np.random.Generator,
    decisions: Decisions,
    *,
    most: int = 3,
    tiers: Sequence[str] = tuple(TIERS),
    kind: str | None = None,
) -> list[AnyFactor]:
    """Draw one to `most` factors of random tiers; none over no decisions.

    Parameters
    ----------
    rng : numpy.random.Generator
    decisions : Decisions
    most : int
    tiers : sequence of str
        Keys of `TIERS`.
    kind : str, optional
        Kind of scores, one of `SCORES`; random by default, often with ties.
    """
    if not decisions.count:
        return []
    if kind is None:
        kind = SCORES[int(rng.integers(len(SCORES)))] if rng.random() < 0.6 else "ties"
    return [
        TIERS[tiers[int(rng.integers(len(tiers)))]](rng, decisions, kind) for _ in range(rng.integers(1, most + 1))
    ]


def best_among(problem: Problem[Any], structures: Iterable[Any], k: int) -> list[Solution[Any]]:
    """Return the `k` best of some structures by the problem's own value and rules, best first."""
    allowed = [one for one in structures if not problem.violations(one)]
    scored = sorted(((score_of(problem, one), n) for n, one in enumerate(allowed)), key=lambda pair: -pair[0])
    return [Solution(allowed[n], problem.sense.turn(score)) for score, n in scored[:k] if score > -math.inf]
