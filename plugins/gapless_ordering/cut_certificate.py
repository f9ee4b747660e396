"""The certificate of the program that is cut: prices of its rows and the subtours among them."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import FloatArray, IntArray, float_array, int_array
from gapless.roles import BoundCertificate, Fixings, charge_work, serialisable
from gapless_ordering.cut_program import cut_program
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.subtours import Subtour


@serialisable("gapless_ordering.CutDual")
@attrs.frozen(eq=False)
class CutDual(BoundCertificate):
    """Row prices of `cut_program`: any prices of any subtour rows give a bound, by weak duality.

    Parameters
    ----------
    row_prices : float64 (rows,)
        Of the rows before the subtours, then of those.
    groups : int64 (subtours,)
        The class of each subtour row.
    ends : int64 (subtours,)
        End of the vertices of each in `members`.
    members : int64
        The vertices of all subtours, one after the other.
    improving : bool
        False when the prices show that no path is left: a bound below 0 although all edges score 0.
    """

    kind: ClassVar[str] = "dual with subtours"
    row_prices: FloatArray = attrs.field(converter=float_array)
    groups: IntArray = attrs.field(converter=int_array)
    ends: IntArray = attrs.field(converter=int_array)
    members: IntArray = attrs.field(converter=int_array)
    improving: bool = True

    @classmethod
    def of(cls, prices: FloatArray, subtours: list[Subtour], *, improving: bool) -> CutDual:
        """Keep the prices of all rows except subtours of price 0."""
        base = prices.size - len(subtours)
        charged = np.flatnonzero(prices[base:] > 0)
        sets = [subtours[number] for number in charged.tolist()]
        return cls(
            np.append(prices[:base], prices[base:][charged]),
            [subtour.group for subtour in sets],
            np.cumsum([subtour.members.size for subtour in sets], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *(subtour.members for subtour in sets)]),
            improving,
        )

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the paths of `problem` that agree with `fixings`."""
        if not isinstance(problem, OrderingProblem):
            raise InvalidProblem("prices of vertices and subtours speak of an OrderingProblem")
        model = cut_program(problem, self._subtours(problem))
        charge_work(model.steps, 100 + 10 * self.ends.size)
        if self.row_prices.shape != (len(model.rows),) or not np.isfinite(self.row_prices).all():
            raise InvalidProblem(f"there must be a finite price for each of the {len(model.rows)} rows")
        lower, upper = model.column_lower.copy(), model.column_upper.copy()
        upper[fixings.off] = 0.0
        lower[fixings.on] = 1.0
        # An edge that is fixed on is forbidden: no path agrees.
        if np.any(lower > upper):
            return -np.inf
        if self.improving:
            return model.dual_bound(self.row_prices, lower, upper)
        # Farkas' lemma: with no objective, a negative dual bound refutes that a path exists.
        nothing = attrs.evolve(model, objective=np.zeros(model.objective.size))
        return -np.inf if nothing.dual_bound(self.row_prices, lower, upper) < 0 else np.inf

    def _subtours(self, problem: OrderingProblem) -> list[Subtour]:
        starts = np.concatenate([[0], self.ends])
        if self.groups.shape != self.ends.shape or np.any(np.diff(starts) < 0) or starts[-1] != self.members.size:
            raise InvalidProblem("classes and members of the subtours are not of one length")
        if self.members.size and not 0 <= self.members.min() <= self.members.max() < problem.vertices:
            raise InvalidProblem("a subtour has a vertex that does not exist")
        sets = [self.members[start:end] for start, end in zip(starts[:-1], self.ends, strict=True)]
        if any(np.any(np.diff(members) <= 0) for members in sets):
            raise InvalidProblem("the vertices of a subtour must ascend")
        return [Subtour(members, group) for members, group in zip(sets, self.groups.tolist(), strict=True)]
