"""Arguments and results of the labelling kernels, compiled and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gapless_kernels._arguments import owned

Floats = NDArray[np.float64]
Pulse = Callable[[], bool]

COMPLETE: Final = 0
"""Every label was extended."""
STOPPED: Final = 1
"""The pulse returned True."""
FULL: Final = 2
"""The memory limit was reached, or the requested number of routes."""


USER_STATE_FAULTS: Final = {
    1: "returned {number}, which is neither 0, for a route that may go on, nor 1",
    2: "left entry {number} of the next state NaN, or did not write it",
    3: "wrote the cost {value:g}, or none; costs must be from {min_cost:g} to {max_cost:g}",
}


class UserState(NamedTuple):
    """The state of a resource that a user programs: a C function extends it along arcs.

    Parameters
    ----------
    location : str
        Names the resource in messages.
    extend, data : int
        Addresses of ``int (void *data, int32_t arc, const double *state, double *next, double *cost)``, and of its
        data.
    start : float64 (size,)
    same : bool (size,)
        True for numbers that must be equal for one state to dominate another; of the others, less is better.
    min_cost, max_cost : float
        Limits of the cost of one arc.
    keep_alive : object
        Owner of the function and its data.
    """

    location: str
    extend: int
    data: int
    start: Floats
    same: NDArray[np.bool_]
    min_cost: float
    max_cost: float
    keep_alive: Any

    def fault(self, kind: int, arc: int, number: int, value: float) -> RuntimeError:
        """Create the error for a result of the function that breaks its contract; `kind` is a key of the texts."""
        text = USER_STATE_FAULTS[kind]
        finding = text.format(number=number, value=value, min_cost=self.min_cost, max_cost=self.max_cost)
        return RuntimeError(f"{self.location}: extend() at arc {arc} {finding}")


class LabelTables(NamedTuple):
    """A network and its resources as arrays, independent of costs.

    Along an arc, a resource r becomes ``max(r + use, lower[head])``, which must be at most ``upper[head]``.
    Resource 0 is the main one: its uses are at least 0 and its limits finite. The visited vertices that a route
    remembers are bits. An automaton reads the arcs of a route; rows of rank 1 count its visits.

    Parameters
    ----------
    vertices, source, sink : int
    longest : float
        No route has more arcs.
    tails, heads : int32 (m,)
    use : float64 (resources, m)
    lower, upper : float64 (resources, vertices)
    start : float64 (resources,)
        At the source.
    step : float
        Width of the slices of the main resource, a power of two.
    steps : int
        Number of slices.
    bounded : bool
        Whether the main resource rises by at least `step` on each arc that neither leaves the source nor enters the
        sink.
    min_resource_between : float64 (vertices, vertices)
        Lower bound on the main resource that a route uses from one vertex to another; infinite if there is no
        path.
    memory, relaxed_memory : uint64 (vertices, words)
        Visited vertices that a route at a vertex still remembers (ng-sets); `relaxed_memory` is a subset of
        `memory`.
    kind : int32 (m,)
        Arcs of the same kind have the same transitions and step costs.
    next_states : int32 (kinds, states)
        The next state, -1 if there is none.
    step_costs : float64 (kinds, states)
        Cost of the transition, in addition to the arc's.
    final_costs : float64 (states,)
        Cost of a state at the sink, infinite if a route may not end in it.
    simulates : uint8 (states, states)
        1 at ``[s, t]`` if every continuation from t is also allowed from s, at no greater cost; reflexive and
        transitive.
    begin : int
        The state at the source.
    rise : uint8 (vertices, rows)
        Addition by a visit, less than `wrap`.
    stay : uint8 (vertices, rows)
        0 if a visit clears the sum of the earlier visits, else 255.
    wrap : uint8 (rows,)
        A sum that reaches it is reduced by it, and the row's charge is due.
    user_states : tuple of UserState
        Only labels from the source carry them; with some, `label_through` returns lower bounds.
    """

    vertices: int
    source: int
    sink: int
    longest: float
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    use: Floats
    lower: Floats
    upper: Floats
    start: Floats
    step: float
    steps: int
    bounded: bool
    min_resource_between: Floats
    memory: NDArray[np.uint64]
    relaxed_memory: NDArray[np.uint64]
    kind: NDArray[np.int32]
    next_states: NDArray[np.int32]
    step_costs: Floats
    final_costs: Floats
    simulates: NDArray[np.uint8]
    begin: int
    rise: NDArray[np.uint8]
    stay: NDArray[np.uint8]
    wrap: NDArray[np.uint8]
    user_states: tuple[UserState, ...] = ()


class RouteSearchResult(NamedTuple):
    """Routes that a search found, with its bound.

    Attributes
    ----------
    first : int64 (count + 1,)
        Route i has the arcs ``arcs[first[i] : first[i + 1]]``.
    arcs : int64
    cost : float64 (count,)
        Ascending; sums from the source on.
    bound : float
        No route costs less; infinite where there is none.
    status : int
        `COMPLETE`, `STOPPED` or `FULL`.
    labels : int
        Number of labels created.
    """

    first: NDArray[np.int64]
    arcs: NDArray[np.int64]
    cost: Floats
    bound: float
    status: int
    labels: int


def check_tables(tables: Any) -> None:
    """Raise unless every index in the tables is within bounds, because the loops do not check."""
    if not isinstance(tables, LabelTables):
        raise TypeError(f"tables must be LabelTables, got {type(tables).__name__}")
    t, n, m = tables, tables.vertices, tables.tails.size
    resources, rows = t.use.shape[0], t.wrap.size
    kinds, states = t.next_states.shape if t.next_states.ndim == 2 else (0, 0)
    words = t.memory.shape[1] if t.memory.ndim == 2 else 0
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "tails": ((m,), np.int32),
        "heads": ((m,), np.int32),
        "use": ((resources, m), np.float64),
        "lower": ((resources, n), np.float64),
        "upper": ((resources, n), np.float64),
        "start": ((resources,), np.float64),
        "min_resource_between": ((n, n), np.float64),
        "memory": ((n, words), np.uint64),
        "relaxed_memory": ((n, words), np.uint64),
        "kind": ((m,), np.int32),
        "next_states": ((kinds, states), np.int32),
        "step_costs": ((kinds, states), np.float64),
        "final_costs": ((states,), np.float64),
        "simulates": ((states, states), np.uint8),
        "rise": ((n, rows), np.uint8),
        "stay": ((n, rows), np.uint8),
        "wrap": ((rows,), np.uint8),
    }
    for name, (shape, dtype) in shapes.items():
        value = getattr(t, name)
        if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != shape:
            raise ValueError(f"tables: {name} must be {np.dtype(dtype)} {shape}")
    in_range = (
        resources >= 1
        and words * 64 >= n
        and states >= 1
        and 0 <= t.source < n
        and 0 <= t.sink < n
        and t.source != t.sink
    )
    in_range &= 0 <= t.begin < states and t.step > 0 and t.steps >= 1
    if m:
        in_range &= min(t.tails.min(), t.heads.min()) >= 0 and max(t.tails.max(), t.heads.max()) < n
        in_range &= (
            t.kind.min() >= 0 and t.kind.max() < kinds and t.next_states.max() < states and not t.use[0].min() < 0
        )
    if rows:
        in_range &= bool((t.rise < t.wrap).all())
    for state in t.user_states:
        in_range &= state.extend > 0 and state.start.shape == state.same.shape and state.min_cost <= state.max_cost
    in_range &= bool(np.isfinite(t.upper[0]).all() and np.isfinite(t.lower[0]).all() and np.isfinite(t.start[0]))
    if not in_range:
        raise ValueError("tables: a number in them names nothing, or the main resource is not limited")
    span = (t.upper[0].max() - t.start[0]) / t.step
    if not span < t.steps:
        raise ValueError(f"tables: the main resource reaches {span:g} steps, there are {t.steps}")


def check_network(
    vertices: int, tails: Any, heads: Any, use: Any, *ends: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Copy the ends and uses of arcs into contiguous arrays, and check them."""
    tails, heads = (np.array(array, np.int32, order="C") for array in (tails, heads))
    use = np.array(use, np.float64, order="C")
    if tails.ndim != 1 or not tails.shape == heads.shape == use.shape:
        raise ValueError("tails, heads and use must be three lists of one length")
    first = min(*ends, vertices - 1, tails.min(initial=0), heads.min(initial=0))
    last = max(*ends, 0, tails.max(initial=0), heads.max(initial=0))
    if first < 0 or last >= vertices:
        raise ValueError(f"vertices must be from 0 to {vertices - 1}")
    return tails, heads, use


def check_call(
    tables: Any, costs: Any, charges: Any, below: float
) -> tuple[LabelTables, NDArray[np.float64], NDArray[np.float64], float]:
    """Check the arguments of a call; return copies of tables, costs and charges, and the threshold."""
    if isinstance(tables, LabelTables):
        tables = LabelTables(*owned(*tables))
    check_tables(tables)
    costs, charges = np.array(costs, np.float64, order="C"), np.array(charges, np.float64, order="C")
    if costs.shape != tables.tails.shape or np.isnan(costs).any() or (costs == -np.inf).any():
        raise ValueError(f"costs must be {tables.tails.shape}, numbers or inf, got {costs.shape}")
    if charges.shape != tables.wrap.shape or not ((charges >= 0) & (charges < np.inf)).all():
        raise ValueError(f"charges must be {tables.wrap.shape}, finite, at least 0; got {charges.shape}")
    if np.isnan(below):
        raise ValueError("below must be a number")
    return tables, costs, charges, float(below)


def check_routes(tables: LabelTables, first: Any, arcs: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Copy routes into contiguous arrays: where each begins, and their arcs."""
    first, arcs = np.array(first, np.int64, order="C"), np.array(arcs, order="C")
    is_list = first.ndim == 1 and first.size >= 1 and arcs.ndim == 1
    is_list = is_list and first[0] == 0 and first[-1] == arcs.size and bool((np.diff(first) >= 0).all())
    if not is_list or (arcs.size and not 0 <= arcs.min() <= arcs.max() < tables.tails.size):
        raise ValueError(f"routes must be lists of numbers of arcs below {tables.tails.size}, one after another")
    return first, np.ascontiguousarray(arcs, np.int32)


def rounding(tables: LabelTables, costs: Floats, charges: Floats) -> float:
    """Bound the difference between sums of a route's costs in two orders."""
    arc_cost, step_cost, final_cost = (
        np.abs(array[np.isfinite(array)]).max(initial=0.0)
        for array in (costs, tables.step_costs, tables.final_costs)
    )
    per_arc = arc_cost + step_cost
    per_arc += sum(max(abs(state.min_cost), abs(state.max_cost)) for state in tables.user_states)
    largest = per_arc * tables.longest + charges.sum() * tables.longest + final_cost
    return float(2.0**-51 * (tables.longest + 2) * largest)
