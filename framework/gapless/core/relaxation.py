"""Roles of a node: *Relaxation*, an upper bound; *Restricted*, one that generators extend; *Probe*, a look."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch, Columns
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Fixings
from gapless.core.limits import Budget, Limits
from gapless.core.oracle import Answer, View
from gapless.core.problem import Problem
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import round_bound
from gapless.core.tree_certificate import Tightening

Descent = tuple[Sequence[Columns], Sequence[float]]

S = TypeVar("S")
V = TypeVar("V", bound=View)


@attrs.frozen(eq=False)
class Relaxed(Generic[S]):
    """The result of a relaxation at one node.

    Parameters
    ----------
    bound : float
        No structure under the fixings scores more. ``-inf`` when nothing is feasible there.
    point : float64 (decisions,), or a function that returns it, optional
        A point in [0, 1], possibly fractional, for a brancher to exclude. A function is called when it is asked.
    structure : S, optional
        A structure found on the way; the engine checks it and computes its value.
    attained : float
        A score that the *complete* relaxation attains under these fixings: a generator that claims a smaller bound
        is wrong.
    rounding : float
        Limit on what float64 rounded away of `bound` and of `attained`: where large terms cancel, more than the
        tolerance of what is left. No role is blamed for less, and `bound` proves no less.
    state : object
        Warm start for the children.
    tightenings : sequence of Tightening
        Fixings that hold in every structure better than the incumbent, in the order of their derivation.
    excluded : float
        Bound on the structures under the fixings that the tightenings exclude. The search refuses a bound better
        than its incumbent: such tightenings rest on a score that no structure has.
    probe : Probe, optional
        Looks below the node, for branchers and rounding; set by both trees.
    short_by : float
        Distance of an infeasible restricted master from a feasible one, by its Farkas prices: columns whose slack
        is smaller leave it infeasible.
    certificate : Certificate
        Evidence for `bound` under the fixings of the node and the tightenings.

    Examples
    --------
    >>> from gapless.roles import Relaxed
    >>> Relaxed(bound=4.5).bound
    4.5
    """

    bound: float
    _point: FloatArray | Callable[[], FloatArray | None] | None = None
    structure: S | None = None
    attained: float = -np.inf
    state: Any = None
    tightenings: Sequence[Tightening] = ()
    certificate: Certificate = attrs.field(factory=NoCertificate)
    excluded: float = -np.inf
    probe: Probe[S] | None = None
    short_by: float = 0.0
    rounding: float = 0.0

    @property
    def point(self) -> FloatArray | None:
        """The point, made now if it was given by a function."""
        return self._point() if callable(self._point) else self._point


class Relaxation(ABC, Generic[S]):
    """Gives an upper bound on every structure under some fixings.

    Attributes
    ----------
    heeds_rows : bool
        Whether `Fixings.rows` tighten the bound. Without it a search refuses branches with rows, below which it
        would never get anywhere.

    Examples
    --------
    >>> from gapless.engine import LagrangianRelaxation
    >>> from gapless.roles import Relaxation
    >>> issubclass(LagrangianRelaxation, Relaxation)
    True
    """

    heeds_rows: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows so far, for the statistics; none by default."""
        return 0, 0

    @abstractmethod
    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf, state: Any = None
    ) -> Relaxed[S]:
        """Bound all structures that agree with `fixings`.

        Parameters
        ----------
        fixings : Fixings
        budget : Budget
            Check ``budget.spent()`` in every loop; once it is spent, return a valid bound even if it is loose.
        incumbent : float
            A score already attained: work below it is wasted, and fixings may rely on it.
        state : object
            `Relaxed.state` of the parent node, or None.
        """

    def glance(self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf) -> Relaxed[S]:
        """A guess at `solve` for little work, to choose among branches by; no proof rests on it."""
        return self.solve(fixings, budget, incumbent=incumbent)

    def look(self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf) -> Relaxed[S]:
        """`solve` for a probe, which wants the bound; by default the same."""
        return self.solve(fixings, budget, incumbent=incumbent)

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf) -> S | None:
        """The best structure made of the parts at hand that beats the incumbent, within the limits of `budget`.

        None where there is none, where none was found, and by default.
        """
        return None


class Restricted(Relaxation[S], Generic[S, V]):
    """A relaxation over part of the columns and rows; `price_and_cut` completes it with generators.

    Examples
    --------
    >>> from gapless.roles import Restricted
    >>> from gapless_chains import DomainMessages
    >>> issubclass(DomainMessages, Restricted)
    True
    """

    @abstractmethod
    def extend(self, batch: Batch) -> int:
        """Add the unknown columns and rows; return their number."""

    @abstractmethod
    def view(self) -> V:
        """The generators' view after the last `solve`."""

    def judge(self, relaxed: Relaxed[S], bound: float) -> None:
        """Raise when the last `solve` contradicts the problem; called once no generator finds anything missing.

        Parameters
        ----------
        relaxed : Relaxed
            Result of the last `solve`.
        bound : float
            Upper bound on every structure here, as claimed by `relaxed` and the generators.
        """

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """Evidence for the bound after the last `solve`, completed by the generators' answers."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")

    def evidence(self, view: V, answers: Sequence[Answer]) -> Callable[[], Certificate] | None:
        """`certify` for any view and the answers to it, called when the certificate is wanted.

        None, the default: `certify` speaks of the last `solve` only, and is called at once.
        """
        return None

    def excluded(self, fixings: Fixings, keys: IntArray) -> BoolArray | None:
        """Whether no structure under the fixings is made of each of these columns, bool (keys,).

        Columns that use a banned quantity need no mention. None, the default: there are no others.
        """
        return None

    def lacking(self, view: V, budget: Budget) -> V | None:
        """A view of the same master without a column that its last solution uses, to try the generators' claims.

        Called after the rounds of a node; the next call is `solve`. None, the default, where there is none.
        """
        return None

    def usage_gains(self, view: V) -> FloatArray | None:
        """Gain of the best held column through each quantity, as `Generator.usage_gains`; None: no fixing by it."""
        return None

    def charged(self, view: V, quantity: int, price: float) -> V:
        """`view` with a price added to each use of a quantity; needed beside `usage_gains`."""
        raise NotImplementedError(f"{type(self).__name__} does not implement charged")

    def smoothed(
        self, view: V, centre: V | Mapping[int, float], share: float, descent: Descent | None = None
    ) -> V | None:
        """A view at prices between those of `view` and of a centre; None, the default, where there is none.

        Parameters
        ----------
        centre : View or mapping
            An earlier view, perhaps of another node, or prices by row key.
        share : float
            Share of the centre, from 0 to 1.
        descent : tuple, optional
            Columns, and the number of each that a solution has, that form the subgradient of the bound at the
            centre: the prices turn toward it. By default they are on the line between the two.
        """
        return None


class Probe(Generic[S]):
    """Asks the relaxation of a node under fixings of one's own. Its rounds count like those of nodes.

    Attributes
    ----------
    problem : Problem
    fixings : Fixings
        Those of the node.
    incumbent : float
        Score of the best structure known, -inf without one.

    Examples
    --------
    >>> from gapless.roles import Probe
    >>> callable(Probe.relax), callable(Probe.closes)
    (True, True)
    """

    def __init__(
        self,
        problem: Problem[S],
        relaxation: Relaxation[S],
        fixings: Fixings,
        budget: Budget,
        incumbent: float = -math.inf,
    ) -> None:
        self.problem, self.fixings, self.incumbent = problem, fixings, incumbent
        self._relaxation, self._budget = relaxation, budget

    def relax(self, fixings: Fixings, rounds: int | None = None) -> Relaxed[S]:
        """The relaxation under `fixings`.

        Parameters
        ----------
        rounds : int, optional
            Rounds of pricing and separation at most. 0 asks no generator, and the bound is then a guess from the
            columns at hand; after fewer rounds than needed it is true but loose, and `Relaxed.attained` the guess.
            By default until nothing is missing.
        """
        inner = self._inner(rounds)
        try:
            if rounds == 0:
                return self._relaxation.glance(fixings, inner, incumbent=self.incumbent)
            return self._relaxation.look(fixings, inner, incumbent=self.incumbent)
        finally:
            self._count(inner)

    def closes(self, bound: float) -> bool:
        """Whether a node with this bound needs no branching."""
        return round_bound(bound, self.problem.granularity) <= self.incumbent

    def spent(self) -> bool:
        """Whether the solve has to end."""
        return self._budget.spent() is not None

    def stop(self) -> bool:
        """Whether rounding and branching have to answer now: at the time limit, and after Ctrl-C."""
        return self._budget.must_stop()

    def integral(self, fixings: Fixings, *, nodes: int, seconds: float | None = None) -> S | None:
        """The best structure from the columns at hand, by a mixed-integer program with limits; None if unknown."""
        inner = self._inner(None)
        left = inner.time_left if seconds is None else min(seconds, inner.time_left)
        solve = self._budget.part(Limits(time=None if math.isinf(left) else left, nodes=nodes))
        try:
            return self._relaxation.integral(fixings, solve, incumbent=self.incumbent)
        finally:
            self._count(solve)

    def _inner(self, rounds: int | None) -> Budget:
        budget = self._budget
        most: Any = [
            count
            for count in (
                rounds,
                None if budget.limits.iterations is None else budget.limits.iterations - budget.iterations,
            )
            if count is not None
        ]
        time = None if math.isinf(budget.time_left) else budget.time_left
        return budget.part(Limits(time=time, iterations=max(0, min(most)) if most else None))

    def _count(self, inner: Budget) -> None:
        self._budget.iterations += inner.iterations
        self._budget.oracle_calls += inner.oracle_calls
        if inner.interrupted:
            self._budget.interrupt()
