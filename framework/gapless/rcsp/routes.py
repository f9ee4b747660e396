"""Routes found by label setting."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.rcsp.network import Network


@attrs.frozen(eq=False)
class Routes:
    """Routes, cheapest first, with bounds on all others.

    Attributes
    ----------
    network : Network
    first : int64 (count + 1,)
        Route i has the arcs ``arcs[first[i] : first[i + 1]]``.
    arcs : int64
    cost : float64 (count,)
        Ascending; sums of costs, step costs and charges from the source on.
    bound : float
        No route costs less; inf where there is no route at all.
    rest : float
        No route that is not listed costs less.
    stop : str
        ``"complete"``; ``"limit"`` if there may be more routes than were asked for; ``"memory"`` or ``"stopped"``
        if a search ended early.
    labels : int
        Labels that were made.
    """

    network: Network
    first: IntArray
    arcs: IntArray
    cost: FloatArray
    bound: float
    rest: float
    stop: str
    labels: int

    def __len__(self) -> int:
        return self.cost.size

    def route(self, i: int) -> IntArray:
        """Return the arcs of route i, from the source to the sink."""
        # `range` resolves negative numbers and raises IndexError, as a list does.
        i = range(len(self))[i]
        return self.arcs[self.first[i] : self.first[i + 1]]

    def vertices(self, i: int) -> IntArray:
        """Return the vertices of route i, source and sink included."""
        arcs = self.route(i)
        return np.concatenate([self.network.tails[arcs[:1]], self.network.heads[arcs]])


def gathered(
    network: Network,
    routes: list[tuple[float, bytes]],
    bound: float,
    rest: float,
    stop: str,
    labels: int,
) -> Routes:
    """Make `Routes` from costs and arcs (int64, as bytes): each route once, cheapest first."""
    ordered = sorted(set(routes))
    paths = [np.frombuffer(path, np.int64) for _, path in ordered]
    first = np.cumsum([0, *(path.size for path in paths)], dtype=np.int64)
    arcs = np.concatenate(paths) if paths else np.zeros(0, np.int64)
    return Routes(network, first, arcs, np.array([cost for cost, _ in ordered]), bound, rest, stop, labels)
