"""Higher-order factors: extra score for sets of decisions. The point where users extend a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import off_grid


class Factor(ABC):
    """A conjunction template: each *scope* is a set of decisions that scores when all of them are on.

    From `scopes` and `score` alone follow the value of a structure, enumeration for tests, and whatever a method
    derives (linking rows, pricing, split bounds).
    """

    name: ClassVar[str]

    @abstractmethod
    def scopes(self, decisions: Decisions) -> Iterable[Sequence[int]] | IntArray:
        """Every set of decisions that may fire together; all of one length, no repeats inside a scope.

        Sequences, or one integer array (m, width), which is taken as it is and saves the checks in Python: a scope
        that such an array lists twice counts twice.
        """

    @abstractmethod
    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Scores of the given scopes, shape (m, width) -> (m,). Called only for scopes that matter."""

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """A cheap bound on `score`, shape (m,). By default the score itself."""
        return self.score(scopes, decisions)


class ConfigurationFactor(ABC):
    """A factor that is not a conjunction: OR, budgets, valency, automata over a set of decisions."""

    name: ClassVar[str]

    @abstractmethod
    def scope(self, decisions: Decisions) -> IntArray:
        """The decisions that this factor looks at, ascending."""

    @abstractmethod
    def value(self, on: BoolArray) -> float:
        """Score of a configuration; ``on[i]`` says whether decision ``scope[i]`` is on."""

    @abstractmethod
    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Maximum over configurations of ``value(on) + weights[on].sum()``, and a configuration that reaches it.

        Weights follow `scope`; minus infinity forbids turning the decision on.
        """


class ScoredFactor:
    """A `Factor` over known decisions whose scores are computed lazily, once each, and counted.

    Parameters
    ----------
    factor : Factor
    decisions : Decisions
    granularity : float, optional
        What every score has to be a multiple of: bounds of the problem are rounded to it.

    Attributes
    ----------
    scopes : int64 (m, width)
    scored : int
        How many scopes have been scored so far.
    """

    def __init__(self, factor: Factor, decisions: Decisions, granularity: float | None = None) -> None:
        self.factor = factor
        self.granularity = granularity
        self.scopes: IntArray = _listed(factor, decisions)
        if self.scopes.size and not 0 <= self.scopes.min() <= self.scopes.max() < decisions.count:
            raise InvalidProblem(f"factor {factor.name}: a scope names a decision outside 0..{decisions.count - 1}")
        self.scored = 0
        self._scores = np.full(len(self.scopes), np.nan)
        self._known = np.zeros(len(self.scopes), bool)
        self._decisions = decisions

    def scores(self, chosen: IntArray) -> FloatArray:
        """Scores of the scopes with these numbers, shape (m,).

        NaN, plus infinity and what is no multiple of the granularity are refused.
        """
        new = chosen[~self._known[chosen]]
        if new.size > 1 and not np.all(new[1:] > new[:-1]):
            new = np.unique(new)
        if new.size:
            values = np.asarray(self.factor.score(self.scopes[new], self._decisions), np.float64)
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
            if self.granularity is not None and (off := off_grid(values, self.granularity)).any():
                bad = np.flatnonzero(off)
                raise InvalidProblem(
                    f"factor {self.factor.name}: score of scope {self.scopes[new[bad[0]]].tolist()} is "
                    f"{values[bad[0]]}, no multiple of the granularity {self.granularity:g}"
                )
            self._scores[new], self._known[new] = values, True
            self.scored += int(new.size)
        return self._scores[chosen]

    def all_scores(self) -> FloatArray:
        """Scores of all scopes, shape (m,)."""
        return self.scores(np.arange(len(self.scopes)))

    def firing(self, on_ids: IntArray) -> IntArray:
        """Numbers of the scopes whose decisions are all on."""
        if not self.scopes.size:
            return np.zeros(0, np.int64)
        on = np.zeros(self._decisions.count, bool)
        on[on_ids] = True
        firing: BoolArray = on[self.scopes[:, 0]]
        for column in range(1, self.scopes.shape[1]):
            firing &= on[self.scopes[:, column]]
        return np.flatnonzero(firing)

    def value(self, on_ids: IntArray) -> float:
        """Total score of what fires."""
        return float(self.scores(self.firing(on_ids)).sum())


def _listed(factor: Factor, decisions: Decisions) -> IntArray:
    """The scopes of a factor as int64 (m, width)."""
    given = factor.scopes(decisions)
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or given.dtype.kind not in "iu":
            raise InvalidProblem(
                f"factor {factor.name}: scopes() gave an array of shape {given.shape} and dtype {given.dtype}, "
                "expected integers of shape (m, width)"
            )
        return np.ascontiguousarray(given, np.int64)
    rows = [tuple(int(d) for d in scope) for scope in given]
    if len({len(row) for row in rows}) > 1:
        raise InvalidProblem(f"factor {factor.name}: scopes must all have one length")
    if len(set(rows)) < len(rows):
        raise InvalidProblem(f"factor {factor.name}: a scope is listed twice")
    return np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 0)
