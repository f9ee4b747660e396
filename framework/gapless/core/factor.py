"""Higher-order factors: extra score for sets of decisions. The point where users extend a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray


class Factor(ABC):
    """A conjunction template: each *scope* is a set of decisions that scores when all of them are on.

    From `scopes` and `score` alone follow the value of a structure, enumeration for tests, and whatever a method
    derives (linking rows, pricing, split bounds).
    """

    name: ClassVar[str]

    @abstractmethod
    def scopes(self, decisions: Decisions) -> Iterable[Sequence[int]]:
        """Every set of decisions that may fire together; all of one length, no repeats inside a scope."""

    @abstractmethod
    def score(self, scopes: IntArray) -> FloatArray:
        """Scores of the given scopes, shape (m, width) -> (m,). Called only for scopes that matter."""

    def upper_bound(self, scopes: IntArray) -> FloatArray:
        """A cheap bound on `score`, shape (m,). By default the score itself."""
        return self.score(scopes)


class ConfigurationFactor(ABC):
    """A factor that is not a conjunction: OR, budgets, valency, automata over a set of decisions."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def scope(self) -> IntArray:
        """The decisions that this factor looks at, ascending."""

    @abstractmethod
    def value(self, on: IntArray) -> float:
        """Score of the configuration that turns on exactly `on`, a subset of `scope`."""

    @abstractmethod
    def best(self, weights: FloatArray) -> tuple[float, IntArray]:
        """Maximum over configurations of ``value + weights of what is on``; weights follow `scope`."""


class ScoredFactor:
    """A `Factor` over known decisions whose scores are computed lazily, once each, and counted.

    Attributes
    ----------
    scopes : int64 (m, width)
    scored : int
        How many scopes have been scored so far.
    """

    def __init__(self, factor: Factor, decisions: Decisions) -> None:
        rows = [tuple(int(d) for d in scope) for scope in factor.scopes(decisions)]
        if len({len(row) for row in rows}) > 1:
            raise InvalidProblem(f"factor {factor.name}: scopes must all have one length")
        if len(set(rows)) < len(rows):
            raise InvalidProblem(f"factor {factor.name}: a scope is listed twice")
        self.factor = factor
        self.scopes: IntArray = np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 0)
        if self.scopes.size and not 0 <= self.scopes.min() <= self.scopes.max() < decisions.count:
            raise InvalidProblem(f"factor {factor.name}: a scope names a decision outside 0..{decisions.count - 1}")
        self.scored = 0
        self._scores = np.full(len(rows), np.nan)
        self._known = np.zeros(len(rows), bool)

    def scores(self, chosen: IntArray) -> FloatArray:
        """Scores of the scopes with these numbers, shape (m,); NaN and plus infinity are refused."""
        new = np.unique(chosen[~self._known[chosen]])
        if new.size:
            values = np.asarray(self.factor.score(self.scopes[new]), np.float64)
            if values.shape != new.shape:
                raise InvalidProblem(
                    f"factor {self.factor.name}: score() returned shape {values.shape} for {new.size} scopes"
                )
            bad = np.flatnonzero(np.isnan(values) | (values == np.inf))
            if bad.size:
                raise InvalidProblem(
                    f"factor {self.factor.name}: score of scope {self.scopes[new[bad[0]]].tolist()} "
                    f"is {values[bad[0]]}"
                )
            self._scores[new], self._known[new] = values, True
            self.scored += int(new.size)
        return self._scores[chosen]

    def firing(self, on_ids: IntArray) -> IntArray:
        """Numbers of the scopes whose decisions are all on."""
        if not self.scopes.size:
            return np.zeros(0, np.int64)
        return np.flatnonzero(np.isin(self.scopes, on_ids).all(axis=1))

    def value(self, on_ids: IntArray) -> float:
        """Total score of what fires."""
        return float(self.scores(self.firing(on_ids)).sum())
