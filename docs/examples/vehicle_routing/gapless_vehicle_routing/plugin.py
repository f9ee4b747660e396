"""The entry point: one problem type, two methods for it, a task, and a set of instances."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import Method, Registry, SelftestInstances, SolveRequest, hookimpl
from gapless_vehicle_routing import benchmark
from gapless_vehicle_routing.drawing import draw_plan
from gapless_vehicle_routing.formulation import formulation
from gapless_vehicle_routing.instances import random_instance
from gapless_vehicle_routing.problem import Plan, VehicleRoutingProblem
from gapless_vehicle_routing.routes import savings_plan
from gapless_vehicle_routing.ruin_and_recreate import ruin_and_recreate

STEPS, MOST_STEPS = 100, 10_000
"""Steps of ruin and recreate for the first plan: for each customer, and at most."""


def own_tree(
    problem: VehicleRoutingProblem,
    request: SolveRequest,
    *,
    order: str = "best-first",
    neighbourhood: int = 8,
    subset_rows: int = 60,
) -> gl.Result[Plan]:
    """Branch, price and cut in gapless's own tree; the result carries a certificate."""
    plan = savings_plan(problem, request.budget.must_stop)
    return branch_and_price(
        problem,
        formulation(problem, neighbourhood=neighbourhood, subset_rows=subset_rows, first_plan=plan),
        request.budget,
        order=order,
        k=request.k,
        start=_first_plans(problem, request, plan),
        method=request.method,
    )


def scip_tree(
    problem: VehicleRoutingProblem,
    request: SolveRequest,
    *,
    order: str = "best-first",
    neighbourhood: int = 8,
    subset_rows: int = 60,
) -> gl.Result[Plan]:
    """Solve the same formulation inside SCIP, which owns the tree."""
    from gapless.scip import branch_price_and_cut  # noqa: PLC0415  SCIP is loaded on use

    plan = savings_plan(problem, request.budget.must_stop)
    return branch_price_and_cut(
        problem,
        formulation(problem, neighbourhood=neighbourhood, subset_rows=subset_rows, first_plan=plan),
        request.budget,
        order=order,
        start=_first_plans(problem, request, plan),
        method=request.method,
    )


def _first_plans(problem: VehicleRoutingProblem, request: SolveRequest, plan: Plan | None) -> Sequence[Plan]:
    """The plans to begin with: those of the caller, and one of savings, made shorter."""
    if plan is None:
        return request.start

    def stop() -> bool:
        return request.budget.stop_reason() is not None

    steps = min(STEPS * len(problem.customers), MOST_STEPS)
    try:
        plan = ruin_and_recreate(problem, plan, steps, seed=request.seed, stop=stop)
    except KeyboardInterrupt:  # the search then returns its incumbent
        request.budget.interrupt()
    return [*request.start, plan]


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the plug-in; gapless calls this once, when it loads plug-ins."""
    registry.problem("vehicle-routing", VehicleRoutingProblem)
    registry.method(
        Method(
            "branch-price-and-cut",
            VehicleRoutingProblem,
            own_tree,
            summary="columns are routes, rows are capacity cuts, own tree, certificate",
            k_best=True,
            warm_start=True,
            default=True,
        )
    )
    registry.method(
        Method(
            "scip",
            VehicleRoutingProblem,
            scip_tree,
            summary="the same, with SCIP owning the tree; no certificate",
            warm_start=True,
        )
    )
    registry.task(benchmark.TASK)


@hookimpl
def gapless_draw(problem: gl.Problem[Any], structure: Any, words: Sequence[str]) -> str | None:
    """Draw a structure for a report; return None to leave the drawing to other plug-ins."""
    return draw_plan(problem, structure) if isinstance(problem, VehicleRoutingProblem) else None


@hookimpl
def gapless_data() -> str:
    """Return the sets of instances for ``gapless data``."""
    return (files("gapless_vehicle_routing") / "data.toml").read_text("utf-8")


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return instances that ``gapless selftest`` can enumerate: up to three customers, half of them with ties."""

    def draw(rng: np.random.Generator) -> VehicleRoutingProblem:
        customers, side = int(rng.integers(1, 4)), int(rng.choice([2, 100]))
        seed, windows = int(rng.integers(2**31)), bool(rng.integers(2))
        return random_instance(seed, customers, vehicles=min(2, customers), windows=windows, per_route=2, side=side)

    return [SelftestInstances(VehicleRoutingProblem, draw)]
