"""``python -m benchmarks colouring``: graphs of the DIMACS challenge, coloured and proved in both trees."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import attrs

import gapless as gl
from benchmarks.colouring.formulation import formulation
from benchmarks.colouring.graphs import Edges, myciel, queen
from benchmarks.colouring.problem import Colouring
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import FROM_ARRAYS, Marks, line
from benchmarks.frame.turns import spent
from gapless.column_generation import branch_and_price
from gapless.roles import SolveBudget
from gapless.scip import branch_price_and_cut
from gapless_tasks.run_options import add_time_limit

GRAPHS: dict[str, tuple[tuple[int, Edges], Marks]] = {
    "myciel4": (myciel(4), (5, 1)),
    "queen8_8": (queen(8, 8), (60, 10)),
    "myciel5": (myciel(5), (300, 60)),
}
"""Graphs, with the CPU seconds to reach and to aim at."""
TREES: dict[str, Callable[..., gl.Result[Any]]] = {
    "own tree": branch_and_price,
    "SCIP's tree": branch_price_and_cut,
}
SECONDS = 300.0


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Colour each graph in both trees, and verify."""
    for name in arguments.graphs or GRAPHS:
        graph, marks = GRAPHS[name]
        for tree, solve in TREES.items():
            (problem, result), cost = spent(_coloured, graph, solve, bench.limits)
            proved = result.status is gl.Status.OPTIMAL
            yield line(f"{tree}, {FROM_ARRAYS}", name, cost.cpu if proved else None, "s", marks)
            yield line(f"{tree}, proved", name, 100.0 * proved, "%", (100, 100), more=True)
            yield line(f"{tree}, nodes", name, result.stats.nodes or 0, "")
            if proved and result.certificate is not None and not result.certificate.missing:
                verdict, cost = spent(result.verify, problem)
                if not verdict:
                    raise gl.InvalidProblem(f"{name}, {tree}: {attrs.asdict(verdict)}")
                yield line(f"{tree}, verification", name, cost.cpu, "s")


def _coloured(
    graph: tuple[int, Edges], solve: Callable[..., gl.Result[Any]], limits: gl.Limits
) -> tuple[Colouring, gl.Result[Any]]:
    problem, budget = Colouring(*graph), SolveBudget(limits, clock=time.process_time)
    return problem, solve(problem, formulation(problem), budget, order="depth-first")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    parser.add_argument("--graphs", nargs="+", choices=[*GRAPHS], metavar="GRAPH", help=f"of {', '.join(GRAPHS)}")
    add_time_limit(parser, "of CPU for each graph and tree", SECONDS)
