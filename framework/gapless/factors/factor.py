"""Higher-order factors: scores for sets of decisions, with which users extend a model."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

import gapless_kernels
from gapless.arrays.score_array import LARGEST, check_scores, score_array
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import off_grid
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.error_notes import factor_name, named_after


class Factor(ABC):
    """A conjunction template: each *scope* is a set of decisions that scores when all of them are on.

    `scopes` and `score` alone determine the value of a structure, the enumeration in tests, and the derived parts
    of each method (linking rows, pricing, split bounds).

    Examples
    --------
    >>> from gapless_dependency import Grandchild
    >>> from gapless.roles import Factor
    >>> issubclass(Grandchild, Factor)
    True
    """

    name: ClassVar[str]

    @abstractmethod
    def scopes(self, decisions: Decisions) -> Iterable[Sequence[int]] | IntArray:
        """List all sets of decisions that can fire together, of one length >= 1, without repeats inside a scope.

        Either sequences, no two of which contain the same set in any order; or one integer array (m, width), which
        is not searched for duplicates: a scope that is listed twice counts twice.
        """

    @abstractmethod
    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Score scopes, shape (m, width) -> (m,), at most 1e12 in size, or -inf.

        Called only for scopes that matter, and cached: the score of a scope must not depend on the time of the call
        or on the other scopes in it. `Result.verify` calls it again.
        """

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Bound `score` cheaply, shape (m,). By default the score itself."""
        return self.score(scopes, decisions)

    @property
    def bounded(self) -> bool:
        """Whether `upper_bound` is cheaper than `score`, so that methods should call it first."""
        return type(self).upper_bound is not Factor.upper_bound


class PrecheckedFactor(Factor):
    """A built-in factor whose scopes and scores compiled code lists and checks, so that Python does not."""

    @property
    @abstractmethod
    def ascending(self) -> bool:
        """Whether the last decisions of `trusted_scopes` ascend."""

    @abstractmethod
    def trusted_scopes(self, decisions: Decisions) -> IntArray | None:
        """List all scopes in a new contiguous array (m, width); None if they must be checked."""

    @abstractmethod
    def trusted_scores(self, scopes: IntArray, decisions: Decisions) -> FloatArray | None:
        """Score each scope, in a new array: at most 1e12 in size, or -inf; None if the scores must be checked."""


class ConfigurationFactor(ABC):
    """A factor that is not a conjunction: OR, budgets, valency, automata over a set of decisions.

    `value` is the model; `best` must maximise it exactly, because bounds rest on it.
    `gapless.testing.check_factor` compares the two.

    Examples
    --------
    >>> from gapless.factors import Or
    >>> from gapless.roles import Decisions, FactorSet
    >>> FactorSet([Or([0, 1], 2.0)], Decisions(3)).value([1])
    2.0
    """

    name: ClassVar[str]

    @abstractmethod
    def scope(self, decisions: Decisions) -> IntArray:
        """Return the decisions of this factor, ascending."""

    @abstractmethod
    def value(self, on: BoolArray) -> float:
        """Score a configuration; ``on[i]`` states whether decision ``scope[i]`` is on."""

    @abstractmethod
    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Maximise ``value(on) + weights[on].sum()`` over configurations; return the maximum and a maximiser.

        Weights are in the order of `scope`; minus infinity forbids a decision.
        """

    def guide(self, decisions: Decisions) -> FloatArray | None:
        """Return the direction in which the search moves prices first, float64 (count,), in the order of `scope`.

        For a limit on a weighted sum, return its weights: the first steps of a search then look for the one
        multiplier of the limit, as Lagrangian relaxation does, before each decision gets a separate price (decision
        041). None, the default, lets all prices move from the start. Bounds are valid under any guide.
        """
        return None

    def largest_term(self, decisions: Decisions) -> float:
        """Return the largest positive number that `value` or `best` adds up; 0, the default, if there are none.

        If large terms cancel, the float64 sum loses digits: `value` and `best` may then differ by more than
        `score_tolerance` of the result, and a proof may end with a gap (decision 058). Weights need not be counted.
        """
        return 0.0

    def over(self, decisions: Decisions) -> ConfigurationFactor:
        """Return the factor for configurations of these decisions only; by default the factor itself.

        A factor that interprets a configuration by the decisions in its scope returns a copy that stores them, so
        that one object can be part of many problems.
        """
        return self

    def compiled(self, decisions: Decisions) -> Any:
        """Return a new compiled ``gapless_kernels.search.roles.Factor`` of the same scores; None by default."""
        return None


class ScoredFactor:
    """A `Factor` over given decisions, with scores computed lazily, once each, and counted.

    Parameters
    ----------
    factor : Factor
    decisions : Decisions
    granularity : float, optional
        Every score must be a multiple of it: bounds of the problem are rounded to it.

    Attributes
    ----------
    scopes : int64 (m, width)
    scored : int
        Number of scopes scored so far.

    Raises
    ------
    InvalidProblem
        ``scopes()`` returned invalid sets of decisions; the message names factor and scope.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import ScoredFactor
    >>> from gapless_dependency import Grandchild, ParsingProblem
    >>> problem = ParsingProblem(np.zeros((3, 3)), factors=[Grandchild(np.ones((3, 3, 3)))])
    >>> ScoredFactor(problem.factors[0], problem.decisions).all_scores()
    array([1., 1.])
    """

    def __init__(self, factor: Factor, decisions: Decisions, granularity: float | None = None) -> None:
        self.factor = factor
        self.granularity = granularity
        self._decisions = decisions
        self._prechecked = factor if isinstance(factor, PrecheckedFactor) else None
        trusted: IntArray | None = None
        if self._prechecked is not None:
            with named_after(factor, "scopes"):
                trusted = self._prechecked.trusted_scopes(decisions)
        # A private copy: compiled searches rely on these checks, and the user could write to the array later.
        self.scopes: IntArray = _scopes_of(factor, decisions).copy() if trusted is None else trusted
        self.scopes.flags.writeable = False
        self._ascending = self._prechecked is not None and trusted is not None and self._prechecked.ascending
        if trusted is None:
            self._check_scopes()
        self.scored = 0
        self._bounds: FloatArray | None = None

    @cached_property
    def _scores(self) -> FloatArray:
        return np.full(len(self.scopes), np.nan)

    @cached_property
    def _known(self) -> BoolArray:
        return np.zeros(len(self.scopes), bool)

    def _check_scopes(self) -> None:
        """Refuse scopes that are empty, repeat a decision, or name one that does not exist."""
        scopes, name = self.scopes, factor_name(self.factor)
        if not len(scopes):
            return
        if not scopes.shape[1]:
            raise InvalidProblem(
                f"factor {name}: scopes() gave an empty scope, which no decision turns on; leave it out, or give "
                "each decision of an exactly-one group the constant score"
            )
        if not 0 <= scopes.min() <= scopes.max() < self._decisions.count:
            bad = np.flatnonzero(((scopes < 0) | (scopes >= self._decisions.count)).any(axis=1))
            raise InvalidProblem(
                f"factor {name}: the scope {scopes[bad[0]].tolist()} names a decision outside "
                f"0..{self._decisions.count - 1}"
            )
        # Scopes have few decisions: comparing columns in pairs is faster than sorting rows.
        has_repeat = np.zeros(len(scopes), bool)
        for column in range(1, scopes.shape[1]):
            for other in range(column):
                has_repeat |= scopes[:, column] == scopes[:, other]
        if has_repeat.any():
            bad_scope = self.scope_named(int(np.argmax(has_repeat)))
            raise InvalidProblem(f"factor {name}: {bad_scope} names a decision twice; name it once")

    def scope_named(self, number: int) -> str:
        """Describe a scope for messages: its decisions by id and by name."""
        scope = self.scopes[number].tolist()
        return f"scope {scope} ({', '.join(map(self._decisions.name, scope))})"

    def scores(self, numbers: IntArray) -> FloatArray:
        """Return the scores of the scopes with these numbers, shape (m,).

        NaN, plus infinity, sizes beyond 1e12 and non-multiples of the granularity are refused.
        """
        if self.scored == len(self.scopes):
            return self._scores[numbers]
        new = numbers[~self._known[numbers]]
        # A user's `score` must not see a scope twice; most callers pass ascending numbers, which need no sorting.
        if new.size > 1 and not np.all(new[1:] > new[:-1]):
            new = np.unique(new)
        if new.size:
            name = factor_name(self.factor)
            with named_after(self.factor, "score"):
                raw = self.factor.score(self.scopes[new], self._decisions)
            values = score_array(raw, f"factor {name}: scores")
            if values.shape != new.shape:
                raise InvalidProblem(
                    f"factor {name}: score() returned shape {values.shape} for {new.size} scopes, "
                    f"expected {new.shape}"
                )
            check_scores(values, lambda index: f"factor {name}: the score of {self.scope_named(new[index[0]])}")
            self._check_grid(new, values)
            if self._bounds is not None:
                self._check_bounds(new, values)
            self._scores[new], self._known[new] = values, True
            self.scored += int(new.size)
        return self._scores[numbers]

    def _check_grid(self, numbers: IntArray, values: FloatArray) -> None:
        """Refuse scores that are no multiples of the granularity."""
        if self.granularity is not None and (off := off_grid(values, self.granularity)).any():
            bad = int(np.argmax(off))
            raise InvalidProblem(
                f"factor {factor_name(self.factor)}: the score of {self.scope_named(int(numbers[bad]))} is "
                f"{values[bad]}, no multiple of the granularity {self.granularity:g}"
            )

    def all_bounds(self) -> FloatArray:
        """Bound the score of each scope, shape (m,), by the score itself where it is known.

        Scopes whose bound is not finite are scored.
        """
        if not self.factor.bounded or self.scored == len(self.scopes):
            return self.all_scores()
        if self._bounds is None:
            name = factor_name(self.factor)
            with named_after(self.factor, "upper_bound"):
                raw = self.factor.upper_bound(self.scopes, self._decisions)
            bounds = score_array(raw, f"factor {name}: upper bounds")
            if bounds.shape != (len(self.scopes),):
                raise InvalidProblem(
                    f"factor {name}: upper_bound() returned shape {bounds.shape} for {len(self.scopes)} scopes, "
                    f"expected {(len(self.scopes),)}"
                )
            if np.isnan(bounds).any():
                bad = self.scope_named(int(np.isnan(bounds).argmax()))
                raise InvalidProblem(f"factor {name}: the upper bound of {bad} is NaN")
            known = np.flatnonzero(self._known)
            self._bounds = bounds
            self._check_bounds(known, self._scores[known])
        self.scores(np.flatnonzero(~np.isfinite(self._bounds)))
        return np.where(self._known, self._scores, self._bounds)

    @property
    def known(self) -> BoolArray:
        """Mask of the scopes scored so far, bool (m,)."""
        # `_known` is not maintained by `all_scores`, which may receive all scores at once.
        return np.ones(len(self.scopes), bool) if self.scored == len(self.scopes) else self._known.copy()

    def _check_bounds(self, numbers: IntArray, values: FloatArray) -> None:
        """Refuse a bound that a score exceeds: a scope left unscored because of it may belong to the optimum."""
        assert self._bounds is not None
        bounds = self._bounds[numbers]
        # A score of -inf is below any bound.
        above = values > bounds + SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(values), values, 0.0)))
        if above.any():
            bad = int(np.argmax(above))
            raise InvalidProblem(
                f"factor {factor_name(self.factor)}: the score of {self.scope_named(int(numbers[bad]))} is "
                f"{values[bad]}, but upper_bound() promised at most {bounds[bad]}"
            )

    def all_scores(self) -> FloatArray:
        """Return the scores of all scopes, shape (m,), read-only."""
        # All at once from compiled code, unless there are bounds to check the scores against.
        if not self.scored and self._bounds is None and self._prechecked is not None:
            with named_after(self.factor, "score"):
                values = self._prechecked.trusted_scores(self.scopes, self._decisions)
            if values is not None:
                self._check_grid(np.arange(len(values)) if self.granularity else NONE, values)
                self._scores, self.scored = values, len(values)
        if self.scored < len(self.scopes):
            self.scores(np.flatnonzero(~self._known))
        self._scores.flags.writeable = False
        return self._scores

    @cached_property
    def has_forbidden_scopes(self) -> bool:
        """Whether a score is -inf."""
        return bool(self.all_scores().min(initial=0.0) == -np.inf)

    def firing(self, on_ids: IntArray) -> IntArray:
        """Find the numbers of the scopes whose decisions are all on."""
        if not self.scopes.size:
            return np.zeros(0, np.int64)
        on = np.zeros(self._decisions.count, bool)
        on[on_ids] = True
        return gapless_kernels.firing(self.scopes, on, self._ascending)

    def value(self, on_ids: IntArray) -> float:
        """Sum the scores of the scopes that fire."""
        return float(self.scores(self.firing(on_ids)).sum())

    def drift(self, sets_on: Sequence[IntArray]) -> tuple[int, str] | None:
        """Find the first difference when the scopes that fire are scored again, one at a time.

        Scores are cached, and proofs use the cached ones: if scores changed, or depended on the other scopes of a
        call, these would be proofs about another problem.

        Parameters
        ----------
        sets_on : sequence of int64 arrays
            Decisions that are on, one array per structure.

        Returns
        -------
        (int, str) or None
            Number of a structure, and a sentence that names factor and scope; None when nothing changed.
        """
        again = ScoredFactor(self.factor, self._decisions, self.granularity)
        messages = (self._drift(on_ids, again) for on_ids in sets_on)
        return next(((number, message) for number, message in enumerate(messages) if message is not None), None)

    def _drift(self, on_ids: IntArray, again: ScoredFactor) -> str | None:
        firing, fires_again = self.firing(on_ids), again.firing(on_ids)
        name = factor_name(self.factor)
        if not np.array_equal(self.scopes[firing], again.scopes[fires_again]):
            return f"factor {name}: scopes() lists other scopes when it is called again; it must not change"
        for number, other in zip(firing.tolist(), fires_again.tolist(), strict=True):
            first = float(self.scores(np.array([number]))[0])
            second = float(again.scores(np.array([other]))[0])
            if not agree(first, second):
                return (
                    f"factor {name}: the score of {self.scope_named(number)} was {first}, and is {second} when "
                    "scored again, alone; score() must neither change nor depend on the other scopes of a call"
                )
        return None


NONE = np.zeros(0, np.int64)
SAME = 1e-9
"""Relative difference allowed between two evaluations of a score: sums in another order, as in a matrix product."""


def agree(first: float, second: float) -> bool:
    """Return whether two evaluations of a score are the same up to rounding; also if both are -inf."""
    return first == second or abs(first - second) <= SAME * max(1.0, abs(first))


def guide_of(factor: ConfigurationFactor, decisions: Decisions, scope: IntArray) -> FloatArray | None:
    """Call `ConfigurationFactor.guide` and check its result."""
    with named_after(factor, "guide"):
        raw = factor.guide(decisions)
        if raw is None:
            return None
        guide = np.ascontiguousarray(raw, np.float64)
    # "not <=" instead of ">": NaN must be refused, too.
    if guide.shape != scope.shape or not np.all(np.abs(guide) <= LARGEST):
        raise InvalidProblem(
            f"factor {factor_name(factor)}: guide() gave numbers of shape {guide.shape}, expected one for each of "
            f"the {scope.size} decisions of scope(), at most {LARGEST:g} in size"
        )
    return guide


def largest_term_of(factor: ConfigurationFactor, decisions: Decisions) -> float:
    """Call `ConfigurationFactor.largest_term` and check its result."""
    with named_after(factor, "largest_term"):
        size = float(factor.largest_term(decisions))
    if not 0.0 <= size <= LARGEST:
        raise InvalidProblem(
            f"factor {factor_name(factor)}: largest_term() gave {size}, expected a number from 0 to {LARGEST:g}"
        )
    return size


def _scopes_of(factor: Factor, decisions: Decisions) -> IntArray:
    """Return the scopes of a factor as int64 (m, width)."""
    name = factor_name(factor)
    with named_after(factor, "scopes"):
        raw: Any = factor.scopes(decisions)
        if isinstance(raw, np.ndarray):
            if raw.ndim != 2 or raw.dtype.kind not in "iu":
                raise InvalidProblem(
                    f"factor {name}: scopes() gave an array of shape {raw.shape} and dtype {raw.dtype}, "
                    "expected integers of shape (m, width)"
                )
            return np.ascontiguousarray(raw, np.int64)
        if isinstance(raw, str) or not isinstance(raw, Iterable):
            raise InvalidProblem(
                f"factor {name}: scopes() gave {raw!r}, expected sequences of decisions, or an integer array "
                "(m, width)"
            )
        listed = list(raw)  # a generator runs the user's code here
    rows = [_scope(scope, name) for scope in listed]
    if len({len(row) for row in rows}) > 1:
        raise InvalidProblem(
            f"factor {name}: scopes must all have one length; {list(rows[0])} and "
            f"{list(next(row for row in rows if len(row) != len(rows[0])))} do not. Make a factor for each length"
        )
    first_row: dict[tuple[int, ...], tuple[int, ...]] = {}
    for row in rows:
        same = first_row.setdefault(tuple(sorted(row)), row)
        if same is not row:
            other_order = "" if same == row else f", also as {list(same)}"
            raise InvalidProblem(
                f"factor {name}: the scope {list(row)} is listed twice{other_order}; add up its scores"
            )
    return np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 0)


def _scope(scope: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, scope))
    except TypeError as error:
        raise InvalidProblem(
            f"factor {name}: scopes() gave the scope {scope!r}, expected a sequence of decisions: integers"
        ) from error
