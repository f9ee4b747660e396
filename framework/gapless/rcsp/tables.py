"""Arrays that the kernels read, made once for a network and its resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import gapless_kernels as kernels
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.errors import InvalidProblem
from gapless.rcsp.automaton import StateMachine, idle, product, tabulate_states
from gapless.rcsp.compiled_resource import CompiledResource
from gapless.rcsp.fixed_point import clip_unreachable, exact, power_below
from gapless.rcsp.network import Network
from gapless.rcsp.resources import Additive, DiagramResource, RankOneCuts, Visits
from gapless_kernels import LabelTables, UserState

Resource = Additive | Visits | DiagramResource | RankOneCuts | CompiledResource

MOST_STEPS = 4096
"""Limit on the slices of the main resource for completion bounds."""

STEPS = 64
"""Number of slices to aim at."""


class Window:
    """An additive resource in exact numbers, with windows tightened by the network.

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
        """Smallest use of a feasible arc that neither leaves the source nor enters the sink; inf without one."""
        tails, heads = self._network.tails, self._network.heads
        inside = (self.lower <= self.upper)[tails] & (self.lower[tails] + self.use <= self.upper[heads])
        for end in (self._network.source, self._network.sink):
            inside &= (tails != end) & (heads != end)
        return float(self.use[inside].min(initial=np.inf))

    def _narrow(self, network: Network) -> None:
        """Tighten the windows by the shortest ways from the source and to the sink."""
        early, late, self.upper = kernels.label_windows(
            network.tails, network.heads, self.use, self.lower, self.upper, self.start, network.source, network.sink
        )
        # A vertex that no label reaches gets an empty window, so that no arc to it is ever extended.
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
    """Make the windows of a resource: one, or a second one for the negative sum if sums may be too small."""
    # In every window less is better, which dominance relies on; a lower end without waiting is the upper end of the
    # negative sum (decision 046).
    lower, upper = resource.windows(network.arcs, network.vertices, place)
    if resource.use.min(initial=0.0) >= 0:
        lower = np.where(lower > 0, lower, -np.inf)
        upper = clip_unreachable(resource.use, lower, upper, network)
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


def memory_matrix(visits: Sequence[Visits], network: Network) -> BoolArray:
    """Make the matrix with ``[v, u]`` True if a route at v remembers a visit to u, over all `Visits`."""
    n = network.vertices
    memory = np.zeros((n, n), bool)
    for rule in visits:
        if rule.neighbourhoods is None:
            memory[:] = True
            continue
        if len(rule.neighbourhoods) != n:
            raise InvalidProblem(f"Visits: {len(rule.neighbourhoods)} neighbourhoods, the network has {n} vertices")
        for v, near in enumerate(rule.neighbourhoods):
            if near and not 0 <= near[0] <= near[-1] < n:
                raise InvalidProblem(
                    f"Visits: the neighbourhood of vertex {v} names a vertex that is not in the network"
                )
            memory[v, list(near)] = True
        memory[np.arange(n), np.arange(n)] = True
    return memory


def packed(memory: BoolArray) -> NDArray[np.uint64]:
    """Pack the rows into bits, in words of 64."""
    n = memory.shape[0]
    bits = np.zeros((n, -(-n // 64) * 64), bool)
    bits[:, :n] = memory
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).astype(np.uint64)


def check_cycles(network: Network, windows: Iterable[Window], memory: BoolArray) -> None:
    """Refuse cycles without end: no resource is used along them, and not every vertex of them is remembered."""
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
                f"LabelSetting: a route may go round vertices {sorted(part)[:6]} for ever: no resource with a "
                "limit is used there, and not all of them are remembered everywhere among them. Add Visits(), or a "
                "resource that counts arcs: Additive(np.ones(arcs), upper=most)"
            )


def main_of(windows: Sequence[Window], longest: float, network: Network) -> Window:
    """Select the window that slices are made of: of those that every arc uses, that of fewest steps; else arcs."""
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
    """Return the window of the resource that the user names."""
    fits = 0 <= main < len(resources) and len(windows[main]) > 0 and windows[main][0].climbs
    if not fits:
        raise InvalidProblem(
            f"LabelSetting: main must be the position of an Additive resource without negative uses, whose windows "
            f"end; got {main} of {len(resources)} resources"
        )
    return windows[main][0]


def made_tables(
    network: Network, resources: Sequence[Resource], main: int | None = None
) -> tuple[LabelTables, BoolArray]:
    """Make the tables, and the memory of routes as bool (vertices, vertices)."""
    each: list[list[Window]] = []
    automaton: StateMachine | None = None
    visits: list[Visits] = []
    user_states: list[UserState] = []
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
            states = tabulate_states(resource, real, m, place)
            automaton = states if automaton is None else product(automaton, states)
        elif isinstance(resource, RankOneCuts):
            rows.append(resource.states(n, place))
        elif isinstance(resource, CompiledResource):
            user_states.append(resource.at(place))
        else:
            raise InvalidProblem(
                f"{place}: must be Additive, Visits, DiagramResource, RankOneCuts or CompiledResource"
            )
    windows = [window for several in each for window in several]
    memory = memory_matrix(visits, network)
    check_cycles(network, windows, memory)
    longest = float(n - 1) if memory.all() else np.inf
    # The longest route, in arcs, sizes the allowance for rounding: each arc of a positive use uses up its window.
    positive = [(window, window.use[window.use > 0].min(initial=np.inf)) for window in windows if window.climbs]
    spans = [(window.upper.max() - window.start) / least for window, least in positive if least < np.inf]
    longest = min(longest, (sum(max(span, 0.0) for span in spans) + 1) * n)
    for window in windows:
        if window.climbs and (least := window.least_inside) > 0:  # inf where no arc lies inside
            longest = min(longest, max(window.upper.max() - window.start, 0.0) // least + 3)
    first = main_of(windows, longest, network) if main is None else given_main(main, resources, each)
    # The kernels slice the first resource.
    ordered = [first, *(window for window in windows if window is not first)]
    step, steps, bounded = slices(first, network)
    automaton = automaton or idle(m)
    rise, stay, wrap = (
        (np.ascontiguousarray(np.concatenate(parts, axis=-1)) for parts in zip(*rows, strict=True))
        if rows
        else (np.zeros((n, 0), np.uint8), np.zeros((n, 0), np.uint8), np.zeros(0, np.uint8))
    )
    min_resource_between = np.zeros((n, n))
    if memory.any():
        min_resource_between = kernels.label_distances(n, network.tails, network.heads, first.use)
    bits = packed(memory)
    return (
        LabelTables(
            n,
            network.source,
            network.sink,
            longest,
            network.tails.astype(np.int32),
            network.heads.astype(np.int32),
            np.stack([window.use for window in ordered]),
            np.stack([window.lower for window in ordered]),
            np.stack([window.upper for window in ordered]),
            np.array([window.start for window in ordered]),
            step,
            steps,
            bounded,
            min_resource_between,
            bits,
            bits,
            automaton.kind,
            automaton.next_states,
            automaton.step_costs,
            automaton.final_costs,
            automaton.simulates(),
            automaton.begin,
            rise,
            stay,
            wrap,
            tuple(user_states),
        ),
        memory,
    )


def slices(main: Window, network: Network) -> tuple[float, int, bool]:
    """Return width and number of the slices of the main resource, and whether each inner arc leaves its slice."""
    # Completion bounds need slices that every arc leaves; too many slices would cost more than they save.
    span = max(float(main.upper.max() - main.start), 0.0)
    least = main.least_inside
    wanted = power_below(span / STEPS) if span > 0 else 1.0
    bounded = least > 0
    step = min(wanted, power_below(least)) if 0 < least < np.inf else wanted
    if span / step >= MOST_STEPS or span / step * max(1, network.arcs) > 4e7:
        step, bounded = wanted, False
    return step, int(span // step) + 1, bounded
