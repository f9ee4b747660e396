"""The entry point: one problem type, two methods for it, a task, and sets of instances."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import Method, Registry, SelftestInstances, SolveRequest, hookimpl
from gapless_cutting_stock import benchmark
from gapless_cutting_stock.drawing import draw_plan
from gapless_cutting_stock.formulation import formulation
from gapless_cutting_stock.problem import CuttingStockProblem, Plan
from gapless_cutting_stock.subset_rows import REACH


def own_tree(
    problem: CuttingStockProblem, request: SolveRequest, *, order: str = "best-first", reach: float = REACH
) -> gl.Result[Plan]:
    """Branch and price in gapless's own tree; the result carries a certificate."""
    return branch_and_price(
        problem,
        formulation(problem, reach=reach),
        request.budget,
        order=order,
        k=request.k,
        start=request.start,
        method=request.method,
    )


def scip_tree(
    problem: CuttingStockProblem, request: SolveRequest, *, order: str = "depth-first", reach: float = REACH
) -> gl.Result[Plan]:
    """Solve the same formulation inside SCIP, which owns the tree.

    Bounds are whole numbers of rolls, so that most open nodes are equally good. Ties go deep in our tree; SCIP's
    best-first search jumps between them, so depth comes first.
    """
    from gapless.scip import branch_price_and_cut  # noqa: PLC0415  SCIP is loaded on use

    return branch_price_and_cut(
        problem,
        formulation(problem, reach=reach),
        request.budget,
        order=order,
        start=request.start,
        method=request.method,
    )


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the plug-in; gapless calls this once, when it loads plug-ins."""
    registry.problem("cutting-stock", CuttingStockProblem)
    registry.method(
        Method(
            "branch-and-price",
            CuttingStockProblem,
            own_tree,
            summary="column generation over patterns, own tree, certificate",
            k_best=True,
            warm_start=True,
            default=True,
        )
    )
    registry.method(
        Method(
            "scip",
            CuttingStockProblem,
            scip_tree,
            summary="the same, with SCIP owning the tree; no certificate",
            warm_start=True,
        )
    )
    registry.task(benchmark.TASK)


@hookimpl
def gapless_draw(problem: gl.Problem[Any], structure: Any, words: Sequence[str]) -> str | None:
    """Draw a structure for a report; return None to leave the drawing to other plug-ins."""
    return draw_plan(problem, structure) if isinstance(problem, CuttingStockProblem) else None


@hookimpl
def gapless_data() -> str:
    """Return the sets of instances for ``gapless data``."""
    return (files("gapless_cutting_stock") / "data.toml").read_text("utf-8")


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return instances that ``gapless selftest`` can enumerate: one or two sizes, at most three items in total."""

    def draw(rng: np.random.Generator) -> CuttingStockProblem:
        width, kinds = int(rng.integers(3, 7)), int(rng.integers(1, 3))
        sizes = sorted(rng.choice(np.arange(1, width + 1), kinds, replace=False).tolist(), reverse=True)
        return CuttingStockProblem(width, sizes, rng.integers(1, 4 - kinds + 1, kinds).tolist())

    return [SelftestInstances(CuttingStockProblem, draw)]
