"""The *Oracle* role, in two kinds: a *maximiser* solves a known structure, a *generator* finds missing parts."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch, Columns
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.limits import NO_DEADLINE, Deadline
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.sparse import BoolArray, FloatArray, IntArray

S = TypeVar("S")
V = TypeVar("V", bound="View")

NOISE = 1e-9
"""Gain by Farkas prices that is rounding: the largest of these prices is 1 in size."""


@attrs.frozen(eq=False)
class Maximised(Generic[S]):
    """The best structure under some weights.

    Parameters
    ----------
    value : float
        ``weights[on_ids].sum() + own``, in float64; ``-inf`` when the fixings leave nothing.
    on_ids : int64
        Decisions that are on in the structure.
    structure : S, optional
    own : float
        Score beyond the weights: a maximiser may have scores of its own, as a higher-order dynamic program does,
        and then maximises their sum with the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import Maximised
    >>> Maximised(3.0, np.array([1, 3])).value
    3.0
    """

    value: float
    on_ids: IntArray
    structure: S | None = None
    own: float = 0.0


@attrs.frozen(eq=False)
class Slacks:
    """Cost of forcing each decision: ``value - (best value with the decision forced)``, never negative.

    Parameters
    ----------
    on : float64 (decisions,)
        Cost of forcing on; infinite where impossible.
    off : float64 (decisions,), optional
        Cost of forcing off.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import Slacks
    >>> Slacks(on=np.array([0.0, 2.5])).on
    array([0. , 2.5])
    """

    on: FloatArray
    off: FloatArray | None = None


class Maximiser(ABC, Generic[S]):
    """Finds the best structure under arbitrary decision weights: Viterbi, Eisner, Chu-Liu-Edmonds, knapsack.

    Attributes
    ----------
    has_own : bool
        Whether structures may have scores beyond the weights. Where they never have, small rests are enumerated
        faster.
    largest_own : float
        Limit to the size of any structure's score beyond the weights; infinity where none is known. A proof that
        scores of -inf forbid everything may rest on it.
    relaxed : bool
        Whether `solve` may answer with what is no structure; its `Maximised.structure` is then None, and its
        ``own`` only makes up for the difference to ``value``.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> import numpy as np
    >>> from gapless.roles import Fixings
    >>> maximiser = problem.backbone().maximiser
    >>> maximiser.solve(problem.backbone().weights, Fixings.none(problem.decisions.count)).value
    2.0
    """

    has_own: bool = True
    largest_own: float = math.inf
    relaxed: bool = False

    @abstractmethod
    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[S]:
        """Maximise ``weights @ x + own(x)`` over structures x that agree with `fixings`. Weights may be -inf."""

    def own_size(self) -> float:
        """The largest score beyond the weights that a sum may take in; 0, the default, where that is not told.

        Beside a large one that others make up for, digits of a sum are lost: where that may decide, the search asks
        its checker. Negative scores need no mention: what takes in a large one scores as little itself.
        """
        return 0.0

    @abstractmethod
    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """Max-marginal or exact reduced cost of **all** decisions at once, from one full solve."""

    def rivals(self) -> IntArray | None:
        """For each decision one more that no structure holds beside it, or -1, int64 (decisions,).

        None says that there are no such pairs. They count nothing, also where a bound is checked. Members of a
        choice group need not be named.
        """
        return None

    def excludes(self, one: IntArray, other: IntArray) -> BoolArray | None:
        """Whether no structure holds both decisions, pair by pair, bool (m,), beyond what choice groups say.

        None, the default, says that this is not known.
        """
        return None

    def own_score(self, on: BoolArray) -> float:
        """Own score of the structure that turns on exactly the decisions `on`, bool (decisions,); -inf without one.

        By default `solve` is asked, with every decision fixed.
        """
        found = self.solve(np.zeros(on.size), Fixings(on.astype(np.int8)))
        return found.own if found.value > -math.inf else -math.inf

    def checked_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds | None:
        """Bounds for verifiers, by code that shares nothing with `solve`; weights are finite, rounding is counted.

        By default there are none, and verdicts say that a bound rests on the maximiser's word.
        """
        return None

    def compiled(self) -> Any:
        """The same in compiled code, a new ``gapless_kernels.search.roles.Maximiser``; None where there is none."""
        return None


class View:
    """A generator's view: a snapshot of the master after its last solve. Masters extend it.

    Attributes
    ----------
    fixings : Fixings
    point : float64 (decisions,) or None
        Value of each decision in the master's solution, from 0 to 1; None without a solution.
    deadline : Deadline
        Set with each question: what `stop` and `time_left` read.

    Examples
    --------
    >>> from gapless.roles import Fixings, View
    >>> View(Fixings.none(2)).fixings.state
    array([-1, -1], dtype=int8)
    """

    deadline: Deadline = NO_DEADLINE

    def __init__(self, fixings: Fixings, point: FloatArray | None = None) -> None:
        self.fixings = fixings
        self.point = point

    @property
    def time_left(self) -> float:
        """Seconds until the time limit of the solve, possibly infinite; 0 after Ctrl-C.

        For planning, and for separation: rows that were not sought leave all claims as they are, so that whoever
        leaves them out reads this instead of `stop`.
        """
        return self.deadline.time_left

    def stop(self) -> bool:
        """Whether the generator has to answer now: at the time limit, and after a Ctrl-C that the solve heard.

        To be asked every few milliseconds of work. A generator then returns what it has found; columns and rows
        are used. Once this was True during a question, the slack of the answer counts as None, and an empty answer
        may claim none: an unfinished search proves nothing.
        """
        return self.deadline.stop()


class LinearView(View, ABC):
    """The view of a linear master, in gains and prices of one sign (the master maximises).

    There is no solution (`point`, `column_values`, `usage`, `objective`) in three cases: while the restricted
    master is infeasible and prices lead to columns that repair it, when time ran out in the linear program, and in
    a smoothed view (`Pricing.smoothing`).

    A smoothed view is the view of a smaller master: it lacks the columns that gain at its prices, so that these
    prices prove `bound` there, and gains, allowances and `Answer.slack` mean what they always do.

    Attributes
    ----------
    objective_weight : float
        1 while improving; 0 while the restricted master is infeasible and columns are sought that repair it (Farkas
        pricing). Generators that use `gain` or `prices` can ignore it.
    objective : float
        Score of the solution, constant of the formulation included; ``-inf`` without a solution. The restricted
        bound equals it up to rounding, and is never less. In a smoothed view, the same as `bound`.
    bound : float
        Score that nothing exceeds in the viewed master, proved by the prices; constant included. Infinite where the
        prices prove none.
    constant : float
        Constant of the formulation.
    smoothed : bool
        Whether the prices are between those of the best bound and those of the master.
    rounding : float
        Bound on what float64 may have lost in `objective`, where large scores cancel.
    point : float64 (decisions,) or None
        ``clip(usage[quantity] - (threshold - 1), 0, 1)`` for each decision. None without a solution.

    Examples
    --------
    >>> from gapless.roles import LinearView, View
    >>> issubclass(LinearView, View)
    True
    """

    objective_weight: float = 1.0
    objective: float = -math.inf
    bound: float = math.inf
    constant: float = 0.0
    smoothed: bool = False
    rounding: float = 0.0

    def lagrangian(self, gains: float | FloatArray, at_most: float | FloatArray) -> float:
        """The slack that Lagrangian relaxation proves: no solution has more than `at_most` columns of each kind.

        Parameters
        ----------
        gains : float or float64 (kinds,)
            Upper bound on the gain of every column of each kind; at most 0 where none gains.
        at_most : float or float64 (kinds,)
            Number of columns of each kind in one solution, multiplicities included; possibly infinite.
        """
        gain, count = np.broadcast_arrays(np.asarray(gains, np.float64), np.asarray(at_most, np.float64))
        positive = gain > 0
        return float(gain[positive] @ count[positive])

    def farley(self, best_gain: float, *, cost: float = 1.0) -> float | None:
        """The slack that Farley's bound proves, without a limit on the number of columns.

        The prices, divided by ``1 + best_gain / cost``, leave no column that gains. Source: A. A. Farley (1990), "A
        note on bounding a class of linear programming problems, including cutting stock problems", Operations
        Research 38(5).

        Parameters
        ----------
        best_gain : float
            Upper bound on the gain of every column; at most 0 where none gains.
        cost : float
            Every column of positive gain has an objective of at most ``-cost``; no column of the master has a
            positive one.

        Returns
        -------
        float or None
            None where there is no bound to improve: the master is infeasible, and columns that gain repair it.
            Gains of at most 1e-9 count as none there.
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
        """Whether each key is one of `column_keys`, bool (keys,)."""
        known: BoolArray = np.isin(keys, self.column_keys)
        return known

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
        """Price of one unit in each row. Negative prices are subsidies; unknown rows cost 0.

        Prices of rows over quantities are included, although `usage_prices` charges them already: pricing a column
        adds the prices of rows over columns only.
        """

    @abstractmethod
    def usage_prices(self) -> FloatArray:
        """Price of one unit of each quantity, due to rows over quantities, to rows of branches and to the fixings.

        Infinite where the fixings ban the quantity.
        """

    def fixing_prices(self) -> FloatArray:
        """The part of `usage_prices` due to fixed decisions, which a certificate must not count twice."""
        return self.usage_prices()

    def branch_prices(self) -> FloatArray:
        """Price of one unit of each row of ``fixings.rows``, float64 (rows,).

        `usage_prices` contains them, coefficient by coefficient; a certificate adds `Fixings.rows_bound` of them.
        """
        return np.zeros(len(self.fixings.rows))

    @abstractmethod
    def gain(self, columns: Columns) -> FloatArray:
        """Reduced cost: positive when the column improves the master; -inf when the fixings ban it."""

    @abstractmethod
    def allowances(self) -> FloatArray:
        """Largest extra price of each quantity at which its own column stays in the optimum.

        0 for a decision fixed on (it is paid for already), infinite for one fixed off, otherwise ``max(0, -gain)``
        of the quantity's own column (the first column that uses it alone; 0 if none). Absent parts that share a
        decision must *spend* its allowance jointly, not count it several times.
        """


@attrs.frozen(eq=False)
class Answer:
    """The answer of a generator.

    Parameters
    ----------
    batch : Batch
        Missing columns and rows.
    slack : float, optional
        Upper bound on the complete relaxation minus the restricted one that was viewed, over *all* missing columns
        of this generator, the returned ones included. 0.0 claims that the answer is complete: no column is missing
        that could improve the viewed master. None, the default, claims nothing and proves nothing: a round that
        brings nothing new and lacks a claim raises `MissingBound`. Missing rows need no slack; they only lower the
        bound, so a generator that only separates rows states 0.0.
    evidence : mapping of str to arrays
        Dual completion, for the certificate.
    scored : int
        Number of parts scored for the answer.

    Examples
    --------
    >>> from gapless.roles import Answer, Batch
    >>> Answer(slack=0.0).slack  # nothing is missing
    0.0
    >>> Answer().slack is None  # nothing is claimed
    True
    """

    batch: Batch = attrs.field(factory=Batch)
    slack: float | None = None
    evidence: Mapping[str, Any] = attrs.field(factory=dict)
    scored: int = 0


class Generator(ABC, Generic[V]):
    """Prices missing columns and separates missing rows.

    **Equal views get equal answers.** A generator may cache anything it could recompute: keys in the order in which
    their columns and rows were first met, scores, layouts. It may not keep a list of the master's contents: trees
    jump between nodes, one generator may serve several masters, and returned columns may have been held back. The
    contents are in the view (`LinearView.column_keys`, `LinearView.row_keys`); an answer rests on the view alone.

    Attributes
    ----------
    stages : sequence of str
        Names of the stages of pricing, the exact one last. Where there are some, `query` takes a keyword `stage`,
        the exact one by default: ``query(view, *, limit=None, stage="exact")``. Stages before the last need not
        claim a slack; when they find nothing, the next one is asked, with which the next round begins. One that
        claims a slack of 0 says that nothing is missing. Each node begins with the first.

    Examples
    --------
    >>> from gapless.roles import Generator
    >>> from gapless_chains import ReducedCostOracle
    >>> issubclass(ReducedCostOracle, Generator)
    True
    """

    stages: Sequence[str] = ()

    def usage_gains(self, view: V) -> FloatArray | None:
        """Gain of the best missing column through each quantity, for fixing decisions by reduced costs.

        Upper bounds, float64 (quantities,): no column that the view lacks and that uses the quantity gains more;
        -inf where there is none. For a column that need not be integral, divided by the number of its uses where
        this is more than 1. Asked once the slack is closed. None, the default, says that this is not known.
        """
        return None

    @abstractmethod
    def query(self, view: V, *, limit: int | None = None) -> Answer:
        """Find columns of positive gain and violated rows, about `limit` at most, and claim a slack.

        Returned columns and rows may not enter at once: rows over columns may be held back for a round beside
        another generator's columns, and columns beside such rows. Return them again while the view lacks them.
        """
