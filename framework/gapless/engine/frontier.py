"""The open nodes of a search, in one of three orders, with the largest open bound at hand."""

from __future__ import annotations

import heapq
import math
from typing import Any

import attrs

from gapless.core.certificate import Certificate
from gapless.core.decisions import Fixings
from gapless.core.errors import UnknownOption

ORDERS: tuple[str, ...] = ("best-first", "depth-first", "breadth-first")


@attrs.define(eq=False)
class Node:
    """One node of a search tree.

    `number`: its place in the certificate; creation order. `certificate`: evidence for `bound`. `claimed`: the
    smallest bound that the relaxation gave here or above, not rounded to the problem's granularity.
    """

    number: int
    fixings: Fixings
    bound: float
    certificate: Certificate
    depth: int = 0
    state: Any = None
    claimed: float = math.inf


class Frontier:
    """A priority queue of nodes. Its order is the only thing in which the searches differ."""

    def __init__(self, order: str) -> None:
        if order not in ORDERS:
            raise UnknownOption(f"order is {order!r}, expected one of {', '.join(ORDERS)}")
        self._order = order
        self._open: dict[int, Node] = {}
        self._queue: list[tuple[float, int, int]] = []
        self._bounds: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Any:
        return iter(self._open.values())

    def push(self, nodes: list[Node]) -> None:
        """Add siblings. Among equals the one created first goes first."""
        for node in nodes:
            if self._order == "best-first":
                key = (-node.bound, -node.depth)
            else:
                key = (float(node.depth if self._order == "breadth-first" else -node.depth), 0)
            heapq.heappush(self._queue, (*key, node.number))
            heapq.heappush(self._bounds, (-node.bound, node.number))
            self._open[node.number] = node

    def pop(self) -> Node:
        """The next node by the order."""
        return self._open.pop(heapq.heappop(self._queue)[-1])

    def bound(self) -> float:
        """The largest bound among open nodes; -inf when none is open."""
        while self._bounds and not self._current(*self._bounds[0]):
            heapq.heappop(self._bounds)
        return -self._bounds[0][0] if self._bounds else float("-inf")

    def _current(self, negative_bound: float, number: int) -> bool:
        """Whether a queued bound still speaks of an open node; a node put back may have a better one."""
        node = self._open.get(number)
        return node is not None and node.bound == -negative_bound
