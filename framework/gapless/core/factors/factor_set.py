"""The factors of one problem over its decisions: what they score, what they forbid, and who says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.factor import SAME, ConfigurationFactor, Factor, ScoredFactor, name_of, named_after
from gapless.core.factors.grid import check_grid
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, IntArray


@attrs.frozen(eq=False)
class Part:
    """A factor's part that counts in a structure.

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
    """Factors over the decisions of a problem; their scopes are checked once, when first asked for.

    Scores are those of the factors: larger is better, whatever the sense of the problem.

    Parameters
    ----------
    factors : sequence of Factor or ConfigurationFactor
    decisions : Decisions
    granularity : float, optional
        Every score must be a multiple of it; a factor that is no conjunction says which it may give by
        ``possible_values()``, or is refused.
    counted : tuple of classes
        Other factors of the problem, which its backbone counts; they are left out here.

    Raises
    ------
    InvalidProblem
        Something in `factors` is no factor; later, a scope is invalid or a score is no number. The message names
        the factor and its place.

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
        """A factor for messages: ``factors[2] (budget)``."""
        over = self.__dict__.get("_bound", ())  # not while it is made
        given = next((given for given, bound, _ in over if bound is factor), factor)
        number = next((i for i, other in enumerate(self.factors) if other is given), -1)
        return f"factors[{number}] ({name_of(factor)})"

    @cached_property
    def conjunctions(self) -> tuple[ScoredFactor, ...]:
        """The factors that are conjunctions, with their scopes, in the order given."""
        return tuple(
            ScoredFactor(f, self.decisions, self.granularity) for f in self.factors if isinstance(f, Factor)
        )

    @cached_property
    def configurations(self) -> tuple[tuple[ConfigurationFactor, IntArray], ...]:
        """The factors that are no conjunctions, each with its scope, int64, in the order given.

        Each in its form for these decisions, see `ConfigurationFactor.over`.
        """
        return tuple((bound, scope) for _, bound, scope in self._bound)

    @cached_property
    def _bound(self) -> tuple[tuple[ConfigurationFactor, ConfigurationFactor, IntArray], ...]:
        """Those factors as given, over the decisions, and their scopes."""
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
            given: Any = np.asarray(factor.scope(self.decisions))
        if given.size == 0:
            given = given.astype(np.int64)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise InvalidProblem(
                f"{self.place(factor)}: scope() gave an array of shape {given.shape} and dtype {given.dtype}, "
                "expected the ids of decisions, ascending"
            )
        scope: IntArray = given.astype(np.int64)
        outside = scope[(scope < 0) | (scope >= self.decisions.count)]
        if outside.size:
            raise InvalidProblem(
                f"{self.place(factor)}: scope() names decision {outside[0]}, outside 0..{self.decisions.count - 1}"
            )
        wrong = np.flatnonzero(np.diff(scope) <= 0)
        if wrong.size:
            one, two = scope[wrong[0] : wrong[0] + 2].tolist()
            raise InvalidProblem(
                f"{self.place(factor)}: scope() lists decision {one} before {two}; list each decision once, "
                "ascending"
            )
        scope.flags.writeable = False
        return scope

    # --- scores

    def parts(self, on_ids: IntArray) -> list[Part]:
        """The parts that count in a structure: each conjunction that fires, and each other factor.

        `on_ids` (int64): the decisions that are on.
        """
        parts = []
        for scored in self.conjunctions:
            firing = scored.firing(on_ids)
            parts += [
                Part(scored.factor, scope, score)
                for scope, score in zip(scored.scopes[firing], scored.scores(firing).tolist(), strict=True)
            ]
        on = self._on(on_ids)
        parts += [Part(f, scope[on[scope]], self.value_of(bound, on[scope])) for f, bound, scope in self._bound]
        return parts

    def value_parts(self, on_ids: IntArray) -> list[float]:
        """The scores of `parts`, for one exact sum."""
        scores: list[float] = []
        for scored in self.conjunctions:
            scores += scored.scores(scored.firing(on_ids)).tolist()
        if self.configurations:
            on = self._on(on_ids)
            scores += [self.value_of(factor, on[scope]) for factor, scope in self.configurations]
        return scores

    def value(self, on_ids: IntArray) -> float:
        """Total score of the factors in a structure; -inf when one forbids it."""
        return math.fsum(self.value_parts(on_ids))

    def value_of(self, factor: ConfigurationFactor, on: BoolArray) -> float:
        """A factor's score of a configuration.

        Raises `InvalidProblem`: the score is no number, NaN, plus infinity or beyond 1e12.
        """
        with named_after(factor, "value"):
            given: Any = factor.value(on)
        try:
            value = float(given)
        except (TypeError, ValueError) as error:
            raise InvalidProblem(f"{self.place(factor)}: value() gave {given!r}, expected a number") from error
        if not (value == -math.inf or abs(value) <= LARGEST):
            raise InvalidProblem(
                f"{self.place(factor)}: value() gave {value}, expected a number of at most {LARGEST:g}, or -inf"
            )
        return value

    def violations(self, on_ids: IntArray) -> list[str]:
        """A sentence for each factor that forbids a structure, with the decisions that it forbids."""
        return [
            f"{self.place(part.factor)} forbids {self._named(part.on_ids)}"
            for part in self.parts(on_ids)
            if part.score == -math.inf
        ]

    def explained(self, on_ids: IntArray) -> list[str]:
        """A line for each part that scores in a structure: score, factor and decisions."""
        return [
            f"{part.score:+.12g}  {name_of(part.factor)}: {self._named(part.on_ids)}"
            for part in self.parts(on_ids)
            if part.score != 0.0
        ]

    def _named(self, on_ids: IntArray, most: int = 6) -> str:
        names = [self.decisions.name(d) for d in on_ids[:most].tolist()]
        more = [f"and {on_ids.size - most} more"] if on_ids.size > most else []
        return ", ".join([*names, *more]) or "that none of its decisions is on"

    def _on(self, on_ids: IntArray) -> BoolArray:
        on = np.zeros(self.decisions.count, bool)
        on[on_ids] = True
        return on

    def drift(self, sets_on: Sequence[IntArray]) -> tuple[int, str] | None:
        """The first score that changes when it is asked for again, see `ScoredFactor.drift`.

        Returns
        -------
        (int, str) or None
            Number of a structure, and a sentence that names the factor; None when nothing changed.
        """
        for scored in self.conjunctions:
            found = scored.drift(sets_on)
            if found is not None:
                return found
        for given, factor, scope in self._bound:
            if not np.array_equal(scope, self._scope(given)):
                return 0, f"{self.place(factor)}: scope() lists other decisions when it is called again"
            for number, on_ids in enumerate(sets_on):
                on = self._on(on_ids)[scope]
                one, two = self.value_of(factor, on), self.value_of(factor, on)
                if not (one == two or abs(one - two) <= SAME * max(1.0, abs(one))):
                    return number, (
                        f"{self.place(factor)}: value() of one configuration was {one}, and is {two} when it is "
                        "asked again; it must not change"
                    )
        return None

    # --- bounds

    def possible(self, scopes: IntArray) -> BoolArray:
        """Scopes without two decisions of one choice group, bool (m,); the others never fire."""
        fine = np.ones(len(scopes), bool)
        group = self.decisions.group_of()
        chosen = group[scopes]
        for a in range(scopes.shape[1]):
            for b in range(a):
                fine &= (chosen[:, a] != chosen[:, b]) | (chosen[:, a] < 0)
        return fine


def as_factors(values: Any, counted: tuple[type, ...] = ()) -> tuple[Factor | ConfigurationFactor, ...]:
    """Factors as a tuple, read once; instances of `counted` may be among them.

    Raises `InvalidProblem`: no sequence, or something in it is no factor.
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
