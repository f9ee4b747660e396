"""The *Relaxation* role: an upper bound under fixings. *Restricted*: a relaxation that generators extend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch, Columns
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Fixings
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, View
from gapless.core.probe import Probe
from gapless.core.sparse import FloatArray
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
    point : float64 (decisions,), optional
        A point in [0, 1], possibly fractional, for a brancher to exclude.
    structure : S, optional
        A structure found on the way; the engine checks it and computes its value.
    attained : float
        A score that the *complete* relaxation attains under these fixings: a generator that claims a smaller bound
        is wrong.
    state : object
        Warm start for the children.
    tightenings : sequence of Tightening
        Fixings that hold in every structure better than the incumbent, in the order of their derivation.
    excluded : float
        Bound on the structures under the fixings that the tightenings exclude. The search refuses a bound better
        than its incumbent: such tightenings rest on a score that no structure has.
    probe : Probe, optional
        Looks below the node, for branchers and rounding; set by both trees.
    certificate : Certificate
        Evidence for `bound` under the fixings of the node and the tightenings.
    """

    bound: float
    point: FloatArray | None = None
    structure: S | None = None
    attained: float = -np.inf
    state: Any = None
    tightenings: Sequence[Tightening] = ()
    certificate: Certificate = attrs.field(factory=NoCertificate)
    excluded: float = -np.inf
    probe: Probe[S] | None = None


class Relaxation(ABC, Generic[S]):
    """Gives an upper bound on every structure under some fixings.

    Attributes
    ----------
    heeds_rows : bool
        Whether `Fixings.rows` tighten the bound. Without it a search refuses branches with rows, below which it
        would never get anywhere.
    """

    heeds_rows: bool = False

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

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf) -> S | None:
        """The best structure made of the parts at hand that beats the incumbent, within the limits of `budget`.

        None where there is none, where none was found, and by default.
        """
        return None


class Restricted(Relaxation[S], Generic[S, V]):
    """A relaxation over part of the columns and rows; `price_and_cut` completes it with generators."""

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
