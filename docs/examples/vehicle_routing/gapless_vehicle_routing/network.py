"""The arcs that a route may drive, and the quantities that count their use."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

VEHICLES = 0
"""The quantity that counts routes."""

Ints = NDArray[np.int64]


@attrs.frozen(eq=False)
class Network:
    """Arcs between places; place 0 is the depot.

    Parameters
    ----------
    directed : bool
        Whether the two directions of a road are separate quantities. If not, a quantity is an edge, and a route to
        a single customer uses its edge twice.
    number : int64 (n + 1, n + 1)
        Quantity of each arc, from 1; -1 where no route can drive. Quantity 0 counts vehicles.
    tails, heads : int64 (quantities,)
        Ends of each quantity, ``tails < heads`` for edges; 0 and 0 for the vehicles.
    """

    directed: bool
    number: Ints
    tails: Ints
    heads: Ints

    @classmethod
    def build(cls, possible: NDArray[np.bool_], *, directed: bool) -> Network:
        """Number the `possible` arcs, bool (n + 1, n + 1), row by row."""
        tails, heads = np.nonzero(possible if directed else np.triu(possible | possible.T))
        number = np.full(possible.shape, -1, np.int64)
        number[tails, heads] = np.arange(1, tails.size + 1)
        if not directed:
            number[heads, tails] = number[tails, heads]
        return cls(directed, number, np.append(0, tails), np.append(0, heads))

    def __len__(self) -> int:
        return self.tails.size

    def along(self, route: tuple[int, ...]) -> Ints:
        """Return the quantities along a route, except the vehicle's; -1 where it cannot drive."""
        stops = np.array([0, *route, 0], np.int64)
        return self.number[stops[:-1], stops[1:]]

    def spread(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spread prices of quantities over arcs: float64 (n + 1, n + 1), infinite where no route can drive."""
        return np.where(self.number >= 0, prices[self.number], np.inf)

    def flow(self, usage: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the use of roads in either direction: float64 (n + 1, n + 1), symmetric."""
        flow = np.zeros(self.number.shape)
        np.add.at(flow, (self.tails[1:], self.heads[1:]), usage[1:])
        return np.asarray(flow + flow.T)

    def entering(self, inside: NDArray[np.bool_]) -> Ints:
        """Return the quantities that cross the border of a set of places: inwards where arcs are directed."""
        into = inside[self.heads] & ~inside[self.tails]
        return np.flatnonzero(into if self.directed else into | (inside[self.tails] & ~inside[self.heads]))
