"""Ways to split a node, and the brancher that takes the most fractional one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.core.branch import Branch
from gapless.core.brancher import Brancher, MostFractional
from gapless.core.decisions import Fixings
from gapless.core.relaxation import Relaxed
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import INTEGRAL

S = TypeVar("S")


@attrs.frozen
class Candidate:
    """A way to split a node.

    Parameters
    ----------
    key : hashable
        Equal in all nodes where the same is split; pseudo-costs go by it.
    branches : sequence of Branch
        The children. Together they cover the node.
    distances : sequence of float
        Distance of the point from each child: 0.3 from *on* for a decision of 0.7. Pseudo-costs are gains per unit.
    preference : float
        Larger is tried first among those about which nothing is known; by default the smallest distance.
    """

    key: Hashable
    branches: Sequence[Branch]
    distances: Sequence[float]
    preference: float = attrs.field(default=attrs.Factory(lambda c: min(c.distances), takes_self=True))


class CandidateBrancher(Brancher[S]):
    """A brancher that names candidates: alone it takes the first of the largest preference."""

    @abstractmethod
    def candidates(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Candidate]:
        """Ways to split a node that exclude its point; none when it has no point, or is integral in every one."""

    def last_resort(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Branch]:
        """Children of a node without candidates; by default those of a free decision."""
        return MostFractional().split(fixings, relaxed)

    def split(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Branch]:
        """The children of the preferred candidate."""
        found = self.candidates(fixings, relaxed)
        if not found:
            return self.last_resort(fixings, relaxed)
        return max(found, key=lambda candidate: candidate.preference).branches


def fractional(free: Any, point: FloatArray | None) -> Any:
    """Those of some decisions that are neither 0 nor 1 at a point."""
    if point is None:
        return free[:0]
    return free[np.abs(point[free] - np.rint(point[free])) > INTEGRAL]


class Fractional(CandidateBrancher[Any]):
    """Each fractional decision, on or off."""

    def candidates(self, fixings: Fixings, relaxed: Relaxed[Any]) -> Sequence[Candidate]:
        """In the order of decisions."""
        return [
            Candidate(
                d,
                (Branch(on=(d,), why=f"{d} on"), Branch(off=(d,), why=f"{d} off")),
                (1 - float(relaxed.point[d]), float(relaxed.point[d])),
            )
            for d in fractional(fixings.free, relaxed.point).tolist()
            if relaxed.point is not None
        ]
