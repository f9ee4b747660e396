"""Ways to split a node, and the brancher that takes the most fractional one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import INTEGRAL
from gapless.decisions.branch import Branch
from gapless.decisions.decisions import Fixings
from gapless.tree_search.brancher import Brancher, MostFractional
from gapless.tree_search.relaxation import RelaxationResult

S = TypeVar("S")


@attrs.frozen
class Candidate:
    """A way to split a node.

    Parameters
    ----------
    key : hashable
        Equal in all nodes that are split in this way; the key of the candidate's pseudo-costs.
    branches : sequence of Branch
        The children. Together they cover the node.
    distances : sequence of float
        Distance of the point from each child: 0.3 from *on* for a decision of 0.7. Pseudo-costs are per unit of it.
    preference : float
        Among candidates without observations, larger ones are tried first; by default the smallest distance.
    """

    key: Hashable
    branches: Sequence[Branch]
    distances: Sequence[float]
    preference: float = attrs.field(default=attrs.Factory(lambda c: min(c.distances), takes_self=True))


class CandidateBrancher(Brancher[S]):
    """A brancher that generates candidates; used by itself, it takes the first of the largest preference."""

    @abstractmethod
    def candidates(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> Sequence[Candidate]:
        """List ways to split a node that exclude its point; none if it has no point, or none is fractional."""

    def last_resort(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> Sequence[Branch]:
        """Return the children of a node without candidates; by default those of a free decision."""
        return MostFractional().split(fixings, relaxed)

    def split(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> Sequence[Branch]:
        """Return the children of the preferred candidate."""
        candidates = self.candidates(fixings, relaxed)
        # An integral point may still be no structure, or cost more than the bound: the node must be split all
        # the same.
        if not candidates:
            return self.last_resort(fixings, relaxed)
        return max(candidates, key=lambda candidate: candidate.preference).branches


def fractional(free: Any, point: FloatArray | None) -> Any:
    """Select the decisions that are neither 0 nor 1 at a point."""
    if point is None:
        return free[:0]
    return free[np.abs(point[free] - np.rint(point[free])) > INTEGRAL]


class Fractional(CandidateBrancher[Any]):
    """Branching on a fractional decision: on or off."""

    def candidates(self, fixings: Fixings, relaxed: RelaxationResult[Any]) -> Sequence[Candidate]:
        """List the fractional decisions in ascending order."""
        return [
            Candidate(
                d,
                (Branch(on=(d,), why=f"{d} on"), Branch(off=(d,), why=f"{d} off")),
                (1 - float(relaxed.point[d]), float(relaxed.point[d])),
            )
            for d in fractional(fixings.free, relaxed.point).tolist()
            if relaxed.point is not None
        ]
