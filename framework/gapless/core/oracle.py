"""The role *Oracle*, in two kinds: a *maximiser* solves a known structure, a *generator* finds what is missing."""

from __future__ import annotations

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
    """What a generator may look at. Masters extend it; `fixings` is always there."""

    def __init__(self, fixings: Fixings, point: FloatArray | None = None) -> None:
        self.fixings = fixings
        self.point = point


class LinearView(View, ABC):
    """The view of a linear master, in gains and prices of one sign (the master maximises).

    Attributes
    ----------
    objective_weight : float
        1 while improving; 0 while the restricted master is infeasible and columns are asked for that repair it
        (Farkas pricing). Generators that use `gain` or `prices` need not care.
    """

    objective_weight: float = 1.0

    @abstractmethod
    def prices(self, row_keys: IntArray) -> FloatArray:
        """What a column pays for each unit in each row. Negative is a subsidy. Unknown rows cost 0."""

    @abstractmethod
    def usage_prices(self) -> FloatArray:
        """What a column pays for each unit of each quantity because of the fixings; inf where banned."""

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
    """Prices missing columns and separates missing rows."""

    @abstractmethod
    def query(self, view: V, *, limit: int | None = None) -> Answer:
        """Find columns of positive gain and violated rows, at most about `limit` of them, and claim a slack.

        Do not count on what was returned: beside another generator's columns, rows may be held back for a round,
        and so may columns beside rows. Return it again while the view shows it missing.
        """
