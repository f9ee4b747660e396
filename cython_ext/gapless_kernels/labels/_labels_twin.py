"""Twin of the compiled labelling: same signatures, same costs and bounds; plain label setting from the source."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.labels._label_arguments import (
    COMPLETE,
    FULL,
    STOPPED,
    FoundRoutes,
    LabelTables,
    OwnState,
    Pulse,
    check_call,
    check_network,
    check_routes,
)

__all__ = ["label_distances", "label_enumerate", "label_price", "label_routes", "label_through", "label_windows"]

Floats = NDArray[np.float64]


class _Label(NamedTuple):
    """A partial route: where it ends, what it costs, what it has used and visited."""

    vertex: int
    cost: float
    used: tuple[float, ...]
    seen: int
    state: int
    row: tuple[int, ...]
    own: tuple[float, ...]
    arcs: tuple[int, ...]
    passed: bool


class _Rules:
    """The tables and costs of a call."""

    def __init__(self, tables: LabelTables, costs: Any, charges: Any, below: float) -> None:
        tables, self.costs, self.charges, self.below = check_call(tables, costs, charges, below)
        self.t = tables
        self.same = [bool(same) for one in tables.own for same in one.same]
        self.memory = [sum(int(word) << 64 * w for w, word in enumerate(words)) for words in tables.memory]
        ends = (tables.heads == tables.source) | (tables.tails == tables.sink) | ~np.isfinite(self.costs)
        self.out: list[list[int]] = [[] for _ in range(tables.vertices)]
        for arc in np.flatnonzero(~ends):
            self.out[tables.tails[arc]].append(int(arc))

    def root(self, through: int) -> list[_Label]:
        """The label of the source; none where its windows are closed."""
        t, v = self.t, self.t.source
        if (t.start > t.upper[:, v]).any():
            return []
        row = tuple(int(rise) for rise in t.rise[v])
        seen = 1 << v & self.memory[v]
        own = tuple(float(x) for one in t.own for x in one.start)
        return [_Label(v, 0.0, tuple(t.start), seen, t.begin, row, own, (), through < 0)]

    def extended(self, label: _Label, arc: int, through: int = -1) -> _Label | None:
        """A label along an arc; None where that is not allowed."""
        t, w = self.t, int(self.t.heads[arc])
        state = int(t.after[t.kind[arc], label.state])
        if label.seen >> w & 1 or state < 0:
            return None
        used = np.maximum(np.array(label.used) + t.use[:, arc], t.lower[:, w])
        if (used > t.upper[:, w]).any():
            return None
        cost, row = label.cost + self.costs[arc], []
        for i, wrap in enumerate(t.wrap.tolist()):
            total = (label.row[i] if t.stay[w, i] else 0) + int(t.rise[w, i])
            if total >= wrap:
                total -= wrap
                cost += self.charges[i]
            row.append(total)
        own: tuple[float, ...] = ()
        for one in t.own:
            answer = moved(one, arc, label.own[len(own) : len(own) + one.start.size])
            if answer is None:
                return None
            own += answer[0]
            cost += answer[1]
        cost += t.toll[t.kind[arc], label.state]
        seen = (label.seen | 1 << w) & self.memory[w]
        arcs, passed = (*label.arcs, arc), label.passed or arc == through
        return _Label(w, float(cost), tuple(used), seen, state, tuple(row), own, arcs, passed)

    def beats(self, a: _Label, b: _Label, loose: bool) -> bool:
        """Whether whatever may follow `b` may follow `a`, at no greater cost."""
        if loose:
            return a.cost <= b.cost and a.used[0] <= b.used[0]
        due = sum(charge for charge, p, q in zip(self.charges, a.row, b.row, strict=True) if p > q)
        return (
            a.cost + due <= b.cost
            and all(p <= q for p, q in zip(a.used, b.used, strict=True))
            and not a.seen & ~b.seen
            and bool(self.t.better[a.state, b.state])
            and all(p == q or (p < q and not same) for p, q, same in zip(a.own, b.own, self.same, strict=True))
            and a.passed >= b.passed
        )

    def ended(
        self, loose: bool, through: int, pulse: Pulse | None
    ) -> tuple[list[tuple[float, tuple[int, ...]]], int, int]:
        """Costs and arcs of routes that no label beats, the number of labels, and the status."""
        labels: list[list[_Label]] = [[] for _ in range(self.t.vertices)]
        todo, made = self.root(through), 0
        while todo:
            if pulse is not None and pulse():
                return [], made, STOPPED
            label = min(todo, key=lambda one: one.used[0])
            todo.remove(label)
            if label.vertex == self.t.sink or any(self.beats(old, label, loose) for old in labels[label.vertex]):
                if label.vertex == self.t.sink:
                    labels[label.vertex].append(label)
                continue
            labels[label.vertex].append(label)
            made += 1
            new = (self.extended(label, arc, through) for arc in self.out[label.vertex])
            todo.extend(one for one in new if one is not None)
        ends = [(one.cost + float(self.t.ending[one.state]), one.arcs) for one in labels[self.t.sink] if one.passed]
        return [end for end in ends if end[0] < np.inf], made, COMPLETE


def moved(own: OwnState, arc: int, state: tuple[float, ...]) -> tuple[tuple[float, ...], float] | None:
    """The next state of a user's own, and the cost; None where the route may not go on."""
    doubles = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int32, doubles, doubles, doubles)
    before, after, cost = np.array(state), np.full(len(state), np.nan), ctypes.c_double(np.nan)
    here, there = (array.ctypes.data_as(doubles) for array in (before, after))
    found = kind(own.extend)(own.data, arc, here, there, ctypes.byref(cost))
    if found == 1:
        return None
    if found:
        raise own.fault(1, arc, found, 0.0)
    if not own.least <= cost.value <= own.most:
        raise own.fault(3, arc, 0, cost.value)
    if np.isnan(after).any():
        raise own.fault(2, arc, int(np.isnan(after).argmax()), 0.0)
    return tuple(after.tolist()), cost.value


def _found(ends: list[tuple[float, tuple[int, ...]]], bound: float, status: int, made: int) -> FoundRoutes:
    first = np.cumsum([0, *(len(arcs) for _, arcs in ends)], dtype=np.int64)
    arcs = np.array([arc for _, arcs in ends for arc in arcs], np.int64)
    return FoundRoutes(first, arcs, np.array([cost for cost, _ in ends]), bound, status, made)


def label_routes(
    tables: LabelTables,
    costs: Floats,
    charges: Floats,
    below: float,
    limit: int,
    *,
    loose: bool = False,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> FoundRoutes:
    """Find the cheapest routes from the source to the sink.

    Parameters
    ----------
    tables : LabelTables
    costs : (m,) array of float64
        Infinite for arcs that are off. Arcs into the source or out of the sink are on no route.
    charges : (rows,) array of float64
        At least 0.
    below : float
        Only routes that cost less are found.
    limit : int
        Most routes.
    loose : bool
        Let dominance look at costs and the main resource alone, and keep few labels: routes, but no bound of their
        own.
    memory_limit : float
        Bytes of labels. The twin has none.
    pulse : callable, optional
        Asked now and then; True stops.

    Returns
    -------
    FoundRoutes
        The cheapest route is among them if it costs less than `below`, the search was complete and not `loose`. A
        route may be there twice. No route costs less than ``bound``; of a complete search it is the least cost, up
        to rounding, or at least `below`.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or shape.
    MemoryError
        If there is none left.
    """
    rules = _Rules(tables, costs, charges, below)
    ends, made, status = rules.ended(loose, -1, pulse)
    ends = sorted(end for end in ends if end[0] < below)[: max(1, limit)]
    exact = status == COMPLETE and not loose
    return _found(ends, (ends[0][0] if ends else float(below)) if exact else -np.inf, status, made)


def label_through(
    tables: LabelTables,
    costs: Floats,
    charges: Floats,
    below: float,
    *,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> tuple[Floats, int]:
    """Price the cheapest route through each arc.

    Parameters
    ----------
    tables, costs, charges, below, memory_limit, pulse
        As for `label_routes`.

    Returns
    -------
    cost : (m,) array of float64
        `below` where no route through the arc costs less.
    status : int
        Unless it is `COMPLETE`, the costs mean nothing.
    """
    rules = _Rules(tables, costs, charges, below)
    values = np.full(tables.tails.size, float(below))
    for arc in np.flatnonzero(np.isfinite(rules.costs)):
        ends, _, status = rules.ended(False, int(arc), pulse)
        if status != COMPLETE:
            return values, status
        values[arc] = min([float(below), *(cost for cost, _ in ends)])
    return values, COMPLETE


def label_enumerate(
    tables: LabelTables,
    costs: Floats,
    charges: Floats,
    below: float,
    limit: int,
    *,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> FoundRoutes:
    """List all routes below a cost.

    Parameters
    ----------
    tables, costs, charges, below, limit, memory_limit, pulse
        As for `label_routes`; bounds come from labels that remember ``loose_memory``.

    Returns
    -------
    FoundRoutes
        In no order. Its status is `FULL` if there are more; ``bound`` holds for routes that are not listed, and is
        at least `below` if all are.
    """
    rules = _Rules(tables, costs, charges, below)
    ends: list[tuple[float, tuple[int, ...]]] = []
    todo, made = rules.root(-1), 0
    while todo:
        if pulse is not None and pulse():
            return _found(ends, -np.inf, STOPPED, made)
        label = todo.pop()
        made += 1
        cost = label.cost + float(tables.ending[label.state])
        if label.vertex == tables.sink and cost < below:
            if len(ends) == limit:
                return _found(ends, -np.inf, FULL, made)
            ends.append((cost, label.arcs))
        new = (rules.extended(label, arc) for arc in rules.out[label.vertex])
        todo.extend(one for one in new if one is not None)
    return _found(ends, float(below), COMPLETE, made)


def label_price(
    tables: LabelTables, costs: Floats, charges: Floats, first: NDArray[np.int64], arcs: NDArray[np.int64]
) -> Floats:
    """Sum the costs of routes from the source on.

    Parameters
    ----------
    tables, costs, charges
        As for `label_routes`.
    first : (k + 1,) array of int64
        Route i has the arcs ``arcs[first[i] : first[i + 1]]``.
    arcs : array of int64

    Returns
    -------
    float64 (k,)
        Infinite where the arcs are no route, or the resources do not allow it.
    """
    rules = _Rules(tables, costs, charges, 0.0)
    first, path = check_routes(tables, first, arcs)
    values = np.full(first.size - 1, np.inf)
    for i in range(values.size):
        at = next(iter(rules.root(-1)), None)
        for arc in path[first[i] : first[i + 1]].tolist():
            at = rules.extended(at, arc) if at is not None and arc in rules.out[at.vertex] else None
        if at is not None and at.vertex == tables.sink:
            values[i] = at.cost + float(tables.ending[at.state])
    return values


def label_windows(
    tails: NDArray[Any],
    heads: NDArray[Any],
    use: Floats,
    lower: Floats,
    upper: Floats,
    start: float,
    source: int,
    sink: int,
) -> tuple[Floats, Floats, Floats]:
    """Narrow the windows of a resource to what labels can have.

    Parameters
    ----------
    tails, heads : int (m,)
    use : float64 (m,)
        At least 0.
    lower, upper : float64 (vertices,)
        A sum below `lower` rises to it.
    start : float
        At the source.
    source, sink : int

    Returns
    -------
    early : float64 (vertices,)
        The least sum of a label; infinite where there is none.
    late : float64 (vertices,)
        The largest sum from which the sink can be reached; minus infinity where it cannot.
    upper : float64 (vertices,)
        Those of the source and the sink are the largest sums there.
    """
    tails, heads, use = check_network(len(lower), tails, heads, use, source, sink)
    n, upper = len(lower), np.array(upper, np.float64)
    if upper.shape != (n,):
        raise ValueError("lower and upper must have one number for each vertex")
    real = (heads != source) & (tails != sink)
    tails, heads, use = tails[real], heads[real], use[real]
    early, late = np.full(n, np.inf), np.full(n, -np.inf)
    early[source] = start
    upper[source] = min(upper[source], start)
    into = heads == sink
    last = (upper[tails[into]] + use[into]).max(initial=-np.inf)
    upper[sink] = min(upper[sink], max(last, lower[sink]))
    late[sink] = upper[sink]
    for _ in range(n):
        reach = np.maximum(early[tails] + use, lower[heads])
        reach[reach > upper[heads]] = np.inf
        np.minimum.at(early, heads, reach)
        leave = np.minimum(late[heads] - use, upper[tails])
        leave[(late[heads] < lower[heads]) | (leave < lower[tails])] = -np.inf
        np.maximum.at(late, tails, leave)
    return early, late, upper


def label_distances(vertices: int, tails: NDArray[Any], heads: NDArray[Any], use: Floats) -> Floats:
    """Least use from vertex to vertex, float64 (vertices, vertices); infinite where there is no way.

    Parameters
    ----------
    vertices : int
    tails, heads : int (m,)
    use : float64 (m,)
        At least 0.
    """
    tails, heads, use = check_network(vertices, tails, heads, use)
    least = np.full((vertices, vertices), np.inf)
    np.fill_diagonal(least, 0.0)
    np.minimum.at(least, (tails, heads), use)
    for v in range(vertices):
        np.minimum(least, least[:, v, None] + least[None, v], out=least)
    return least
