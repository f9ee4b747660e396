"""Roles of a node: *Relaxation* bounds it, generators extend a *RestrictedMaster*, a *Probe* solves below it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import round_bound
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.certificates.tree_certificate import Tightening
from gapless.decisions.decisions import Fixings
from gapless.limits.limits import Limits, SolveBudget
from gapless.oracles.batch import Batch, Columns
from gapless.oracles.generator import GeneratorResult
from gapless.oracles.views import MasterView
from gapless.problems.problem import Problem

Descent = tuple[Sequence[Columns], Sequence[float]]

S = TypeVar("S")
V = TypeVar("V", bound=MasterView)


@attrs.frozen(eq=False)
class RelaxationResult(Generic[S]):
    """The result of a relaxation at one node.

    Parameters
    ----------
    bound : float
        No structure under the fixings scores more. ``-inf`` when nothing is feasible there.
    point : float64 (decisions,), or a function that returns it, optional
        A point in [0, 1], possibly fractional, for a brancher to exclude. A function is called on the first read.
    structure : S, optional
        A structure found by the way; the engine checks it and computes its score.
    primal_value : float
        A score that the *complete* relaxation attains under these fixings: a generator that claims a smaller bound
        is wrong.
    rounding : float
        Limit on the float64 rounding of `bound` and of `primal_value`; if large terms cancel, it is more than the
        tolerance of the result. Smaller differences raise no error, and `bound` is weakened by it.
    state : object
        Warm start for the children.
    tightenings : sequence of Tightening
        Fixings that hold in every structure better than the incumbent, in the order of their derivation.
    excluded_bound : float
        Bound on the structures under the fixings that the tightenings exclude. The search refuses a bound better
        than its incumbent: such tightenings assume a score that no structure has.
    probe : Probe, optional
        Solves relaxations below the node, for branchers and rounding; set by both trees.
    infeasibility_measure : float
        Distance of an infeasible restricted master from a feasible one, by its Farkas prices: columns with a
        smaller pricing gap leave it infeasible.
    certificate : Certificate
        Evidence for `bound` under the fixings of the node and the tightenings.

    Examples
    --------
    >>> from gapless.roles import RelaxationResult
    >>> RelaxationResult(bound=4.5).bound
    4.5
    """

    bound: float
    _point: FloatArray | Callable[[], FloatArray | None] | None = None
    structure: S | None = None
    primal_value: float = -np.inf
    state: Any = None
    tightenings: Sequence[Tightening] = ()
    certificate: Certificate = attrs.field(factory=NoCertificate)
    excluded_bound: float = -np.inf
    probe: Probe[S] | None = None
    infeasibility_measure: float = 0.0
    rounding: float = 0.0

    @property
    def point(self) -> FloatArray | None:
        """The point, made now if it was given by a function."""
        return self._point() if callable(self._point) else self._point


class Relaxation(ABC, Generic[S]):
    """An upper bound on the score of every structure under some fixings.

    Attributes
    ----------
    supports_branch_rows : bool
        Whether `Fixings.rows` tighten the bound. If not, a search refuses branches with rows, below which its bound
        would never improve.

    Examples
    --------
    >>> from gapless.search.lagrangian import LagrangianRelaxation
    >>> from gapless.roles import Relaxation
    >>> issubclass(LagrangianRelaxation, Relaxation)
    True
    """

    supports_branch_rows: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows so far, for the statistics; none by default."""
        return 0, 0

    @abstractmethod
    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -np.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Bound all structures that agree with `fixings`.

        Parameters
        ----------
        fixings : Fixings
        budget : SolveBudget
            Check ``budget.stop_reason()`` in every loop; once there is one, return a valid bound even if it is
            weak.
        incumbent : float
            Score of a known structure: bounds below it are as good as any, and fixings may use it.
        state : object
            `RelaxationResult.state` of the parent node, or None.
        """

    def quick_estimate(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -np.inf
    ) -> RelaxationResult[S]:
        """Estimate the bound of `solve` with little work, to compare branches; no proof uses it."""
        return self.solve(fixings, budget, incumbent=incumbent)

    def probe_bound(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -np.inf
    ) -> RelaxationResult[S]:
        """Compute the bound only, for a probe; defaults to `solve`."""
        return self.solve(fixings, budget, incumbent=incumbent)

    def integral(self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -np.inf) -> S | None:
        """Return the best structure of the restricted relaxation, if it beats the incumbent, within `budget`.

        None if there is none, if none was found, and by default.
        """
        return None


class RestrictedMaster(Relaxation[S], Generic[S, V]):
    """A relaxation over part of the columns and rows; `price_and_cut` completes it with generators.

    Examples
    --------
    >>> from gapless.roles import RestrictedMaster
    >>> from gapless_chains import DomainMessages
    >>> issubclass(DomainMessages, RestrictedMaster)
    True
    """

    @abstractmethod
    def extend(self, batch: Batch) -> int:
        """Add the columns and rows with new keys; return their number."""

    @abstractmethod
    def view(self) -> V:
        """Return the generators' view after the last `solve`."""

    def check_consistency(self, relaxed: RelaxationResult[S], bound: float) -> None:
        """Raise if the last `solve` contradicts the problem; called once no column or row is missing.

        Parameters
        ----------
        relaxed : RelaxationResult
            Result of the last `solve`.
        bound : float
            Upper bound on every structure here, as claimed by `relaxed` and the generators.
        """

    def certify(self, answers: Sequence[GeneratorResult]) -> Certificate:
        """Make the certificate of the bound after the last `solve`, with the generators' results."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")

    def evidence(self, view: V, answers: Sequence[GeneratorResult]) -> Callable[[], Certificate] | None:
        """Return a function that makes the certificate for any view and its results.

        None, the default: `certify` applies to the last `solve` only, and is called at once.
        """
        return None

    def excluded(self, fixings: Fixings, keys: IntArray) -> BoolArray | None:
        """Return the mask of the columns that are part of no structure under the fixings, bool (keys,).

        Columns that use a banned quantity need no mention. None, the default: there are no others.
        """
        return None

    def lacking(self, view: V, budget: SolveBudget) -> V | None:
        """Return a view of the same master without a column that its last solution uses, to test claims.

        Called after the rounds of a node; the next call is `solve`. None, the default, if there is none.
        """
        return None

    def reduced_cost_bounds(self, view: V) -> FloatArray | None:
        """Bound the reduced costs through each quantity, see `Generator.reduced_cost_bounds`; None if unknown."""
        return None

    def with_usage_charge(self, view: V, quantity: int, price: float) -> V:
        """Return `view` with a price added to each use of a quantity; needed with `reduced_cost_bounds`."""
        raise NotImplementedError(f"{type(self).__name__} does not implement with_usage_charge")

    def smoothed(
        self, view: V, centre: V | Mapping[int, float], share: float, descent: Descent | None = None
    ) -> V | None:
        """Return a view at prices between those of `view` and of a centre; None, the default, if there is none.

        Parameters
        ----------
        centre : View or mapping
            An earlier view, perhaps of another node, or prices by row key.
        share : float
            Share of the centre, from 0 to 1.
        descent : tuple, optional
            Columns, and the multiplicity of each, that form the subgradient of the bound at the centre: the prices
            turn toward it. By default they are on the line between the two.
        """
        return None


class Probe(Generic[S]):
    """The relaxation of a node under the caller's fixings. Its rounds count like those of nodes.

    Attributes
    ----------
    problem : Problem
    fixings : Fixings
        Those of the node.
    incumbent : float
        Score of the best known structure, -inf without one.

    Examples
    --------
    >>> from gapless.roles import Probe
    >>> callable(Probe.relax), callable(Probe.would_close)
    (True, True)
    """

    def __init__(
        self,
        problem: Problem[S],
        relaxation: Relaxation[S],
        fixings: Fixings,
        budget: SolveBudget,
        incumbent: float = -math.inf,
    ) -> None:
        self.problem, self.fixings, self.incumbent = problem, fixings, incumbent
        self._relaxation, self._budget = relaxation, budget

    def relax(self, fixings: Fixings, rounds: int | None = None) -> RelaxationResult[S]:
        """Solve the relaxation under `fixings`.

        Parameters
        ----------
        rounds : int, optional
            Limit on rounds of pricing and separation. 0 calls no generator, and the bound is then an estimate
            from the present columns; after fewer rounds than needed it is valid but weak, and
            `RelaxationResult.primal_value` the estimate. By default until nothing is missing.
        """
        inner = self._inner(rounds)
        try:
            if rounds == 0:
                return self._relaxation.quick_estimate(fixings, inner, incumbent=self.incumbent)
            return self._relaxation.probe_bound(fixings, inner, incumbent=self.incumbent)
        finally:
            self._count(inner)

    def would_close(self, bound: float) -> bool:
        """Return whether a node with this bound needs no branching."""
        return round_bound(bound, self.problem.granularity) <= self.incumbent

    def must_stop(self) -> bool:
        """Return whether a limit of the solve is reached."""
        return self._budget.stop_reason() is not None

    def stop(self) -> bool:
        """Return whether rounding and branching must return now: at the time limit, and after Ctrl-C."""
        return self._budget.must_stop()

    def integral(self, fixings: Fixings, *, nodes: int, seconds: float | None = None) -> S | None:
        """Solve the restricted master as a mixed-integer program with limits; None if no structure is found."""
        time_left = self._budget.time_left if seconds is None else min(seconds, self._budget.time_left)
        solve = self._budget.part(Limits(time=None if math.isinf(time_left) else time_left, nodes=nodes))
        try:
            return self._relaxation.integral(fixings, solve, incumbent=self.incumbent)
        finally:
            self._count(solve)

    def _inner(self, rounds: int | None) -> SolveBudget:
        # A budget of its own: reaching the probe's limit must not end the solve. What it spends is added in
        # `_count`.
        budget = self._budget
        limits = [] if rounds is None else [rounds]
        if budget.limits.iterations is not None:
            limits.append(budget.limits.iterations - budget.iterations)
        time = None if math.isinf(budget.time_left) else budget.time_left
        return budget.part(Limits(time=time, iterations=max(0, min(limits)) if limits else None))

    def _count(self, inner: SolveBudget) -> None:
        self._budget.iterations += inner.iterations
        self._budget.oracle_calls += inner.oracle_calls
        if inner.interrupted:
            self._budget.interrupt()
