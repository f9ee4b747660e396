"""Views of the master for generators: the point, the fixings and, in a linear master, the prices."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.limits.limits import NO_DEADLINE, Deadline
from gapless.oracles.batch import Columns

NOISE = 1e-9
"""Reduced cost by Farkas prices that counts as rounding: these prices are scaled to a largest size of 1."""


class MasterView:
    """A generator's view: a snapshot of the master after its last solve. Masters extend it.

    Attributes
    ----------
    fixings : Fixings
    point : float64 (decisions,) or None
        Value of each decision in the master's solution, from 0 to 1; None without a solution.
    deadline : Deadline
        Set by the engine for each query; `stop` and `time_left` read it.

    Examples
    --------
    >>> from gapless.roles import Fixings, MasterView
    >>> MasterView(Fixings.none(2)).fixings.state
    array([-1, -1], dtype=int8)
    """

    deadline: Deadline = NO_DEADLINE

    def __init__(self, fixings: Fixings, point: FloatArray | None = None) -> None:
        self.fixings = fixings
        self.point = point

    @property
    def time_left(self) -> float:
        """Seconds until the time limit of the solve, possibly infinite; 0 after Ctrl-C.

        For planning, and for separation: a claim stays valid if rows are not separated, so a generator that skips
        them for lack of time should read this instead of `stop`, which voids the claim.
        """
        return self.deadline.time_left

    def stop(self) -> bool:
        """Return whether the generator must return now: at the time limit, and after Ctrl-C.

        Call it every few milliseconds of work. If it is True, return the columns and rows found so far; the engine
        uses them. The pricing gap of the result then counts as None, since an unfinished search proves nothing, and
        an empty result without a claim is no error.
        """
        return self.deadline.stop()


class LinearView(MasterView, ABC):
    """The view of a linear master, with reduced costs and prices for maximisation.

    There is no solution (`point`, `column_values`, `usage`, `objective`) in three cases: while the restricted
    master is infeasible and prices lead to columns that repair it, if time ran out in the linear program, and in a
    smoothed view (`PricingOptions.smoothing`).

    A smoothed view is the view of a smaller master: it lacks the columns of positive reduced cost at its prices, so
    that these prices prove `bound` there, and reduced costs, allowances and `GeneratorResult.pricing_gap` keep
    their meaning.

    Attributes
    ----------
    objective_weight : float
        1 while improving; 0 while the restricted master is infeasible and columns are sought that repair it (Farkas
        pricing). Generators that use `reduced_costs` or `prices` can ignore it.
    objective : float
        Score of the solution, constant of the formulation included; ``-inf`` without a solution. The restricted
        bound equals it up to rounding, and is never less. In a smoothed view, the same as `bound`.
    bound : float
        Upper bound on scores in the viewed master, proved by the prices, constant included. Infinite if the prices
        prove none.
    constant : float
        Constant of the formulation.
    smoothed : bool
        Whether the prices lie between those of the best bound and those of the master.
    rounding : float
        Bound on what float64 may have lost in `objective`, where large scores cancel.
    point : float64 (decisions,) or None
        ``clip(usage[quantity] - (threshold - 1), 0, 1)`` for each decision. None without a solution.

    Examples
    --------
    >>> from gapless.roles import LinearView, MasterView
    >>> issubclass(LinearView, MasterView)
    True
    """

    objective_weight: float = 1.0
    objective: float = -math.inf
    bound: float = math.inf
    constant: float = 0.0
    smoothed: bool = False
    rounding: float = 0.0

    def lagrangian(self, gains: float | FloatArray, at_most: float | FloatArray) -> float:
        """Compute the pricing gap that Lagrangian relaxation proves, from a limit on the number of columns used.

        Parameters
        ----------
        gains : float or float64 (kinds,)
            Upper bound on the reduced cost of every column of each kind; at most 0 if none is positive.
        at_most : float or float64 (kinds,)
            Number of columns of each kind in one solution, multiplicities included; possibly infinite.
        """
        gain, count = np.broadcast_arrays(np.asarray(gains, np.float64), np.asarray(at_most, np.float64))
        positive = gain > 0  # columns of negative reduced cost are not used, and 0 times infinity would be NaN
        return float(gain[positive] @ count[positive])

    def farley(self, best_gain: float, *, cost: float = 1.0) -> float | None:
        """Compute the pricing gap that Farley's bound proves, without a limit on the number of columns.

        The prices, divided by ``1 + best_gain / cost``, leave no column of positive reduced cost. Source: A. A.
        Farley (1990), "A note on bounding a class of linear programming problems, including cutting stock
        problems", Operations Research 38(5).

        Parameters
        ----------
        best_gain : float
            Upper bound on the reduced cost of every column; at most 0 if none is positive.
        cost : float
            Every column of positive reduced cost has an objective of at most ``-cost``; no column of the master has
            a positive one.

        Returns
        -------
        float or None
            None if there is no bound to improve: the master is infeasible, and columns of positive reduced cost
            repair it. Reduced costs of at most 1e-9 count as 0 there.
        """
        if not cost > 0:
            raise InvalidProblem(f"farley: cost is {cost!r}, it must be positive")
        if best_gain <= (NOISE if self.objective_weight == 0 else 0.0):
            return 0.0
        if self.objective_weight == 0 or math.isinf(self.bound):
            return None
        return max(0.0, (self.constant - self.bound) * best_gain / (cost + best_gain))

    @property
    def column_keys(self) -> IntArray:
        """Keys of the master's columns, in order of entry."""
        raise NotImplementedError(f"{type(self).__name__} does not implement column_keys")

    def has_columns(self, keys: IntArray) -> BoolArray:
        """Return whether each key is one of `column_keys`, bool (keys,)."""
        mask: BoolArray = np.isin(keys, self.column_keys)
        return mask

    @property
    def column_values(self) -> FloatArray | None:
        """Values of the columns of `column_keys` in the solution; None without one."""
        raise NotImplementedError(f"{type(self).__name__} does not implement column_values")

    @property
    def row_keys(self) -> IntArray:
        """Keys of the master's rows, in order of entry."""
        raise NotImplementedError(f"{type(self).__name__} does not implement row_keys")

    @property
    def usage(self) -> FloatArray | None:
        """Use of each quantity in the solution, not cut off at 1 as in `point`; None without a solution."""
        raise NotImplementedError(f"{type(self).__name__} does not implement usage")

    @abstractmethod
    def prices(self, row_keys: IntArray) -> FloatArray:
        """Return the price of one unit in each row. Negative prices are subsidies; unknown rows cost 0.

        Prices of rows over quantities are included, although `usage_prices` charges them already: pricing a column
        adds the prices of rows over columns only.
        """

    @abstractmethod
    def usage_prices(self) -> FloatArray:
        """Return the price of one unit of each quantity, due to rows over quantities, branch rows and fixings.

        Infinite where the fixings ban the quantity.
        """

    def fixing_prices(self) -> FloatArray:
        """Return the part of `usage_prices` due to fixed decisions, which a certificate must not count twice."""
        return self.usage_prices()

    def branch_prices(self) -> FloatArray:
        """Return the price of one unit of each row of ``fixings.rows``, float64 (rows,).

        `usage_prices` contains them, coefficient by coefficient; a certificate adds `Fixings.rows_bound` of them.
        """
        return np.zeros(len(self.fixings.rows))

    @abstractmethod
    def reduced_costs(self, columns: Columns) -> FloatArray:
        """Compute reduced costs: positive if the column improves the master; -inf if the fixings ban it."""

    @abstractmethod
    def allowances(self) -> FloatArray:
        """Return the largest extra price of each quantity at which its own column stays in the optimum.

        0 for a decision fixed on (its fixing has a price already), infinite for one fixed off, otherwise the amount
        by which the reduced cost of the quantity's own column is below 0 (the first column that uses it alone; 0 if
        there is none). Absent scopes that share a decision must divide its allowance, not each use all of it.
        """
