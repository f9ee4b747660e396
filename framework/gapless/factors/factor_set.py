"""The factors of one problem over its decisions: scopes, scores, violations, and names for messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.error_notes import factor_name, named_after
from gapless.factors.factor import ConfigurationFactor, Factor, ScoredFactor, agree
from gapless.factors.granularity_check import check_grid


@attrs.frozen(eq=False)
class ActivePart:
    """A scored scope in a structure: a conjunction that fires, or a configuration factor.

    Parameters
    ----------
    factor : Factor or ConfigurationFactor
    on_ids : int64
        The decisions of its scope that are on.
    score : float
    """

    factor: Factor | ConfigurationFactor
    on_ids: IntArray
    score: float


@attrs.frozen(eq=False, init=False, slots=False)
class FactorSet:
    """Factors over the decisions of a problem; their scopes are checked once, on first access.

    Scores are those of the factors: larger is better, whatever the sense of the problem.

    Parameters
    ----------
    factors : sequence of Factor or ConfigurationFactor
    decisions : Decisions
    granularity : float, optional
        Every score must be a multiple of it; a configuration factor lists its scores by ``possible_values()``, or
        is refused.
    counted : tuple of classes
        Other factors of the problem, which its backbone scores; they are left out here.

    Raises
    ------
    InvalidProblem
        An entry of `factors` is no factor; later, a scope is invalid or a score is no number. The message names
        the factor and its index.

    Examples
    --------
    >>> from gapless.factors import Or
    >>> from gapless.roles import Decisions, FactorSet
    >>> FactorSet([Or([0, 1], 2.0)], Decisions(3)).value([1, 2])
    2.0
    """

    factors: tuple[Factor | ConfigurationFactor, ...]
    decisions: Decisions
    granularity: float | None

    def __init__(
        self,
        factors: Sequence[Any],
        decisions: Decisions,
        granularity: float | None = None,
        counted: tuple[type, ...] = (),
    ) -> None:
        self.__attrs_init__(as_factors(factors, counted), decisions, granularity)

    def __bool__(self) -> bool:
        return any(isinstance(f, Factor | ConfigurationFactor) for f in self.factors)

    def place(self, factor: Factor | ConfigurationFactor) -> str:
        """Name a factor for messages: ``factors[2] (budget)``."""
        # From `__dict__`: the property itself calls this for its errors, before it has a value.
        bound_factors = self.__dict__.get("_bound", ())
        original = next((original for original, bound, _ in bound_factors if bound is factor), factor)
        number = next((i for i, other in enumerate(self.factors) if other is original), -1)
        return f"factors[{number}] ({factor_name(factor)})"

    @cached_property
    def conjunctions(self) -> tuple[ScoredFactor, ...]:
        """The factors that are conjunctions, with their scopes, in the order given."""
        return tuple(
            ScoredFactor(f, self.decisions, self.granularity) for f in self.factors if isinstance(f, Factor)
        )

    @cached_property
    def configurations(self) -> tuple[tuple[ConfigurationFactor, IntArray], ...]:
        """The configuration factors, each with its scope, int64, in the order given.

        Each is bound to these decisions, see `ConfigurationFactor.over`.
        """
        return tuple((bound, scope) for _, bound, scope in self._bound)

    @cached_property
    def _bound(self) -> tuple[tuple[ConfigurationFactor, ConfigurationFactor, IntArray], ...]:
        """The configuration factors as given, as bound to the decisions, and their scopes."""
        if len(self.conjunctions) == len(self.factors):
            return ()
        for factor in self.factors if self.granularity is not None else ():
            if isinstance(factor, ConfigurationFactor):
                check_grid(factor, self.place(factor), self.granularity)
        return tuple(
            (f, f.over(self.decisions), scope)
            for f in self.factors
            if isinstance(f, ConfigurationFactor)
            for scope in (self._scope(f),)
        )

    def _scope(self, factor: ConfigurationFactor) -> IntArray:
        with named_after(factor, "scope"):
            raw: Any = np.asarray(factor.scope(self.decisions))
        if raw.size == 0:
            raw = raw.astype(np.int64)  # NumPy reads an empty list as float64
        if raw.ndim != 1 or raw.dtype.kind not in "iu":
            raise InvalidProblem(
                f"{self.place(factor)}: scope() gave an array of shape {raw.shape} and dtype {raw.dtype}, "
                "expected the ids of decisions, ascending"
            )
        scope: IntArray = raw.astype(np.int64)
        outside = scope[(scope < 0) | (scope >= self.decisions.count)]
        if outside.size:
            raise InvalidProblem(
                f"{self.place(factor)}: scope() names decision {outside[0]}, outside 0..{self.decisions.count - 1}"
            )
        wrong = np.flatnonzero(np.diff(scope) <= 0)
        if wrong.size:
            first, second = scope[wrong[0] : wrong[0] + 2].tolist()
            raise InvalidProblem(
                f"{self.place(factor)}: scope() lists decision {first} before {second}; list each decision once, "
                "ascending"
            )
        scope.flags.writeable = False
        return scope

    # --- scores

    def parts(self, on_ids: IntArray) -> list[ActivePart]:
        """List the scored scopes of a structure: each conjunction that fires, and each configuration factor.

        `on_ids` (int64): the decisions that are on.
        """
        parts = []
        for scored in self.conjunctions:
            firing = scored.firing(on_ids)
            parts += [
                ActivePart(scored.factor, scope, score)
                for scope, score in zip(scored.scopes[firing], scored.scores(firing).tolist(), strict=True)
            ]
        on = self._on(on_ids)
        parts += [
            ActivePart(f, scope[on[scope]], self.value_of(bound, on[scope])) for f, bound, scope in self._bound
        ]
        return parts

    def value_parts(self, on_ids: IntArray) -> list[float]:
        """Return the scores of `parts`, for one exact sum."""
        scores: list[float] = []
        for scored in self.conjunctions:
            scores += scored.scores(scored.firing(on_ids)).tolist()
        if self.configurations:
            on = self._on(on_ids)
            scores += [self.value_of(factor, on[scope]) for factor, scope in self.configurations]
        return scores

    def value(self, on_ids: IntArray) -> float:
        """Sum the scores of the factors in a structure; -inf if one forbids it."""
        return math.fsum(self.value_parts(on_ids))  # exact, so that the order of factors does not matter

    def value_of(self, factor: ConfigurationFactor, on: BoolArray) -> float:
        """Score a configuration of a factor.

        Raises `InvalidProblem`: the score is no number, NaN, plus infinity or beyond 1e12.
        """
        with named_after(factor, "value"):
            raw: Any = factor.value(on)
        try:
            value = float(raw)
        except (TypeError, ValueError) as error:
            raise InvalidProblem(f"{self.place(factor)}: value() gave {raw!r}, expected a number") from error
        if not (value == -math.inf or abs(value) <= LARGEST):
            raise InvalidProblem(
                f"{self.place(factor)}: value() gave {value}, expected a number of at most {LARGEST:g}, or -inf"
            )
        return value

    def violations(self, on_ids: IntArray) -> list[str]:
        """Return a sentence for each factor that forbids a structure, with the decisions that it forbids."""
        return [
            f"{self.place(part.factor)} forbids {self._named(part.on_ids)}"
            for part in self.parts(on_ids)
            if part.score == -math.inf
        ]

    def explained(self, on_ids: IntArray) -> list[str]:
        """Return a line for each part that scores in a structure: score, factor and decisions."""
        return [
            f"{part.score:+.12g}  {factor_name(part.factor)}: {self._named(part.on_ids)}"
            for part in self.parts(on_ids)
            if part.score != 0.0
        ]

    def _named(self, on_ids: IntArray, limit: int = 6) -> str:
        names = [self.decisions.name(d) for d in on_ids[:limit].tolist()]
        more = [f"and {on_ids.size - limit} more"] if on_ids.size > limit else []
        return ", ".join([*names, *more]) or "that none of its decisions is on"

    def _on(self, on_ids: IntArray) -> BoolArray:
        on = np.zeros(self.decisions.count, bool)
        on[on_ids] = True
        return on

    def drift(self, sets_on: Sequence[IntArray]) -> tuple[int, str] | None:
        """Find the first score that changes when it is computed again, see `ScoredFactor.drift`.

        Returns
        -------
        (int, str) or None
            Number of a structure, and a sentence that names the factor; None when nothing changed.
        """
        for scored in self.conjunctions:
            difference = scored.drift(sets_on)
            if difference is not None:
                return difference
        for original, factor, scope in self._bound:
            if not np.array_equal(scope, self._scope(original)):
                return 0, f"{self.place(factor)}: scope() lists other decisions when it is called again"
            for number, on_ids in enumerate(sets_on):
                on = self._on(on_ids)[scope]
                first, second = self.value_of(factor, on), self.value_of(factor, on)
                if not agree(first, second):
                    return number, (
                        f"{self.place(factor)}: value() of one configuration was {first}, and is {second} when it "
                        "is asked again; it must not change"
                    )
        return None

    # --- bounds

    def possible(self, scopes: IntArray) -> BoolArray:
        """Mark scopes without two decisions of one choice group, bool (m,); the others never fire."""
        mask = np.ones(len(scopes), bool)
        groups = self.decisions.group_index()[scopes]
        for a in range(scopes.shape[1]):
            for b in range(a):
                mask &= (groups[:, a] != groups[:, b]) | (groups[:, a] < 0)
        return mask


def as_factors(values: Any, counted: tuple[type, ...] = ()) -> tuple[Factor | ConfigurationFactor, ...]:
    """Return factors as a tuple, iterated once; instances of `counted` are accepted, too.

    Raises `InvalidProblem`: `values` is no sequence, or contains something else.
    """
    try:
        listed = tuple(values)
    except TypeError as error:
        raise InvalidProblem(f"factors is {values!r}, expected a sequence of factors") from error
    for number, factor in enumerate(listed):
        if not isinstance(factor, (Factor, ConfigurationFactor, *counted)):
            raise InvalidProblem(
                f"factors[{number}] is {factor!r}, expected an instance of Factor or ConfigurationFactor"
            )
    return listed
