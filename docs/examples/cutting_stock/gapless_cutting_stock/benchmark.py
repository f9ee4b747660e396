"""A task of a plug-in: ``gapless run cutting-stock-benchmark`` times both trees on the same instances."""

from __future__ import annotations

import argparse
import statistics
import time

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless_cutting_stock.instances import gilmore_gomory, uniform_bin_packing
from gapless_cutting_stock.problem import CuttingStockProblem, Plan

SIZES = (50, 60, 80, 100, 120)
METHODS = {"branch-and-price": "own tree", "scip": "SCIP's tree"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    parser.add_argument("--seeds", type=int, default=5, help="instances of each size (default 5)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="items to pack (default 50 to 120)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Solve every instance by both methods, compare the values, verify the certificates, print the times."""
    instances = [uniform_bin_packing(size, seed) for size in arguments.sizes for seed in range(arguments.seeds)]
    instances.append(gilmore_gomory())
    rows, values, held = [], [], True
    for method, tree in METHODS.items():
        results, seconds = [], []
        with console.progress(tree, len(instances)) as advance:
            for problem in instances:
                result, cpu = _timed(problem, method)
                results.append(result)
                seconds.append(cpu)
                advance(1)
        certified = [
            bool(result.verify(problem))
            for problem, result in zip(instances, results, strict=True)
            if result.certified
        ]
        held = held and all(certified) and all(result.proved for result in results)
        values.append([result.value for result in results])
        milliseconds = [1000 * cpu for cpu in seconds[:-1]]
        rows.append(
            (
                f"{tree} ({method})",
                sum(result.proved for result in results),
                sum(certified),
                round(statistics.median(milliseconds)),
                round(max(milliseconds)),
                round(1000 * seconds[-1]),
            )
        )
    console.table(
        f"Bin packing, {len(instances) - 1} instances, and Gilmore and Gomory's cutting stock: CPU time",
        ("method", "proved", "certificates verified", "median ms", "slowest ms", "Gilmore and Gomory, ms"),
        rows,
    )
    agreed = values[0] == values[1]
    console.say("both find the same values" if agreed else "the values DIFFER")
    console.data({"rows": rows, "agreed": agreed})
    return exit_codes.PROVED if agreed and held else exit_codes.FAILED


def _timed(problem: CuttingStockProblem, method: str) -> tuple[gl.Result[Plan], float]:
    began = time.process_time()
    result = gl.solve(problem, method)
    return result, time.process_time() - began


TASK = gl.Task("cutting-stock-benchmark", "Bin packing by two trees over one formulation.", add_arguments, run)
