"""The role *Relaxation*: an upper bound under fixings. And *Restricted*, one that generators extend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch
from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Fixings
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, View
from gapless.core.sparse import FloatArray
from gapless.core.tree_certificate import Tightening

S = TypeVar("S")
V = TypeVar("V", bound=View)


@attrs.frozen(eq=False)
class Relaxed(Generic[S]):
    """What a relaxation knows about one node.

    Parameters
    ----------
    bound : float
        No structure under the fixings scores more. ``-inf`` means that nothing is feasible there.
    point : float64 (decisions,), optional
        A point in [0, 1] that a brancher may exclude, maybe fractional.
    structure : S, optional
        A structure that the relaxation met on its way; the engine checks it and computes its value.
    attained : float
        A score that the *complete* relaxation is known to reach under these fixings: a generator that
        claimed a smaller bound has lied.
    state : object
        Warm start, handed to the solves of the children.
    tightenings : sequence of Tightening
        Fixings that every structure better than the incumbent satisfies, in the order they were derived.
    excluded : float
        A bound on the structures under the fixings that the tightenings exclude. The search refuses one that
        is better than everything it holds: such tightenings rest on a score that no structure has.
    certificate : Certificate
        Evidence for `bound` under the fixings that the node was solved with and the tightenings.
    """

    bound: float
    point: FloatArray | None = None
    structure: S | None = None
    attained: float = -np.inf
    state: Any = None
    tightenings: Sequence[Tightening] = ()
    certificate: Certificate = attrs.field(factory=NoCertificate)
    excluded: float = -np.inf


class Relaxation(ABC, Generic[S]):
    """Gives an upper bound on every structure under some fixings."""

    @abstractmethod
    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -np.inf, state: Any = None
    ) -> Relaxed[S]:
        """Bound all structures that agree with `fixings`.

        Parameters
        ----------
        fixings : Fixings
        budget : Budget
            Ask ``budget.spent()`` in every loop; a bound that is valid but loose is the answer to a spent budget.
        incumbent : float
            A score already held: work below it is wasted, and fixings may rely on it.
        state : object
            `Relaxed.state` of the parent node, or None.
        """


class Restricted(Relaxation[S], Generic[S, V]):
    """A relaxation over part of the columns and rows; `price_and_cut` makes it whole with generators."""

    @abstractmethod
    def extend(self, batch: Batch) -> int:
        """Add what is not known yet; return how many columns and rows were new."""

    @abstractmethod
    def view(self) -> V:
        """What generators may look at after the last `solve`."""

    def judge(self, relaxed: Relaxed[S], bound: float) -> None:
        """Raise when the last `solve` contradicts the problem; asked once no generator finds anything missing.

        Parameters
        ----------
        relaxed : Relaxed
            Of the last `solve`.
        bound : float
            What `relaxed` and the generators claim to be the most that any structure scores here.
        """

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """Evidence for the bound after the last `solve`, completed by what the generators answered."""
        return NoCertificate(f"{type(self).__name__} writes no certificate")
