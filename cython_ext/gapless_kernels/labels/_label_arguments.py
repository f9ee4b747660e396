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
"""The pulse said so."""
FULL: Final = 2
"""The memory limit, or the number of routes that were asked for."""


OWN_FAULTS: Final = {
    1: "returned {number}, which is neither 0, for a route that may go on, nor 1",
    2: "left entry {number} of the next state NaN, or did not write it",
    3: "wrote the cost {value:g}, or none; costs must be from {least:g} to {most:g}",
}


class OwnState(NamedTuple):
    """A state of a user's own, which a C function moves along arcs.

    Parameters
    ----------
    place : str
        For messages.
    extend, data : int
        Addresses of ``int (void *data, int32_t arc, const double *state, double *next, double *cost)``, and of its
        data.
    start : float64 (size,)
    same : bool (size,)
        True where a state can stand in for another only if the numbers are equal; elsewhere less is better.
    least, most : float
        Of costs.
    holds : object
        Functions and data, kept alive.
    """

    place: str
    extend: int
    data: int
    start: Floats
    same: NDArray[np.bool_]
    least: float
    most: float
    holds: Any

    def fault(self, what: int, arc: int, number: int, value: float) -> RuntimeError:
        """The error that says which rule an answer broke."""
        said = OWN_FAULTS[what].format(number=number, value=value, least=self.least, most=self.most)
        return RuntimeError(f"{self.place}: extend() at arc {arc} {said}")


class LabelTables(NamedTuple):
    """A network and its resources in arrays; nothing in it depends on costs.

    A resource r along an arc is ``max(r + use, lower[head])``, which must be at most ``upper[head]``. Resource 0 is
    the main one: its uses are at least 0, its limits finite. Vertices that a route remembers to have visited are
    bits. An automaton reads the arcs; rows of rank 1 count visits.

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
        Whether the main resource rises by a step at least on each arc that neither leaves the source nor enters the
        sink.
    apart : float64 (vertices, vertices)
        At least how much of the main resource a route uses from one vertex to another; infinite where there is no
        way.
    memory, loose_memory : uint64 (vertices, words)
        Visited vertices that a route still remembers when it is at a vertex; the second are subsets of the first.
    kind : int32 (m,)
        Arcs of one kind move the automaton alike.
    after : int32 (kinds, states)
        The next state, -1 where there is none.
    toll : float64 (kinds, states)
    ending : float64 (states,)
        Cost of a state at the sink, infinite where a route may not end.
    better : uint8 (states, states)
        1 at ``[s, t]`` where whatever may follow t may follow s, at no greater cost; reflexive, transitive.
    begin : int
        The state at the source.
    rise : uint8 (vertices, rows)
        Addition by a visit, less than `wrap`.
    stay : uint8 (vertices, rows)
        0 where a visit forgets what was added before it, else 255.
    wrap : uint8 (rows,)
        A sum that reaches it falls by it, and the row's charge is due.
    own : tuple of OwnState
        Labels from the source alone keep them; where there are some, prices through arcs are lower bounds.
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
    apart: Floats
    memory: NDArray[np.uint64]
    loose_memory: NDArray[np.uint64]
    kind: NDArray[np.int32]
    after: NDArray[np.int32]
    toll: Floats
    ending: Floats
    better: NDArray[np.uint8]
    begin: int
    rise: NDArray[np.uint8]
    stay: NDArray[np.uint8]
    wrap: NDArray[np.uint8]
    own: tuple[OwnState, ...] = ()


class FoundRoutes(NamedTuple):
    """Routes of a search.

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
        Labels that were made.
    """

    first: NDArray[np.int64]
    arcs: NDArray[np.int64]
    cost: Floats
    bound: float
    status: int
    labels: int


def check_tables(tables: Any) -> None:
    """Refuse tables that would make a loop read out of bounds."""
    if not isinstance(tables, LabelTables):
        raise TypeError(f"tables must be LabelTables, got {type(tables).__name__}")
    t, n, m = tables, tables.vertices, tables.tails.size
    resources, rows = t.use.shape[0], t.wrap.size
    kinds, states = t.after.shape if t.after.ndim == 2 else (0, 0)
    words = t.memory.shape[1] if t.memory.ndim == 2 else 0
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "tails": ((m,), np.int32),
        "heads": ((m,), np.int32),
        "use": ((resources, m), np.float64),
        "lower": ((resources, n), np.float64),
        "upper": ((resources, n), np.float64),
        "start": ((resources,), np.float64),
        "apart": ((n, n), np.float64),
        "memory": ((n, words), np.uint64),
        "loose_memory": ((n, words), np.uint64),
        "kind": ((m,), np.int32),
        "after": ((kinds, states), np.int32),
        "toll": ((kinds, states), np.float64),
        "ending": ((states,), np.float64),
        "better": ((states, states), np.uint8),
        "rise": ((n, rows), np.uint8),
        "stay": ((n, rows), np.uint8),
        "wrap": ((rows,), np.uint8),
    }
    for name, (shape, dtype) in shapes.items():
        value = getattr(t, name)
        if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != shape:
            raise ValueError(f"tables: {name} must be {np.dtype(dtype)} {shape}")
    fine = (
        resources >= 1
        and words * 64 >= n
        and states >= 1
        and 0 <= t.source < n
        and 0 <= t.sink < n
        and t.source != t.sink
    )
    fine &= 0 <= t.begin < states and t.step > 0 and t.steps >= 1
    if m:
        fine &= min(t.tails.min(), t.heads.min()) >= 0 and max(t.tails.max(), t.heads.max()) < n
        fine &= t.kind.min() >= 0 and t.kind.max() < kinds and t.after.max() < states and not t.use[0].min() < 0
    if rows:
        fine &= bool((t.rise < t.wrap).all())
    fine &= all(one.extend > 0 and one.start.shape == one.same.shape and one.least <= one.most for one in t.own)
    fine &= bool(np.isfinite(t.upper[0]).all() and np.isfinite(t.lower[0]).all() and np.isfinite(t.start[0]))
    if not fine:
        raise ValueError("tables: a number in them names nothing, or the main resource is not limited")
    span = (t.upper[0].max() - t.start[0]) / t.step
    if not span < t.steps:
        raise ValueError(f"tables: the main resource reaches {span:g} steps, there are {t.steps}")


def check_network(
    vertices: int, tails: Any, heads: Any, use: Any, *ends: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Ends and uses of arcs as private contiguous arrays."""
    tails, heads = (np.array(array, np.int32, order="C") for array in (tails, heads))
    use = np.array(use, np.float64, order="C")
    if tails.ndim != 1 or not tails.shape == heads.shape == use.shape:
        raise ValueError("tails, heads and use must be three lists of one length")
    least = min(*ends, vertices - 1, tails.min(initial=0), heads.min(initial=0))
    most = max(*ends, 0, tails.max(initial=0), heads.max(initial=0))
    if least < 0 or most >= vertices:
        raise ValueError(f"vertices must be from 0 to {vertices - 1}")
    return tails, heads, use


def check_call(
    tables: Any, costs: Any, charges: Any, below: float
) -> tuple[LabelTables, NDArray[np.float64], NDArray[np.float64], float]:
    """Check a call: private copies of the tables, of costs and of charges, and the threshold."""
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
    """Routes as private contiguous arrays: where each begins, and their arcs."""
    first, arcs = np.array(first, np.int64, order="C"), np.array(arcs, order="C")
    fine = first.ndim == 1 and first.size >= 1 and arcs.ndim == 1
    fine = fine and first[0] == 0 and first[-1] == arcs.size and bool((np.diff(first) >= 0).all())
    if not fine or (arcs.size and not 0 <= arcs.min() <= arcs.max() < tables.tails.size):
        raise ValueError(f"routes must be lists of numbers of arcs below {tables.tails.size}, one after another")
    return first, np.ascontiguousarray(arcs, np.int32)


def rounding(tables: LabelTables, costs: Floats, charges: Floats) -> float:
    """The most by which sums of a route's costs in two orders differ."""
    finite = costs[np.isfinite(costs)]
    tolls = tables.toll[np.isfinite(tables.toll)]
    ends = tables.ending[np.isfinite(tables.ending)]
    size = (np.abs(finite).max() if finite.size else 0.0) + (np.abs(tolls).max() if tolls.size else 0.0)
    size += sum(max(abs(one.least), abs(one.most)) for one in tables.own)
    largest = size * tables.longest + charges.sum() * tables.longest + (np.abs(ends).max() if ends.size else 0.0)
    return float(2.0**-51 * (tables.longest + 2) * largest)
