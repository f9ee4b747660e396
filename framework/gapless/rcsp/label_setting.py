"""Label setting: cheapest routes through a network under resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import gapless_kernels as kernels
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.errors import InvalidProblem
from gapless.limits.limits import current_deadline
from gapless.rcsp.network import Network
from gapless.rcsp.routes import Routes, gathered
from gapless.rcsp.tables import Resource, made_tables, packed
from gapless_kernels import LabelTables, RouteSearchResult

Stage = Literal["exact", "relaxed", "heuristic"]
STAGES = ("exact", "relaxed", "heuristic")
STOPS = ("complete", "stopped", "memory")
DEFAULT_LIMIT = 1000
"""Default limit on the number of routes returned."""
INITIAL_NG_SIZE = 8
"""Size of the first ng-sets of elementary routes, before cycles enlarge them."""
RELAXED_NG_SIZE = 5
"""Limit on the size of ng-sets in the relaxed stage, if the user gives neighbourhoods."""
CYCLE_BATCH = 8
"""Number of routes examined together for cycles, once the cheapest route has one."""


class LabelSetting:
    """An oracle for resource-constrained shortest paths: routes, bounds, the cheapest route through each arc.

    Labels grow from both ends over slices of a resource that rises on every arc, and the direction with fewer
    labels advances (Righini and Salani, *Symmetry helps*, 2006; Sadykov, Uchoa, Pessoa, *A bucket graph based
    labeling algorithm*, 2021). A relaxed pass in the other direction gives completion bounds. Elementary routes
    start with small ng-sets, to which the vertex of each cycle is added along that cycle (dynamic ng-sets:
    Roberti and Mingozzi, *Dynamic ng-path relaxation*, 2014); later calls keep these sets.

    Parameters
    ----------
    network : Network
    resources : sequence of Additive, Visits, DiagramResource, RankOneCuts, CompiledResource
        In any order.
    main : int, optional
        Position of the `Additive` resource that slices divide. By default, of those that every arc between
        customers uses, the one with the narrowest windows, counted in uses of a mean arc: time with windows
        comes before load. The choice affects speed only.
    memory_limit : float
        Limit on the bytes of labels of one search.

    Raises
    ------
    InvalidProblem
        If an array has another shape, or a route could go round a cycle for ever.
    """

    def __init__(
        self,
        network: Network,
        resources: Sequence[Resource],
        *,
        main: int | None = None,
        memory_limit: float = 2.0**31,
    ) -> None:
        self.network = network
        self.resources = tuple(resources)
        self.memory_limit = memory_limit
        self._tables, self._memory = made_tables(network, self.resources, main)
        others = np.ones(network.vertices, bool)
        others[[network.source, network.sink]] = False
        # With few vertices the full memory costs no more than ng-sets, and needs no repetitions.
        self._elementary = bool(self._memory[np.ix_(others, others)].all()) and int(others.sum()) > INITIAL_NG_SIZE
        self._ng_sets = self._nearest(INITIAL_NG_SIZE) if self._elementary else self._memory
        self._relaxed_memory = self._ng_sets if self._elementary else self._nearest(RELAXED_NG_SIZE)

    def _nearest(self, size: int) -> BoolArray:
        """Reduce the memory to `size` vertices each: the nearest by the main resource, there and back."""
        # A cycle is most likely among vertices that are near each other by what a route has least of.
        far = self._tables.min_resource_between + self._tables.min_resource_between.T
        far = np.where(self._memory, far, np.inf)
        np.fill_diagonal(far, -np.inf)
        nearest = np.zeros_like(self._memory)
        np.put_along_axis(nearest, np.argsort(far, axis=1, kind="stable")[:, :size], True, axis=1)
        return nearest & self._memory

    # --- queries

    def routes(
        self,
        costs: Any,
        *,
        below: float = -1e-9,
        limit: int | None = None,
        stage: Stage = "exact",
        off: Any = None,
        charges: Any = None,
        stop: Callable[[], bool] | None = None,
    ) -> Routes:
        """Find the cheapest routes below a cost.

        Parameters
        ----------
        costs : float64 (arcs,)
            Of any sign; inf switches an arc off.
        below : float
            Only routes that cost less are returned; inf returns the cheapest routes of any cost.
        limit : int, optional
            Limit on the number of routes, by default 1000.
        stage : {"exact", "relaxed", "heuristic"}
            "exact": the cheapest route is found. "relaxed": ng-sets are small; the bound is valid and the routes
            respect all resources, but the cheapest may be missing. "heuristic": few labels are kept; the bound is
            that of the relaxed pass.
        off : bool (arcs,), optional
            True switches an arc off.
        charges : float64 (rows,), optional
            Prices of the rows of the `RankOneCuts` resources, at least 0, charged each time a row's state
            reaches 1; by default 0.
        stop : callable, optional
            Called every few milliseconds; True ends the search. By default the time limit of the solve, if a
            generator calls this (`MasterView.stop`).

        Returns
        -------
        Routes
            With a valid `bound` in every case. A complete exact search without a route has a bound of at least
            `below`, less rounding, or of inf if it proved that no route exists. Otherwise its bound is the cost
            of the cheapest route, less the possible rounding of sums in another order.

        Raises
        ------
        InvalidProblem
            If an argument has another shape, or is NaN.
        KeyboardInterrupt
            At Ctrl-C, within milliseconds.
        """
        if stage not in STAGES:
            raise InvalidProblem(f"stage must be one of {', '.join(STAGES)}, got {stage!r}")
        costs, charges = self._checked(costs, off, charges, below)
        stop = stop or current_deadline().stop
        count = self._limit(limit, DEFAULT_LIMIT)
        if stage == "heuristic":
            result = self._search(self._memory, costs, charges, below, count, stop, heuristic=True)
            return self._selected(result, result.cost < below, count)
        if stage == "relaxed" or not self._elementary:
            memory = self._relaxed_memory if stage == "relaxed" else self._memory
            result = self._search(memory, costs, charges, below, count, stop)
            fits = result.cost < below
            # Routes of a relaxed search may visit a vertex again that the user's memory forbids.
            if stage == "relaxed":
                fits &= self._prices(costs, charges, result) < np.inf
            return self._selected(result, fits, count)
        return self._elementary_routes(costs, charges, below, count, stop)

    def cheapest_through_arcs(
        self,
        costs: Any,
        *,
        below: float = np.inf,
        stage: Literal["exact", "relaxed"] = "exact",
        off: Any = None,
        charges: Any = None,
        stop: Callable[[], bool] | None = None,
    ) -> FloatArray:
        """Price the cheapest route through each arc, to fix arcs by reduced costs.

        Parameters
        ----------
        costs, off, charges, stop
            As for `routes`.
        below : float
            Arcs whose cheapest route costs at least this get this number, which is faster.
        stage : {"exact", "relaxed"}
            "relaxed" gives lower bounds, of routes with small ng-sets. With a `CompiledResource` it is the only
            one: its states are ignored after the arc.

        Returns
        -------
        float64 (arcs,)
            Up to rounding of sums; `below` where no route through the arc costs less.

        Raises
        ------
        InvalidProblem, KeyboardInterrupt
            As for `routes`.
        MemoryError
            If the labels outgrow the memory limit.
        """
        if stage not in {"exact", "relaxed"}:
            raise InvalidProblem(f"stage must be exact or relaxed, got {stage!r}")
        if stage == "exact" and self._tables.user_states:
            raise InvalidProblem(
                f"{self._tables.user_states[0].location}: its states are known from the source on alone, not from "
                "both ends of an arc; ask for the lower bounds of stage='relaxed'"
            )
        costs, charges = self._checked(costs, off, charges, below)
        memory = self._memory if stage == "exact" else self._relaxed_memory
        values, status = kernels.label_through(
            self._with(memory),
            costs,
            charges,
            float(below),
            memory_limit=self.memory_limit,
            pulse=stop or current_deadline().stop,
        )
        if STOPS[status] == "memory":
            raise MemoryError(
                f"labels need more than {self.memory_limit:.3g} bytes: ask for stage='relaxed' or a smaller below, "
                "or raise LabelSetting(memory_limit=...)"
            )
        # An interrupted search may have missed the cheapest route of any arc: no number would be a bound.
        if STOPS[status] == "stopped":
            return np.full(self.network.arcs, -np.inf)
        return values

    def enumerate(
        self,
        costs: Any,
        below: float,
        limit: int | None = None,
        *,
        off: Any = None,
        charges: Any = None,
        stop: Callable[[], bool] | None = None,
    ) -> Routes:
        """List every route below a cost, as for a small gap between bound and incumbent.

        Parameters
        ----------
        costs, off, charges, stop
            As for `routes`.
        below : float
        limit : int, optional
            Limit on the number of routes, by default 1 000 000.

        Returns
        -------
        Routes
            If ``rest >= below``, all routes are listed.
        """
        costs, charges = self._checked(costs, off, charges, below)
        # Completion bounds from the ng-sets that earlier calls have enlarged: stronger than the first ones, and
        # valid.
        tables = self._with(self._memory)._replace(relaxed_memory=packed(self._ng_sets))
        count, memory = self._limit(limit, 1_000_000), self.memory_limit
        stop = stop or current_deadline().stop
        result = kernels.label_enumerate(
            tables, costs, charges, float(below), count, memory_limit=memory, pulse=stop
        )
        bound = min(result.bound, float(result.cost.min(initial=np.inf)))
        status = STOPS[result.status]
        # The kernel reports a full list of routes as it reports full memory.
        if status == "memory" and result.cost.size >= count:
            status = "limit"
        routes = _pairs(result, result.cost < below)
        return gathered(self.network, routes, bound, result.bound, status, result.labels)

    def cost(self, arcs: Any, costs: Any, *, charges: Any = None) -> float:
        """Compute the cost of one route with all charges; inf if it is no route or violates a resource.

        Parameters
        ----------
        arcs : sequence of int
            From the source to the sink.
        costs, charges
            As for `routes`.
        """
        path = np.asarray(arcs, np.int64)
        costs, charges = self._checked(costs, None, charges, 0.0)
        tables = self._with(self._memory)
        return float(kernels.label_price(tables, costs, charges, np.array([0, path.size]), path)[0])

    # --- steps of the queries

    def _checked(self, costs: Any, off: Any, charges: Any, below: float) -> tuple[FloatArray, FloatArray]:
        arcs, rows = self.network.arcs, self._tables.wrap.size
        costs = np.array(costs, np.float64)
        if costs.shape != (arcs,) or np.isnan(costs).any() or (costs == -np.inf).any():
            raise InvalidProblem(f"costs must be {arcs} numbers or inf, one for each arc; got {costs.shape}")
        if off is not None:
            mask = np.asarray(off)
            if mask.shape != (arcs,) or mask.dtype != bool:
                raise InvalidProblem(f"off must be {arcs} bools, one for each arc; got {mask.dtype} {mask.shape}")
            costs[mask] = np.inf
        prices = np.zeros(rows) if charges is None else np.array(charges, np.float64)
        # Dominance relies on the sign: a state nearer to its next charge must never be an advantage.
        if prices.shape != (rows,) or not ((prices >= 0) & (prices < np.inf)).all():
            raise InvalidProblem(
                f"charges must be {rows} finite numbers >= 0, one for each row; got {prices.shape}"
            )
        if np.isnan(below):
            raise InvalidProblem("below must be a number, got nan")
        return costs, prices

    def _limit(self, limit: int | None, default: int) -> int:
        if limit is not None and limit < 1:
            raise InvalidProblem(f"limit must be at least 1, got {limit}")
        return default if limit is None else int(limit)

    def _with(self, memory: BoolArray) -> LabelTables:
        return self._tables if memory is self._memory else self._tables._replace(memory=packed(memory))

    def _search(
        self,
        memory: BoolArray,
        costs: FloatArray,
        charges: FloatArray,
        below: float,
        count: int,
        stop: Callable[[], bool],
        *,
        heuristic: bool = False,
    ) -> RouteSearchResult:
        return kernels.label_routes(
            self._with(memory),
            costs,
            charges,
            float(below),
            count,
            heuristic=heuristic,
            memory_limit=self.memory_limit,
            pulse=stop,
        )

    def _prices(self, costs: FloatArray, charges: FloatArray, result: RouteSearchResult) -> FloatArray:
        """Compute the costs of the routes under all resources."""
        return kernels.label_price(self._with(self._memory), costs, charges, result.first, result.arcs)

    def _selected(self, result: RouteSearchResult, fits: BoolArray, count: int) -> Routes:
        stop = STOPS[result.status]
        if stop == "complete" and result.cost.size >= count:
            stop = "limit"
        return gathered(self.network, _pairs(result, fits), result.bound, result.bound, stop, result.labels)

    def _elementary_routes(
        self,
        costs: FloatArray,
        charges: FloatArray,
        below: float,
        count: int,
        stop: Callable[[], bool],
    ) -> Routes:
        """Enlarge the ng-sets by the cycles of the cheapest routes, until the cheapest route is elementary."""
        routes: list[tuple[float, bytes]] = []
        labels, requested, threshold = 0, count, float(below)
        bound = -np.inf
        while True:
            result = self._search(self._ng_sets, costs, charges, threshold, requested, stop)
            labels += result.labels
            # Each search is a relaxation of elementary routes: the largest of the bounds is valid.
            bound = max(bound, result.bound)
            elementary = self._without_cycles(result)
            routes = sorted({*routes, *_pairs(result, elementary & (result.cost < below))})[:count]
            best = routes[0][0] if routes else below
            # Cycles of routes that cost more than an elementary one cannot hide the optimum.
            cyclic = np.flatnonzero(~elementary & (result.cost < best))
            if STOPS[result.status] != "complete" or not cyclic.size:
                break
            if not self._grow_ng_sets(result, cyclic):
                raise RuntimeError("a route has a cycle that its memory forbids")  # pragma: no cover
            # Several routes at a time, so that one search shows several cycles.
            requested = max(count, CYCLE_BATCH)
            threshold = routes[-1][0] if len(routes) == count else below
        status = STOPS[result.status]
        if status == "complete" and len(routes) >= count:
            status = "limit"
        return gathered(self.network, routes, bound, bound, status, labels)

    def _without_cycles(self, result: RouteSearchResult) -> BoolArray:
        paths = np.split(self.network.heads[result.arcs], result.first[1:-1]) if result.cost.size else []
        return np.array([len(set(path.tolist())) == path.size for path in paths], bool)

    def _grow_ng_sets(self, result: RouteSearchResult, cyclic: NDArray[np.int64]) -> bool:
        """Add the vertex of each cycle to the ng-sets along it; False if none is new."""
        # A copy, because the sets of before are compared with it.
        ng_sets = self._ng_sets.copy()
        for i in cyclic.tolist():
            arcs = result.arcs[result.first[i] : result.first[i + 1]]
            last: dict[int, int] = {}
            path = self.network.heads[arcs].tolist()
            for index, v in enumerate(path):
                if v in last:
                    ng_sets[path[last[v] : index], v] = True
                last[v] = index
        is_new = bool((ng_sets != self._ng_sets).any())
        self._ng_sets = self._relaxed_memory = ng_sets
        return is_new


def _pairs(result: RouteSearchResult, fits: BoolArray) -> list[tuple[float, bytes]]:
    # Bytes of the arcs: hashable and comparable, so that a set removes duplicates and `sorted` breaks ties.
    return [
        (float(result.cost[i]), result.arcs[result.first[i] : result.first[i + 1]].tobytes())
        for i in np.flatnonzero(fits)
    ]
