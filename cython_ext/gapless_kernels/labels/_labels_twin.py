"""Twin of the compiled label setting: labels from the source only, without slices, bins or bounds.

Same signatures, costs and bounds; of equally good routes it may return others.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.labels._label_arguments import (
    COMPLETE,
    FULL,
    STOPPED,
    LabelTables,
    Pulse,
    RouteSearchResult,
    UserState,
    check_call,
    check_network,
    check_routes,
)

__all__ = ["label_distances", "label_enumerate", "label_price", "label_routes", "label_through", "label_windows"]

Floats = NDArray[np.float64]


class _Label(NamedTuple):
    """A partial route, with its cost, its resources and the vertices it remembers."""

    vertex: int
    cost: float
    used: tuple[float, ...]
    visited: int
    state: int
    row: tuple[int, ...]
    user_state: tuple[float, ...]
    arcs: tuple[int, ...]
    passed_arc: bool


class _Rules:
    """Tables and costs of a call, with the rules for extension and dominance."""

    def __init__(self, tables: LabelTables, costs: Any, charges: Any, below: float) -> None:
        tables, self.costs, self.charges, self.below = check_call(tables, costs, charges, below)
        self.t = tables
        self.same = [bool(same) for state in tables.user_states for same in state.same]
        self.memory = [sum(int(word) << 64 * w for w, word in enumerate(words)) for words in tables.memory]
        ends = (tables.heads == tables.source) | (tables.tails == tables.sink) | ~np.isfinite(self.costs)
        self.out: list[list[int]] = [[] for _ in range(tables.vertices)]
        for arc in np.flatnonzero(~ends):
            self.out[tables.tails[arc]].append(int(arc))

    def initial_labels(self, through: int) -> list[_Label]:
        """Create the label of the source; none if its windows are closed."""
        t, v = self.t, self.t.source
        if (t.start > t.upper[:, v]).any():
            return []
        row = tuple(int(rise) for rise in t.rise[v])
        visited = 1 << v & self.memory[v]
        user_state = tuple(float(x) for state in t.user_states for x in state.start)
        return [_Label(v, 0.0, tuple(t.start), visited, t.begin, row, user_state, (), through < 0)]

    def extend(self, label: _Label, arc: int, through: int = -1) -> _Label | None:
        """Extend a label along an arc; None if it must not take it."""
        t, w = self.t, int(self.t.heads[arc])
        state = int(t.next_states[t.kind[arc], label.state])
        if label.visited >> w & 1 or state < 0:
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
        numbers: tuple[float, ...] = ()
        for user_state in t.user_states:
            size = len(numbers)
            step = extend_user_state(user_state, arc, label.user_state[size : size + user_state.start.size])
            if step is None:
                return None
            numbers += step[0]
            cost += step[1]
        cost += t.step_costs[t.kind[arc], label.state]
        visited = (label.visited | 1 << w) & self.memory[w]
        arcs, passed_arc = (*label.arcs, arc), label.passed_arc or arc == through
        return _Label(w, float(cost), tuple(used), visited, state, tuple(row), numbers, arcs, passed_arc)

    def dominates(self, a: _Label, b: _Label, heuristic: bool) -> bool:
        """Return whether every continuation of `b` is also allowed for `a`, at no greater cost."""
        if heuristic:
            return a.cost <= b.cost and a.used[0] <= b.used[0]
        due = sum(charge for charge, p, q in zip(self.charges, a.row, b.row, strict=True) if p > q)
        return (
            a.cost + due <= b.cost
            and all(p <= q for p, q in zip(a.used, b.used, strict=True))
            and not a.visited & ~b.visited
            and bool(self.t.simulates[a.state, b.state])
            and all(
                p == q or (p < q and not same)
                for p, q, same in zip(a.user_state, b.user_state, self.same, strict=True)
            )
            and a.passed_arc >= b.passed_arc
        )

    def find_routes(
        self, heuristic: bool, through: int, pulse: Pulse | None
    ) -> tuple[list[tuple[float, tuple[int, ...]]], int, int]:
        """Find the undominated routes: their costs and arcs, the number of labels created, and the status.

        If `through` is an arc, only routes that take it are returned; labels without it dominate none that have it.
        """
        labels: list[list[_Label]] = [[] for _ in range(self.t.vertices)]
        todo, created = self.initial_labels(through), 0
        while todo:
            if pulse is not None and pulse():
                return [], created, STOPPED
            label = min(todo, key=lambda open_label: open_label.used[0])
            todo.remove(label)
            if label.vertex == self.t.sink or any(
                self.dominates(old, label, heuristic) for old in labels[label.vertex]
            ):
                if label.vertex == self.t.sink:
                    labels[label.vertex].append(label)
                continue
            labels[label.vertex].append(label)
            created += 1
            new = (self.extend(label, arc, through) for arc in self.out[label.vertex])
            todo.extend(extended for extended in new if extended is not None)
        costs = [label.cost + float(self.t.final_costs[label.state]) for label in labels[self.t.sink]]
        ends = zip(costs, labels[self.t.sink], strict=True)
        routes = [(cost, label.arcs) for cost, label in ends if label.passed_arc and cost < np.inf]
        return routes, created, COMPLETE


def extend_user_state(
    resource: UserState, arc: int, state: tuple[float, ...]
) -> tuple[tuple[float, ...], float] | None:
    """Call the user's function; return the next state and the cost, or None if the route must not take the arc."""
    doubles = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int32, doubles, doubles, doubles)
    current, following, cost = np.array(state), np.full(len(state), np.nan), ctypes.c_double(np.nan)
    pointers = (array.ctypes.data_as(doubles) for array in (current, following))
    code = kind(resource.extend)(resource.data, arc, *pointers, ctypes.byref(cost))
    if code == 1:
        return None
    if code:
        raise resource.fault(1, arc, code, 0.0)
    if not resource.min_cost <= cost.value <= resource.max_cost:
        raise resource.fault(3, arc, 0, cost.value)
    if np.isnan(following).any():
        raise resource.fault(2, arc, int(np.isnan(following).argmax()), 0.0)
    return tuple(following.tolist()), cost.value


def _result(
    ends: list[tuple[float, tuple[int, ...]]], bound: float, status: int, created: int
) -> RouteSearchResult:
    first = np.cumsum([0, *(len(arcs) for _, arcs in ends)], dtype=np.int64)
    arcs = np.array([arc for _, arcs in ends for arc in arcs], np.int64)
    return RouteSearchResult(first, arcs, np.array([cost for cost, _ in ends]), bound, status, created)


def label_routes(
    tables: LabelTables,
    costs: Floats,
    charges: Floats,
    below: float,
    limit: int,
    *,
    heuristic: bool = False,
    memory_limit: float = 2.0**31,
    pulse: Pulse | None = None,
) -> RouteSearchResult:
    """Find the cheapest routes from the source to the sink.

    Parameters
    ----------
    tables : LabelTables
    costs : (m,) array of float64
        Infinite for arcs that are off. Arcs into the source or out of the sink are on no route.
    charges : (rows,) array of float64
        At least 0.
    below : float
        Find only routes that cost less.
    limit : int
        Maximum number of routes.
    heuristic : bool
        If True, let dominance compare costs and the main resource only, and keep few labels. This finds routes
        faster, but proves no bound.
    memory_limit : float
        Maximum size of the labels in bytes. The twin ignores it.
    pulse : callable, optional
        Called every few milliseconds; the search stops when it returns True.

    Returns
    -------
    RouteSearchResult
        The cheapest route is among them if it costs less than `below`, the search was complete and not
        `heuristic`. A route may be listed twice. No route costs less than ``bound``; after a complete search that
        is the least cost, up to rounding, or at least `below`.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or shape.
    MemoryError
        If labels cannot be allocated.
    """
    rules = _Rules(tables, costs, charges, below)
    ends, created, status = rules.find_routes(heuristic, -1, pulse)
    ends = sorted(end for end in ends if end[0] < below)[: max(1, limit)]
    exact = status == COMPLETE and not heuristic
    bound = (ends[0][0] if ends else float(below)) if exact else -np.inf
    return _result(ends, bound, status, created)


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
        If it is not `COMPLETE`, the costs are no bounds.
    """
    rules = _Rules(tables, costs, charges, below)
    values = np.full(tables.tails.size, float(below))
    for arc in np.flatnonzero(np.isfinite(rules.costs)):
        ends, _, status = rules.find_routes(False, int(arc), pulse)
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
) -> RouteSearchResult:
    """List all routes below a cost.

    Parameters
    ----------
    tables, costs, charges, below, limit, memory_limit, pulse
        As for `label_routes`; labels from the sink, which bound partial routes, remember only ``relaxed_memory``.

    Returns
    -------
    RouteSearchResult
        In no order. Its status is `FULL` if there are more; ``bound`` holds for routes that are not listed, and is
        at least `below` if all are.
    """
    rules = _Rules(tables, costs, charges, below)
    ends: list[tuple[float, tuple[int, ...]]] = []
    todo, created = rules.initial_labels(-1), 0
    while todo:
        if pulse is not None and pulse():
            return _result(ends, -np.inf, STOPPED, created)
        label = todo.pop()
        created += 1
        cost = label.cost + float(tables.final_costs[label.state])
        if label.vertex == tables.sink and cost < below:
            if len(ends) == limit:
                return _result(ends, -np.inf, FULL, created)
            ends.append((cost, label.arcs))
        new = (rules.extend(label, arc) for arc in rules.out[label.vertex])
        todo.extend(extended for extended in new if extended is not None)
    return _result(ends, float(below), COMPLETE, created)


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
        label = next(iter(rules.initial_labels(-1)), None)
        for arc in path[first[i] : first[i + 1]].tolist():
            label = rules.extend(label, arc) if label is not None and arc in rules.out[label.vertex] else None
        if label is not None and label.vertex == tables.sink:
            values[i] = label.cost + float(tables.final_costs[label.state])
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
        Window of the resource at each vertex; a sum below `lower` is raised to it.
    start : float
        At the source.
    source, sink : int

    Returns
    -------
    early : float64 (vertices,)
        The least sum of a label; infinite if no label reaches the vertex.
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
    """Compute the least use from vertex to vertex, float64 (vertices, vertices); infinite if there is no path.

    Parameters
    ----------
    vertices : int
    tails, heads : int (m,)
    use : float64 (m,)
        At least 0.
    """
    tails, heads, use = check_network(vertices, tails, heads, use)
    uses = np.full((vertices, vertices), np.inf)
    np.fill_diagonal(uses, 0.0)
    np.minimum.at(uses, (tails, heads), use)
    for v in range(vertices):
        np.minimum(uses, uses[:, v, None] + uses[None, v], out=uses)
    return uses
