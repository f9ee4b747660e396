"""Cheapest routes through a network under resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import gapless_kernels.labels as kernels
from gapless.core.errors import InvalidProblem
from gapless.core.limits import current_deadline
from gapless.core.sparse import BoolArray, FloatArray
from gapless.labelling.network import Network
from gapless.labelling.routes import Routes, gathered
from gapless.labelling.tables import Resource, made_tables, packed
from gapless_kernels.labels import FoundRoutes, LabelTables

Stage = Literal["exact", "relaxed", "heuristic"]
STAGES = ("exact", "relaxed", "heuristic")
STOPS = ("complete", "stopped", "memory")
MANY = 1000
"""Routes that are returned at most when no limit is given."""
FIRST = 8
"""Vertices that a route remembers before cycles have taught it more."""
FEW = 5
"""Vertices that a route remembers at most in the relaxed stage, where neighbourhoods are given."""
TOGETHER = 8
"""Routes that are looked at together for cycles, once the cheapest has one."""


class Labelling:
    """An oracle for resource-constrained shortest paths: routes, bounds, the cheapest route through each arc.

    Labels grow from both ends over slices of a resource that rises on every arc, and meet where it pays
    (Righini and Salani, *Symmetry helps*, 2006; Sadykov, Uchoa, Pessoa, *A bucket graph based labeling algorithm*,
    2021). A relaxed pass of the other direction bounds what is missing. Where routes are elementary, they remember
    few vertices at first, and along each cycle that turns up its vertex (dynamic ng-sets: Roberti and Mingozzi,
    *Dynamic ng-path relaxation*, 2014); what one call has learned the next one knows.

    Parameters
    ----------
    network : Network
    resources : sequence of Additive, Visits, DiagramResource, RankOne, CompiledResource
        In any order.
    main : int, optional
        Position of the `Additive` resource that slices are made of. By default, of those that every arc between
        customers uses, the one whose windows are narrowest, counted in uses of a mean arc: time with windows comes
        before load. The choice matters to speed alone.
    memory_limit : float
        Bytes of labels of one search.

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
        self._elementary = bool(self._memory[np.ix_(others, others)].all()) and int(others.sum()) > FIRST
        self._learned = self._nearest(FIRST) if self._elementary else self._memory
        self._loose = self._learned if self._elementary else self._nearest(FEW)

    def _nearest(self, size: int) -> BoolArray:
        """The memory cut to `size` vertices each: those near by the main resource, there and back."""
        far = self._tables.apart + self._tables.apart.T
        far = np.where(self._memory, far, np.inf)
        np.fill_diagonal(far, -np.inf)
        kept = np.zeros_like(self._memory)
        np.put_along_axis(kept, np.argsort(far, axis=1, kind="stable")[:, :size], True, axis=1)
        return kept & self._memory

    # --- what users ask

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
            Only routes that cost less are returned; inf returns the best whatever it costs.
        limit : int, optional
            Most routes, by default 1000.
        stage : {"exact", "relaxed", "heuristic"}
            "exact": the cheapest route is found. "relaxed": few visits are remembered; the bound is true, the
            routes keep all resources, but the cheapest may be missing. "heuristic": few labels are kept; the bound
            is that of the relaxed pass alone.
        off : bool (arcs,), optional
            True switches an arc off.
        charges : float64 (rows,), optional
            Dues of a route, each time a row of the `RankOne` resources is due, at least 0; by default nothing.
        stop : callable, optional
            Asked every few milliseconds; True ends the search. By default the time limit of the solve, where a
            generator calls this (`View.stop`).

        Returns
        -------
        Routes
            With a true `bound` in every case. An exact search that ran to its end and found nothing has a bound of
            at least `below`, less roundings: of inf where no route exists and that was seen. Its bound is the cost
            of the cheapest route, less what sums of floats may lose in another order.

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
        most = self._most(limit, MANY)
        if stage == "heuristic":
            found = self._found(self._memory, costs, charges, below, most, stop, loose=True)
            return self._kept(found, found.cost < below, most)
        if stage == "relaxed" or not self._elementary:
            memory = self._loose if stage == "relaxed" else self._memory
            found = self._found(memory, costs, charges, below, most, stop)
            fits = found.cost < below
            if stage == "relaxed":
                fits &= self._prices(costs, charges, found) < np.inf
            return self._kept(found, fits, most)
        return self._elementary_routes(costs, charges, below, most, stop)

    def through(
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
            Costs from here on are of no interest: such arcs get this number, which is faster.
        stage : {"exact", "relaxed"}
            "relaxed" gives lower bounds, of routes that remember few visits. With a `CompiledResource` it is the
            only one: behind the arc its states are not looked at.

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
        if stage == "exact" and self._tables.own:
            raise InvalidProblem(
                f"{self._tables.own[0].place}: its states are known from the source on alone, not from both ends "
                "of an arc; ask for the lower bounds of stage='relaxed'"
            )
        costs, charges = self._checked(costs, off, charges, below)
        memory = self._memory if stage == "exact" else self._loose
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
                "or raise Labelling(memory_limit=...)"
            )
        if STOPS[status] == "stopped":
            return np.full(self.network.arcs, -np.inf)  # nothing is known of any arc
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
        """List every route below a cost, for a gap that is small.

        Parameters
        ----------
        costs, off, charges, stop
            As for `routes`.
        below : float
        limit : int, optional
            Most routes, by default 1 000 000.

        Returns
        -------
        Routes
            ``rest >= below`` says that all are there.
        """
        costs, charges = self._checked(costs, off, charges, below)
        tables = self._with(self._memory)._replace(loose_memory=packed(self._learned))
        most, memory = self._most(limit, 1_000_000), self.memory_limit
        stop = stop or current_deadline().stop
        found = kernels.label_enumerate(tables, costs, charges, float(below), most, memory_limit=memory, pulse=stop)
        bound = min(found.bound, float(found.cost.min(initial=np.inf)))
        stops = STOPS[found.status]
        if stops == "memory" and found.cost.size >= most:
            stops = "limit"
        return gathered(self.network, _pairs(found, found.cost < below), bound, found.bound, stops, found.labels)

    def cost(self, arcs: Any, costs: Any, *, charges: Any = None) -> float:
        """Cost of one route, tolls and charges included; inf where it is none, or breaks a resource.

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

    # --- inside

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
        dues = np.zeros(rows) if charges is None else np.array(charges, np.float64)
        if dues.shape != (rows,) or not ((dues >= 0) & (dues < np.inf)).all():
            raise InvalidProblem(f"charges must be {rows} finite numbers >= 0, one for each row; got {dues.shape}")
        if np.isnan(below):
            raise InvalidProblem("below must be a number, got nan")
        return costs, dues

    def _most(self, limit: int | None, default: int) -> int:
        if limit is not None and limit < 1:
            raise InvalidProblem(f"limit must be at least 1, got {limit}")
        return default if limit is None else int(limit)

    def _with(self, memory: BoolArray) -> LabelTables:
        return self._tables if memory is self._memory else self._tables._replace(memory=packed(memory))

    def _found(
        self,
        memory: BoolArray,
        costs: FloatArray,
        charges: FloatArray,
        below: float,
        most: int,
        stop: Callable[[], bool],
        *,
        loose: bool = False,
    ) -> FoundRoutes:
        return kernels.label_routes(
            self._with(memory),
            costs,
            charges,
            float(below),
            most,
            loose=loose,
            memory_limit=self.memory_limit,
            pulse=stop,
        )

    def _prices(self, costs: FloatArray, charges: FloatArray, found: FoundRoutes) -> FloatArray:
        """Costs of the routes under all resources."""
        return kernels.label_price(self._with(self._memory), costs, charges, found.first, found.arcs)

    def _kept(self, found: FoundRoutes, fits: BoolArray, most: int) -> Routes:
        stop = STOPS[found.status]
        if stop == "complete" and found.cost.size >= most:
            stop = "limit"
        return gathered(self.network, _pairs(found, fits), found.bound, found.bound, stop, found.labels)

    def _elementary_routes(
        self,
        costs: FloatArray,
        charges: FloatArray,
        below: float,
        most: int,
        stop: Callable[[], bool],
    ) -> Routes:
        """Forbid the cycles that turn up, until the cheapest route has none."""
        kept: list[tuple[float, bytes]] = []
        labels, wanted, threshold = 0, most, float(below)
        bound = -np.inf
        while True:
            found = self._found(self._learned, costs, charges, threshold, wanted, stop)
            labels += found.labels
            bound = max(bound, found.bound)
            elementary = self._without_cycles(found)
            kept = sorted({*kept, *_pairs(found, elementary & (found.cost < below))})[:most]
            best = kept[0][0] if kept else below
            cyclic = np.flatnonzero(~elementary & (found.cost < best))
            if STOPS[found.status] != "complete" or not cyclic.size:
                break
            if not self._learn(found, cyclic):
                raise RuntimeError("a route has a cycle that its memory forbids")  # pragma: no cover
            wanted = max(most, TOGETHER)
            threshold = kept[-1][0] if len(kept) == most else below
        ended = STOPS[found.status]
        if ended == "complete" and len(kept) >= most:
            ended = "limit"
        return gathered(self.network, kept, bound, bound, ended, labels)

    def _without_cycles(self, found: FoundRoutes) -> BoolArray:
        paths = np.split(self.network.heads[found.arcs], found.first[1:-1]) if found.cost.size else []
        return np.array([len(set(path.tolist())) == path.size for path in paths], bool)

    def _learn(self, found: FoundRoutes, cyclic: NDArray[np.int64]) -> bool:
        """Remember the vertex of each cycle all along it; False if nothing is new."""
        new = self._learned.copy()
        for i in cyclic.tolist():
            arcs = found.arcs[found.first[i] : found.first[i + 1]]
            last: dict[int, int] = {}
            path = self.network.heads[arcs].tolist()
            for at, v in enumerate(path):
                if v in last:
                    new[path[last[v] : at], v] = True
                last[v] = at
        grown = bool((new != self._learned).any())
        self._learned = self._loose = new
        return grown


def _pairs(found: FoundRoutes, fits: BoolArray) -> list[tuple[float, bytes]]:
    return [
        (float(found.cost[i]), found.arcs[found.first[i] : found.first[i + 1]].tobytes())
        for i in np.flatnonzero(fits)
    ]
