"""One small problem with every role, in the plainest form: read it, copy it, break it.

`Selection` covers knapsacks, set packing and generalised assignment. `OptimisticBound` is the simplest relaxation,
`CapacityPrices` with `SelectionMaximiser` a Lagrangian one; `example_pricing` adds a restricted master and a
generator.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.score_array import score_array
from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray, Sparse, float_array
from gapless.certificates.certificate import BoundCertificate, Certificate
from gapless.decisions.decisions import OFF, ON, Decisions, Fixings
from gapless.decisions.linear_model import LinearModel
from gapless.errors import InvalidProblem
from gapless.limits.limits import SolveBudget
from gapless.oracles.group_maximiser import GroupMaximiser as ChoiceGroups
from gapless.oracles.maximiser import Optimum
from gapless.problems.problem import Problem, score_of
from gapless.search.lagrangian import LagrangianDual
from gapless.sense import Sense
from gapless.tree_search.relaxation import Relaxation, RelaxationResult

Chosen = tuple[int, ...]


def _numbers(values: Any) -> FloatArray:
    array = score_array(values, "the numbers of a Selection")
    array.flags.writeable = False
    return array


@serialisable("gapless.testing.Selection")
@attrs.frozen(eq=False)
class Selection(Problem[Chosen]):
    """Choose items of the largest total worth within capacities, and exactly one item of each group.

    Parameters
    ----------
    worth : float64 (items,)
    weights : float64 (capacities, items)
    capacities : float64 (capacities,)
    groups : tuple of tuples of int
        Disjoint.
    """

    worth: FloatArray = attrs.field(converter=_numbers)
    weights: FloatArray = attrs.field(converter=_numbers)
    capacities: FloatArray = attrs.field(converter=_numbers)
    groups: tuple[tuple[int, ...], ...] = ()
    _decisions: Decisions = attrs.field(init=False, repr=False)

    @_decisions.default
    def _build_decisions(self) -> Decisions:
        return Decisions(self.worth.size, name="item {}".format, exactly_one=self.groups)

    @property
    def decisions(self) -> Decisions:
        """One decision per item."""
        return self._decisions

    def value(self, structure: Chosen) -> float:
        """Sum the worth."""
        return float(self.worth[list(structure)].sum())

    def violations(self, structure: Chosen) -> list[str]:
        """Describe exceeded capacities, and groups with more or fewer items than one."""
        chosen = list(structure)
        load = self.weights[:, chosen].sum(axis=1)
        broken = [
            f"capacity {r} is {self.capacities[r]:g}, the items weigh {load[r]:g}"
            for r in np.flatnonzero(load > self.capacities)
        ]
        hits = [(g, len(set(group).intersection(chosen))) for g, group in enumerate(self.groups)]
        return broken + [f"group {g} has {n} items instead of one" for g, n in hits if n != 1]

    def encode(self, structure: Chosen) -> IntArray:
        """Item i is decision i."""
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids: IntArray) -> Chosen:
        """Item i is decision i."""
        return tuple(int(d) for d in on_ids)

    def linear_model(self) -> LinearModel:
        """Write one row per capacity and per group."""
        count = self.worth.size
        dense = np.concatenate([self.weights.reshape(-1, count), np.zeros((len(self.groups), count))])
        for g, group in enumerate(self.groups):
            dense[self.capacities.size + g, list(group)] = 1.0
        used = [np.flatnonzero(row) for row in dense]
        ones = np.ones(len(self.groups))
        return LinearModel(
            self.sense.sign * self.worth,
            np.zeros(count),
            np.ones(count),
            np.ones(count, bool),
            Sparse.from_rows(
                [row.tolist() for row in used], [row[u].tolist() for row, u in zip(dense, used, strict=True)]
            ),
            np.concatenate([np.full(self.capacities.size, -np.inf), ones]),
            np.concatenate([self.capacities, ones]),
            np.arange(count),
        )

    def to_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {a.name: getattr(self, a.name) for a in attrs.fields(type(self)) if a.init}


@serialisable("gapless.testing.Expenses")
class Expenses(Selection):
    """A selection with costs in place of worths."""

    sense: ClassVar[Sense] = Sense.MINIMISE


class SelectionMaximiser(ChoiceGroups[Chosen]):
    """The best item of each group, and every other item of positive weight: the problem without capacities."""

    def __init__(self, problem: Selection) -> None:
        super().__init__(problem.decisions)

    def structure(self, on_ids: IntArray) -> Chosen:
        """Return the items."""
        return tuple(on_ids.tolist())


@serialisable("gapless.testing.ChargedCapacities")
@attrs.frozen(eq=False)
class ChargedCapacities(BoundCertificate):
    """One price per capacity of a `Selection`. Any prices >= 0 give a bound.

    Parameters
    ----------
    prices : float64 (capacities,)
    """

    kind: ClassVar[str] = "capacity prices"
    prices: FloatArray = attrs.field(converter=float_array)

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Add the income of the capacities, the best open item of each group, and every other profitable item."""
        if not isinstance(problem, Selection) or self.prices.shape != problem.capacities.shape:
            raise InvalidProblem("expected one price per capacity of the selection")
        if not (np.all(np.isfinite(self.prices)) and np.all(self.prices >= 0)):
            raise InvalidProblem("prices must be finite and not negative")
        # In fractions, because in float64 a huge price would hide the worth of an item.
        prices = [Fraction(price) for price in self.prices.tolist()]
        gain = [
            problem.sense.sign * Fraction(worth) - sum(map(mul, prices, map(Fraction, weights)))
            for worth, weights in zip(problem.worth.tolist(), problem.weights.T.tolist(), strict=True)
        ]
        state = fixings.state
        bound = sum(map(mul, prices, map(Fraction, problem.capacities.tolist())), Fraction(0))
        for group in problem.groups:
            on = [d for d in group if state[d] == ON]
            open_items = [] if len(on) > 1 else on or [d for d in group if state[d] != OFF]
            if not open_items:
                return -math.inf
            bound += max(gain[d] for d in open_items)
        grouped = {d for group in problem.groups for d in group}
        for d in range(len(gain)):
            if d not in grouped and state[d] != OFF:
                bound += gain[d] if state[d] == ON else max(0, gain[d])
        return float(bound)


class CapacityPrices(LagrangianDual[Chosen]):
    """Capacities with prices instead of limits."""

    def __init__(self, problem: Selection) -> None:
        self.problem = problem
        self.scores = problem.sense.sign * problem.worth

    def start(self) -> FloatArray:
        """Return prices of 0."""
        return np.zeros(self.problem.capacities.size)

    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Return worth minus prices, and the income of the capacities."""
        del fixings
        return self.scores - multipliers @ self.problem.weights, float(multipliers @ self.problem.capacities)

    def subgradient(self, multipliers: FloatArray, found: Optimum[Chosen]) -> FloatArray:
        """Return the unused capacity."""
        del multipliers
        left: FloatArray = self.problem.capacities - self.problem.weights[:, found.on_ids].sum(axis=1)
        return left

    def project(self, multipliers: FloatArray) -> FloatArray:
        """Clip prices at 0."""
        return np.maximum(multipliers, 0.0)

    def repair(self, found: Optimum[Chosen], fixings: Fixings) -> tuple[Chosen, float] | None:
        """Drop ungrouped items until everything fits, if that suffices."""
        chosen = found.on_ids.tolist()
        grouped = {d for group in self.problem.groups for d in group}
        droppable = sorted((d for d in chosen if d not in grouped and fixings.state[d] != ON), key=self.scores.item)
        while self.problem.violations(tuple(chosen)) and droppable:
            chosen.remove(droppable.pop(0))
        structure = tuple(chosen)
        return None if self.problem.violations(structure) else (structure, score_of(self.problem, structure))

    def certificate(self, multipliers: FloatArray) -> Certificate:
        """Return the multipliers; a bound follows from them under any fixings."""
        return ChargedCapacities(multipliers)


class OptimisticBound(Relaxation[Chosen]):
    """The optimum without capacities: cheap, weak and valid."""

    def __init__(self, problem: Selection) -> None:
        self.prices = CapacityPrices(problem)
        self.maximiser = SelectionMaximiser(problem)

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[Chosen]:
        """Call the maximiser once."""
        del incumbent, state
        budget.iterations += 1
        found = self.maximiser.solve(self.prices.scores, fixings)
        point = np.zeros(self.prices.scores.size)
        point[found.on_ids] = 1.0
        return RelaxationResult(
            found.value,
            point,
            found.structure,
            certificate=self.prices.certificate(self.prices.start()),
        )


def random_selection(
    rng: np.random.Generator,
    items: int,
    *,
    capacities: int = 1,
    group_sizes: Sequence[int] = (),
    sense: Sense = Sense.MAXIMISE,
) -> Selection:
    """Draw an instance with many ties: small integer worths and weights.

    Parameters
    ----------
    rng : numpy.random.Generator
    items : int
    capacities : int
    group_sizes : sequence of int
        Sizes of the groups, which are the first items.
    sense : Sense
    """
    weights = rng.integers(0, 4, (capacities, items)).astype(np.float64)
    ends = np.cumsum([0, *group_sizes])
    groups = tuple(tuple(range(a, b)) for a, b in pairwise(ends.tolist()))
    cls = Selection if sense is Sense.MAXIMISE else Expenses
    room = np.floor(weights.sum(axis=1) * rng.uniform(0.1, 0.8, capacities))
    return cls(rng.integers(-3, 6, items).astype(np.float64), weights, room, groups)
