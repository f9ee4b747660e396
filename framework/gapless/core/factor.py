"""Higher-order factors: extra scores for sets of decisions. The point where users extend a model."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

import gapless_kernels
from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.factors.blame import blamed_factor as blamed_factor  # noqa: PLC0414  imported from here
from gapless.core.factors.blame import name_of as name_of  # noqa: PLC0414  imported from here
from gapless.core.factors.blame import named_after as named_after  # noqa: PLC0414  imported from here
from gapless.core.score_array import LARGEST, check_scores, score_array
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import off_grid


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
        """All sets of decisions that can fire together, of one length >= 1, without repeats inside a scope.

        Either sequences, no two of which hold the same set in any order; or one integer array (m, width), which is
        not searched for duplicates: a scope that is listed twice counts twice.
        """

    @abstractmethod
    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Scores of the given scopes, shape (m, width) -> (m,), at most 1e12 in size, or -inf.

        Called only for scopes that matter, and cached: the score of a scope must not depend on the time of the call
        or on the other scopes in it. `Result.verify` calls it again.
        """

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """A cheap bound on `score`, shape (m,). By default the score itself."""
        return self.score(scopes, decisions)

    @property
    def bounded(self) -> bool:
        """Whether `upper_bound` is cheaper than `score`, so that methods should call it first."""
        return type(self).upper_bound is not Factor.upper_bound


class TrustedFactor(Factor):
    """A factor of ours whose scopes and scores compiled code lists and checks: nothing looks at them again."""

    @property
    @abstractmethod
    def ascending(self) -> bool:
        """Whether the last decisions of `trusted_scopes` ascend."""

    @abstractmethod
    def trusted_scopes(self, decisions: Decisions) -> IntArray | None:
        """All scopes, a fresh contiguous array (m, width); None where they must be checked."""

    @abstractmethod
    def trusted_scores(self, scopes: IntArray, decisions: Decisions) -> FloatArray | None:
        """The score of each scope, fresh: finite, up to 1e12 in size, or -inf; None where they must be checked."""


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
        """The decisions of this factor, ascending."""

    @abstractmethod
    def value(self, on: BoolArray) -> float:
        """Score of a configuration; ``on[i]`` states whether decision ``scope[i]`` is on."""

    @abstractmethod
    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Maximum over configurations of ``value(on) + weights[on].sum()``, and a configuration that attains it.

        Weights are in the order of `scope`; minus infinity forbids a decision.
        """

    def guide(self, decisions: Decisions) -> FloatArray | None:
        """A direction in which prices of the decisions go first, float64 (count,), in the order of `scope`.

        A limit on a weighted sum gives its weights: the first steps of a search then look for the one multiplier of
        the limit, as Lagrangian relaxation does, before each decision gets a price of its own. None, the default,
        lets all prices move from the start. Bounds are true under any guide.
        """
        return None

    def largest_term(self, decisions: Decisions) -> float:
        """The largest positive number that `value` or `best` adds up; 0, the default, where they add none.

        Beside a large one that others make up for, digits of a sum are lost: `value` and `best` may then differ by
        more than a small sum would, and a proof may end with a gap. Weights need no mention.
        """
        return 0.0

    def over(self, decisions: Decisions) -> ConfigurationFactor:
        """The factor for configurations of these decisions alone; by default the factor itself.

        A factor that reads a configuration by what its scope was made of gives a form that knows the decisions, so
        that one object can stand over many problems.
        """
        return self

    def compiled(self, decisions: Decisions) -> Any:
        """The same in compiled code, a new ``gapless_kernels.search.roles.Factor``; None where there is none."""
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
        self._ours = factor if isinstance(factor, TrustedFactor) else None
        trusted: IntArray | None = None
        if self._ours is not None:
            with named_after(factor, "scopes"):
                trusted = self._ours.trusted_scopes(decisions)
        # A private copy: compiled searches rely on these checks.
        self.scopes: IntArray = _listed(factor, decisions).copy() if trusted is None else trusted
        self.scopes.flags.writeable = False
        self._ascending = self._ours is not None and trusted is not None and self._ours.ascending
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
        scopes, name = self.scopes, name_of(self.factor)
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
        twice = np.zeros(len(scopes), bool)
        for column in range(1, scopes.shape[1]):
            for other in range(column):
                twice |= scopes[:, column] == scopes[:, other]
        if twice.any():
            raise InvalidProblem(
                f"factor {name}: {self.scope_named(int(np.argmax(twice)))} names a decision twice; name it once"
            )

    def scope_named(self, number: int) -> str:
        """A scope for messages: its decisions as numbers and by name."""
        scope = self.scopes[number].tolist()
        return f"scope {scope} ({', '.join(map(self._decisions.name, scope))})"

    def scores(self, chosen: IntArray) -> FloatArray:
        """Scores of the scopes with these numbers, shape (m,).

        NaN, plus infinity, sizes beyond 1e12 and non-multiples of the granularity are refused.
        """
        if self.scored == len(self.scopes):
            return self._scores[chosen]
        new = chosen[~self._known[chosen]]
        if new.size > 1 and not np.all(new[1:] > new[:-1]):
            new = np.unique(new)
        if new.size:
            name = name_of(self.factor)
            with named_after(self.factor, "score"):
                given = self.factor.score(self.scopes[new], self._decisions)
            values = score_array(given, f"factor {name}: scores")
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
        return self._scores[chosen]

    def _check_grid(self, numbers: IntArray, values: FloatArray) -> None:
        """Refuse scores that are no multiples of the granularity."""
        if self.granularity is not None and (off := off_grid(values, self.granularity)).any():
            bad = int(np.argmax(off))
            raise InvalidProblem(
                f"factor {name_of(self.factor)}: the score of {self.scope_named(int(numbers[bad]))} is "
                f"{values[bad]}, no multiple of the granularity {self.granularity:g}"
            )

    def all_bounds(self) -> FloatArray:
        """An upper bound on the score of each scope, shape (m,): the score itself where it is known.

        Scopes whose bound is not finite are scored.
        """
        if not self.factor.bounded or self.scored == len(self.scopes):
            return self.all_scores()
        if self._bounds is None:
            name = name_of(self.factor)
            with named_after(self.factor, "upper_bound"):
                given = self.factor.upper_bound(self.scopes, self._decisions)
            bounds = score_array(given, f"factor {name}: upper bounds")
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
                f"factor {name_of(self.factor)}: the score of {self.scope_named(int(numbers[bad]))} is "
                f"{values[bad]}, but upper_bound() promised at most {bounds[bad]}"
            )

    def all_scores(self) -> FloatArray:
        """Scores of all scopes, shape (m,), read-only once all are known."""
        if not self.scored and self._bounds is None and self._ours is not None:
            with named_after(self.factor, "score"):
                values = self._ours.trusted_scores(self.scopes, self._decisions)
            if values is not None:
                self._check_grid(np.arange(len(values)) if self.granularity else NONE, values)
                self._scores, self.scored = values, len(values)
        if self.scored < len(self.scopes):
            self.scores(np.flatnonzero(~self._known))
        self._scores.flags.writeable = False
        return self._scores

    @cached_property
    def forbids(self) -> bool:
        """Whether a score is -inf."""
        return bool(self.all_scores().min(initial=0.0) == -np.inf)

    def firing(self, on_ids: IntArray) -> IntArray:
        """Numbers of the scopes whose decisions are all on."""
        if not self.scopes.size:
            return np.zeros(0, np.int64)
        on = np.zeros(self._decisions.count, bool)
        on[on_ids] = True
        return gapless_kernels.firing(self.scopes, on, self._ascending)

    def value(self, on_ids: IntArray) -> float:
        """Total score of the scopes that fire."""
        return float(self.scores(self.firing(on_ids)).sum())

    def drift(self, sets_on: Sequence[IntArray]) -> tuple[int, str] | None:
        """The first difference when the scopes that fire are scored again, one at a time.

        Scores are cached, and proofs rest on the cached ones: scores that change, or depend on the other scopes of
        a call, would make them proofs of another problem.

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
        told = (self._drift(on_ids, again) for on_ids in sets_on)
        return next(((number, said) for number, said in enumerate(told) if said is not None), None)

    def _drift(self, on_ids: IntArray, again: ScoredFactor) -> str | None:
        firing, fires_again = self.firing(on_ids), again.firing(on_ids)
        name = name_of(self.factor)
        if not np.array_equal(self.scopes[firing], again.scopes[fires_again]):
            return f"factor {name}: scopes() lists other scopes when it is called again; it must not change"
        for number, other in zip(firing.tolist(), fires_again.tolist(), strict=True):
            one = float(self.scores(np.array([number]))[0])
            two = float(again.scores(np.array([other]))[0])
            if not (one == two or abs(one - two) <= SAME * max(1.0, abs(one))):
                return (
                    f"factor {name}: the score of {self.scope_named(number)} was {one}, and is {two} when "
                    "scored again, alone; score() must neither change nor depend on the other scopes of a call"
                )
        return None


NONE = np.zeros(0, np.int64)
SAME = 1e-9
"""Relative difference allowed between two evaluations of a score: sums in another order, as in a matrix product."""


def guide_of(factor: ConfigurationFactor, decisions: Decisions, scope: IntArray) -> FloatArray | None:
    """`ConfigurationFactor.guide`, checked."""
    with named_after(factor, "guide"):
        given = factor.guide(decisions)
        if given is None:
            return None
        guide = np.ascontiguousarray(given, np.float64)
    if guide.shape != scope.shape or not np.all(np.abs(guide) <= LARGEST):
        raise InvalidProblem(
            f"factor {name_of(factor)}: guide() gave numbers of shape {guide.shape}, expected one for each of the "
            f"{scope.size} decisions of scope(), at most {LARGEST:g} in size"
        )
    return guide


def largest_term_of(factor: ConfigurationFactor, decisions: Decisions) -> float:
    """`ConfigurationFactor.largest_term`, checked."""
    with named_after(factor, "largest_term"):
        size = float(factor.largest_term(decisions))
    if not 0.0 <= size <= LARGEST:
        raise InvalidProblem(
            f"factor {name_of(factor)}: largest_term() gave {size}, expected a number from 0 to {LARGEST:g}"
        )
    return size


def _listed(factor: Factor, decisions: Decisions) -> IntArray:
    """The scopes of a factor as int64 (m, width)."""
    name = name_of(factor)
    with named_after(factor, "scopes"):
        given: Any = factor.scopes(decisions)
        if isinstance(given, np.ndarray):
            if given.ndim != 2 or given.dtype.kind not in "iu":
                raise InvalidProblem(
                    f"factor {name}: scopes() gave an array of shape {given.shape} and dtype {given.dtype}, "
                    "expected integers of shape (m, width)"
                )
            return np.ascontiguousarray(given, np.int64)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidProblem(
                f"factor {name}: scopes() gave {given!r}, expected sequences of decisions, or an integer array "
                "(m, width)"
            )
        listed = list(given)  # a generator runs the user's code here
    rows = [_scope(scope, name) for scope in listed]
    if len({len(row) for row in rows}) > 1:
        raise InvalidProblem(
            f"factor {name}: scopes must all have one length; {list(rows[0])} and "
            f"{list(next(row for row in rows if len(row) != len(rows[0])))} do not. Make a factor for each length"
        )
    seen: dict[tuple[int, ...], tuple[int, ...]] = {}
    for row in rows:
        same = seen.setdefault(tuple(sorted(row)), row)
        if same is not row:
            raise InvalidProblem(
                f"factor {name}: the scope {list(row)} is listed twice"
                f"{'' if same == row else f', also as {list(same)}'}; add up its scores"
            )
    return np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 0)


def _scope(scope: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, scope))
    except TypeError as error:
        raise InvalidProblem(
            f"factor {name}: scopes() gave the scope {scope!r}, expected a sequence of decisions: integers"
        ) from error
