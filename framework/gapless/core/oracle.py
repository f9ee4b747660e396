"""The role *Oracle*, in two kinds: a *maximiser* solves a known structure, a *generator* finds what is missing."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import attrs

from gapless.core.batch import Batch, Columns
from gapless.core.decisions import Fixings
from gapless.core.sparse import FloatArray, IntArray

S = TypeVar("S")
V = TypeVar("V", bound="View")


@attrs.frozen(eq=False)
class Maximised(Generic[S]):
    """The best structure under some weights.

    Parameters
    ----------
    value : float
        ``weights[on_ids].sum() + own``, in float64; ``-inf`` when the fixings leave nothing.
    on_ids : int64
        Decisions that the structure turns on.
    structure : S, optional
    own : float
        What the maximiser counts besides the weights: a maximiser may hold scores of its own, as a higher-order
        dynamic program does, and then maximises their sum with the weights.
    """

    value: float
    on_ids: IntArray
    structure: S | None = None
    own: float = 0.0


@attrs.frozen(eq=False)
class Slacks:
    """What it costs to force each decision: ``value - (best value with the decision forced)``, never negative.

    Parameters
    ----------
    on : float64 (decisions,)
        Forced on; infinite where that is impossible.
    off : float64 (decisions,), optional
        Forced off.
    """

    on: FloatArray
    off: FloatArray | None = None


class Maximiser(ABC, Generic[S]):
    """Finds the best structure under arbitrary decision weights: Viterbi, Eisner, Chu-Liu-Edmonds, knapsack."""

    @abstractmethod
    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[S]:
        """Maximise ``weights @ x + own(x)`` over structures x that agree with `fixings`. Weights may be -inf."""

    @abstractmethod
    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Max-marginal or exact reduced cost of **all** decisions at once, from an intact solve."""


class View:
    """What a generator may look at: a snapshot of the master after its last solve. Masters extend it.

    Attributes
    ----------
    fixings : Fixings
    point : float64 (decisions,) or None
        How far each decision is on in the master's solution, from 0 to 1; None where the master has none.
    """

    def __init__(self, fixings: Fixings, point: FloatArray | None = None) -> None:
        self.fixings = fixings
        self.point = point


class LinearView(View, ABC):
    """The view of a linear master, in gains and prices of one sign (the master maximises).

    The solution (`point`, `column_values`, `usage`, `objective`) is missing in two cases: while the restricted
    master is infeasible, when prices ask for columns that repair it, and when the time ran out in the linear
    program.

    Attributes
    ----------
    objective_weight : float
        1 while improving; 0 while the restricted master is infeasible and columns are asked for that repair it
        (Farkas pricing). Generators that use `gain` or `prices` need not care.
    objective : float
        The score of the solution, the constant of the formulation included; ``-inf`` without a solution. The
        restricted bound is no less, and equal but for rounding.
    point : float64 (decisions,) or None
        From `usage`: ``clip(usage[quantity] - (threshold - 1), 0, 1)`` for each decision. None without a solution.
    """

    objective_weight: float = 1.0
    objective: float = -math.inf

    @property
    def column_keys(self) -> IntArray:
        """Keys of the columns that the master holds, in the order of their entry."""
        raise NotImplementedError(f"{type(self).__name__} does not say which columns its master holds")

    @property
    def column_values(self) -> FloatArray | None:
        """Values of the columns of `column_keys` in the solution; None without one."""
        raise NotImplementedError(f"{type(self).__name__} does not say which values its columns have")

    @property
    def row_keys(self) -> IntArray:
        """Keys of the rows that the master holds, in the order of their entry."""
        raise NotImplementedError(f"{type(self).__name__} does not say which rows its master holds")

    @property
    def usage(self) -> FloatArray | None:
        """How much of each quantity the solution uses, not cut off at 1 as `point` is; None without a solution."""
        raise NotImplementedError(f"{type(self).__name__} does not say how much its solution uses")

    @abstractmethod
    def prices(self, row_keys: IntArray) -> FloatArray:
        """What a column pays for each unit in each row. Negative is a subsidy. Unknown rows cost 0.

        Prices of rows over quantities are told here too, but `usage_prices` has charged them already: who prices a
        column adds the prices of rows over columns only.
        """

    @abstractmethod
    def usage_prices(self) -> FloatArray:
        """What a column pays for each unit of each quantity: to rows over quantities, and because of the fixings.

        Infinite where the fixings ban the quantity.
        """

    def fixing_prices(self) -> FloatArray:
        """The part of `usage_prices` that is because of the fixings: what a certificate must not count twice."""
        return self.usage_prices()

    @abstractmethod
    def gain(self, columns: Columns) -> FloatArray:
        """Reduced cost: positive means that the column improves the master; -inf when the fixings ban it."""

    @abstractmethod
    def allowances(self) -> FloatArray:
        """For each quantity, how much more its own column could be charged before it would leave the optimum free.

        0 for a decision fixed on (it is paid for already), infinite for one fixed off, otherwise
        ``max(0, -gain)`` of the quantity's own column (the first column that uses it alone; 0 if none).
        Several absent parts that share a decision must *spend* one allowance, not count it twice.
        """


@attrs.frozen(eq=False)
class Answer:
    """What a generator found.

    Parameters
    ----------
    batch : Batch
        Missing columns and rows.
    slack : float or None
        The complete relaxation is at most this much above the restricted one that was viewed, counting *all*
        missing columns of this generator, the returned ones included. None is "no claim": allowed only next
        to a non-empty batch. Missing rows need no slack; they only lower the bound.
    evidence : mapping of str to arrays
        Dual completion, for the certificate.
    scored : int
        How many parts were scored to answer.
    """

    batch: Batch = attrs.field(factory=Batch)
    slack: float | None = 0.0
    evidence: Mapping[str, Any] = attrs.field(factory=dict)
    scored: int = 0


class Generator(ABC, Generic[V]):
    """Prices missing columns and separates missing rows.

    **Equal views get equal answers.** A generator may keep what it would compute again: keys in the order in which
    their columns and rows were first met, scores, layouts. It may not keep a list of what the master has: trees
    jump between nodes, one generator may serve several masters, and what was returned may have been held back.
    The view says what the master holds (`LinearView.column_keys`, `LinearView.row_keys`); an answer rests on the
    view alone.
    """

    @abstractmethod
    def query(self, view: V, *, limit: int | None = None) -> Answer:
        """Find columns of positive gain and violated rows, at most about `limit` of them, and claim a slack.

        Do not count on what was returned: beside another generator's columns, rows over columns may be held back
        for a round, and so may columns beside such rows. Return it again while the view shows it missing.
        """
