"""The arrays that the kernels read, made once for a network and its resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import gapless_kernels.labels as kernels
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray
from gapless.labelling.automaton import Automaton, idle, product, written
from gapless.labelling.compiled_resource import CompiledResource
from gapless.labelling.exact import exact, in_reach, power_below
from gapless.labelling.network import Network
from gapless.labelling.resources import Additive, DiagramResource, RankOne, Visits
from gapless_kernels.labels import LabelTables, OwnState

Resource = Additive | Visits | DiagramResource | RankOne | CompiledResource

MOST_STEPS = 4096
"""Slices of the main resource, at most, for bounds of a relaxed pass."""

STEPS = 64
"""Slices that are wanted."""


class Window:
    """An additive resource in exact numbers, its windows as narrow as the network makes them.

    Attributes
    ----------
    use : float64 (arcs,)
    lower, upper : float64 (vertices,)
        A sum below `lower` rises to it.
    start : float
    climbs : bool
        No use is negative, and every window ends.
    """

    def __init__(
        self, use: FloatArray, lower: FloatArray, upper: FloatArray, start: float, network: Network
    ) -> None:
        self.use, self.lower, self.upper, self.start = use, lower, upper, start
        self.climbs = bool(use.size == 0 or use.min() >= 0)
        if self.climbs:
            self._narrow(network)
        self.climbs = self.climbs and bool(np.isfinite(self.upper).all())
        self._network = network

    @cached_property
    def least_inside(self) -> float:
        """The least use of an arc that neither leaves the source nor enters the sink, and fits; inf without one."""
        tails, heads = self._network.tails, self._network.heads
        inside = (self.lower <= self.upper)[tails] & (self.lower[tails] + self.use <= self.upper[heads])
        for end in (self._network.source, self._network.sink):
            inside &= (tails != end) & (heads != end)
        return float(self.use[inside].min(initial=np.inf))

    def _narrow(self, network: Network) -> None:
        """No label comes earlier than the shortest way, nor later than the sink allows; neither is lost."""
        early, late, self.upper = kernels.label_windows(
            network.tails, network.heads, self.use, self.lower, self.upper, self.start, network.source, network.sink
        )
        dead = ~((early <= late) & (early <= self.upper) & (early < np.inf))
        self.lower = np.where(dead, self.start, early)
        self.upper = np.where(dead, self.start - 1.0, np.minimum(self.upper, late))

    @property
    def steps(self) -> float:
        """Mean width of the windows, in uses of a mean arc."""
        mean = float(self.use.mean()) if self.use.size else 0.0
        widths = np.maximum(self.upper - self.lower, 0.0)
        return float(widths.mean()) / mean if mean > 0 else np.inf


def windows_of(resource: Additive, network: Network, place: str) -> list[Window]:
    """One window that a smaller sum never misses; two, the second for minus the sum, where it may be too small."""
    lower, upper = resource.windows(network.arcs, network.vertices, place)
    if resource.use.min(initial=0.0) >= 0:
        lower = np.where(lower > 0, lower, -np.inf)
        upper = in_reach(resource.use, lower, upper, network)
    s = network.source
    use, lower, upper = exact(resource.use, lower, upper, resource.waits, s, place)
    none = np.full(network.vertices, -np.inf)
    if resource.waits:
        start = max(0.0, lower[s])
        return [Window(use, np.where(np.arange(none.size) == s, start, lower), upper, start, network)]
    first = Window(use, none, upper, 0.0, network)
    if first.climbs and (lower <= first.lower).all():
        return [first]
    if lower[s] > 0:
        upper = np.where(np.arange(none.size) == s, -1.0, upper)  # the sum begins outside
        return [Window(use, none, upper, 0.0, network)]
    return [first] if (lower == -np.inf).all() else [first, Window(-use, none, -lower, 0.0, network)]


def remembered(visits: Sequence[Visits], network: Network) -> BoolArray:
    """``[v, u]``: at v, a route remembers to have visited u. Several are one that remembers all."""
    n = network.vertices
    memory = np.zeros((n, n), bool)
    for one in visits:
        if one.neighbourhoods is None:
            memory[:] = True
            continue
        if len(one.neighbourhoods) != n:
            raise InvalidProblem(f"Visits: {len(one.neighbourhoods)} neighbourhoods, the network has {n} vertices")
        for v, near in enumerate(one.neighbourhoods):
            if near and not 0 <= near[0] <= near[-1] < n:
                raise InvalidProblem(
                    f"Visits: the neighbourhood of vertex {v} names a vertex that is not in the network"
                )
            memory[v, list(near)] = True
        memory[np.arange(n), np.arange(n)] = True
    return memory


def packed(memory: BoolArray) -> NDArray[np.uint64]:
    """Rows of bits in words of 64."""
    n = memory.shape[0]
    bits = np.zeros((n, -(-n // 64) * 64), bool)
    bits[:, :n] = memory
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).astype(np.uint64)


def check_cycles(network: Network, windows: Iterable[Window], memory: BoolArray) -> None:
    """Refuse a cycle that nothing ends: no resource is used along it, and not every vertex of it is remembered."""
    free = (network.heads != network.source) & (network.tails != network.sink)
    for window in windows:
        if window.climbs:
            late = np.maximum(window.lower[network.tails] + window.use, window.lower[network.heads])
            free &= (window.use <= 0) & (late <= window.upper[network.heads])
    if not free.any():
        return
    import networkx as nx  # noqa: PLC0415  slow to import

    graph = nx.DiGraph(zip(network.tails[free].tolist(), network.heads[free].tolist(), strict=True))
    for part in nx.strongly_connected_components(graph):
        v = min(part)
        if (len(part) > 1 or graph.has_edge(v, v)) and not memory[np.ix_(list(part), list(part))].all():
            raise InvalidProblem(
                f"Labelling: a route may go round vertices {sorted(part)[:6]} for ever: no resource with a limit "
                "is used there, and not all of them are remembered everywhere among them. Add Visits(), or a "
                "resource that counts arcs: Additive(np.ones(arcs), upper=most)"
            )


def main_of(windows: Sequence[Window], longest: float, network: Network) -> Window:
    """The window that slices are made of: of those that every arc uses, the one with fewest steps; else, arcs."""
    climbing = [one for one in windows if one.climbs]
    used = [one for one in climbing if one.least_inside > 0]
    if len(used) == 1:
        return used[0]
    if used:
        return min(used, key=lambda one: (not slices(one, network)[2], one.steps))
    if longest <= 4 * network.vertices:
        n, m = network.vertices, network.arcs
        return Window(np.ones(m), np.zeros(n), np.full(n, longest + 1), 0.0, network)
    return climbing[0]


def given_main(main: int, resources: Sequence[Resource], windows: Sequence[Sequence[Window]]) -> Window:
    """The window of the resource that a user names."""
    fits = 0 <= main < len(resources) and len(windows[main]) > 0 and windows[main][0].climbs
    if not fits:
        raise InvalidProblem(
            f"Labelling: main must be the position of an Additive resource without negative uses, whose windows "
            f"end; got {main} of {len(resources)} resources"
        )
    return windows[main][0]


def made_tables(
    network: Network, resources: Sequence[Resource], main: int | None = None
) -> tuple[LabelTables, BoolArray]:
    """The tables, and what routes remember as bool (vertices, vertices)."""
    each: list[list[Window]] = []
    automaton: Automaton | None = None
    visits: list[Visits] = []
    own: list[OwnState] = []
    rows: list[tuple[NDArray[np.uint8], ...]] = []
    n, m = network.vertices, network.arcs
    real = np.flatnonzero((network.heads != network.source) & (network.tails != network.sink)).tolist()
    for i, resource in enumerate(resources):
        place = f"resource {i} ({type(resource).__name__})"
        each.append(windows_of(resource, network, place) if isinstance(resource, Additive) else [])
        if isinstance(resource, Additive):
            continue
        if isinstance(resource, Visits):
            visits.append(resource)
        elif isinstance(resource, DiagramResource):
            states = written(resource, real, m, place)
            automaton = states if automaton is None else product(automaton, states)
        elif isinstance(resource, RankOne):
            rows.append(resource.states(n, place))
        elif isinstance(resource, CompiledResource):
            own.append(resource.at(place))
        else:
            raise InvalidProblem(f"{place}: must be Additive, Visits, DiagramResource, RankOne or CompiledResource")
    windows = [one for several in each for one in several]
    memory = remembered(visits, network)
    check_cycles(network, windows, memory)
    longest = float(n - 1) if memory.all() else np.inf
    positive = [(one, one.use[one.use > 0].min(initial=np.inf)) for one in windows if one.climbs]
    spans = [(one.upper.max() - one.start) / least for one, least in positive if least < np.inf]
    longest = min(longest, (sum(max(span, 0.0) for span in spans) + 1) * n)
    for one in windows:
        if one.climbs and (least := one.least_inside) > 0:  # inf where no arc lies inside
            longest = min(longest, max(one.upper.max() - one.start, 0.0) // least + 3)
    first = main_of(windows, longest, network) if main is None else given_main(main, resources, each)
    ordered = [first, *(one for one in windows if one is not first)]
    step, steps, bounded = slices(first, network)
    automaton = automaton or idle(m)
    rise, stay, wrap = (
        (np.ascontiguousarray(np.concatenate(parts, axis=-1)) for parts in zip(*rows, strict=True))
        if rows
        else (np.zeros((n, 0), np.uint8), np.zeros((n, 0), np.uint8), np.zeros(0, np.uint8))
    )
    apart = np.zeros((n, n))
    if memory.any():
        apart = kernels.label_distances(n, network.tails, network.heads, first.use)
    bits = packed(memory)
    return (
        LabelTables(
            n,
            network.source,
            network.sink,
            longest,
            network.tails.astype(np.int32),
            network.heads.astype(np.int32),
            np.stack([one.use for one in ordered]),
            np.stack([one.lower for one in ordered]),
            np.stack([one.upper for one in ordered]),
            np.array([one.start for one in ordered]),
            step,
            steps,
            bounded,
            apart,
            bits,
            bits,
            automaton.kind,
            automaton.after,
            automaton.toll,
            automaton.ending,
            automaton.better(),
            automaton.begin,
            rise,
            stay,
            wrap,
            tuple(own),
        ),
        memory,
    )


def slices(main: Window, network: Network) -> tuple[float, int, bool]:
    """Width and number of the slices of the main resource, and whether each arc inside leaves its slice."""
    span = max(float(main.upper.max() - main.start), 0.0)
    least = main.least_inside
    wanted = power_below(span / STEPS) if span > 0 else 1.0
    bounded = least > 0
    step = min(wanted, power_below(least)) if 0 < least < np.inf else wanted
    if span / step >= MOST_STEPS or span / step * max(1, network.arcs) > 4e7:
        step, bounded = wanted, False
    return step, int(span // step) + 1, bounded
