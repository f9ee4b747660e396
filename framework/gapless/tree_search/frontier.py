"""Open nodes of a search, in one of three orders, with the largest open bound."""

from __future__ import annotations

import heapq
import math
from typing import Any

import attrs

from gapless.certificates.certificate import Certificate
from gapless.decisions.decisions import Fixings
from gapless.errors import UnknownOption

ORDERS: tuple[str, ...] = ("best-first", "depth-first", "breadth-first")


@attrs.define(eq=False)
class OpenNode:
    """One node of a search tree.

    `number`: its index in the certificate; creation order. `certificate`: evidence for `bound`. `claimed`: the
    smallest bound of the relaxation at this node and its ancestors, not rounded to the problem's granularity.
    """

    number: int
    fixings: Fixings
    bound: float
    certificate: Certificate
    depth: int = 0
    state: Any = None
    claimed: float = math.inf


class Frontier:
    """A priority queue of nodes; the three searches differ in nothing but its order."""

    def __init__(self, order: str) -> None:
        if order not in ORDERS:
            raise UnknownOption(f"order is {order!r}, expected one of {', '.join(ORDERS)}")
        self._order = order
        self._open: dict[int, OpenNode] = {}
        self._queue: list[tuple[float, int, int]] = []
        self._bounds: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Any:
        return iter(self._open.values())

    def push(self, nodes: list[OpenNode]) -> None:
        """Add siblings; among nodes of equal priority the one created first comes first."""
        for node in nodes:
            if self._order == "best-first":
                # Of equal bounds the deeper node is nearer to a structure.
                key = (-node.bound, -node.depth)
            else:
                key = (float(node.depth if self._order == "breadth-first" else -node.depth), 0)
            heapq.heappush(self._queue, (*key, node.number))
            # A second heap, by bound, for the orders whose first node is not the one with the largest bound.
            heapq.heappush(self._bounds, (-node.bound, node.number))
            self._open[node.number] = node

    def pop(self) -> OpenNode:
        """Remove and return the next node of the order."""
        return self._open.pop(heapq.heappop(self._queue)[-1])

    def bound(self) -> float:
        """Return the largest bound among open nodes; -inf if none is open."""
        # Entries of nodes that were popped stay in the heap until they come to its top.
        while self._bounds and not self._current(*self._bounds[0]):
            heapq.heappop(self._bounds)
        return -self._bounds[0][0] if self._bounds else float("-inf")

    def _current(self, negative_bound: float, number: int) -> bool:
        """Whether a queued bound is that of an open node; a node that was put back may have a smaller one."""
        node = self._open.get(number)
        return node is not None and node.bound == -negative_bound
