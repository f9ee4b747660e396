"""A task of a plug-in: ``gapless run cutting-stock-benchmark`` times both trees on the same instances."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

import attrs

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless_cutting_stock.instances import gilmore_gomory, uniform_bin_packing

T = TypeVar("T")
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
        results, whole, alone = [], [], []
        with console.progress(tree, len(instances)) as advance:
            for problem in instances:
                fresh, cpu = _timed(lambda problem=problem: attrs.evolve(problem))
                result, more = _timed(lambda fresh=fresh, method=method: gl.solve(fresh, method))
                results.append(result)
                whole.append(1000 * (cpu + more))
                alone.append(1000 * _timed(lambda fresh=fresh, method=method: gl.solve(fresh, method))[1])
                advance(1)
        certified = [
            bool(result.verify(problem))
            for problem, result in zip(instances, results, strict=True)
            if not isinstance(result.certificate, gl.NoCertificate)
        ]
        held = held and all(certified) and all(result.proved for result in results)
        values.append([result.value for result in results])
        rows.append(
            (
                f"{tree} ({method})",
                sum(result.proved for result in results),
                sum(certified),
                round(statistics.median(whole[:-1])),
                round(statistics.median(alone[:-1])),
                round(max(whole[:-1])),
                round(whole[-1]),
            )
        )
    console.table(
        f"Bin packing, {len(instances) - 1} instances, and Gilmore and Gomory's cutting stock: CPU time",
        (
            "method",
            "proved",
            "certificates verified",
            "from arrays, median ms",
            "search alone, median ms",
            "from arrays, slowest ms",
            "Gilmore and Gomory, from arrays, ms",
        ),
        rows,
    )
    agreed = values[0] == values[1]
    console.say("both find the same values" if agreed else "the values DIFFER")
    console.data({"rows": rows, "agreed": agreed})
    return exit_codes.PROVED if agreed and held else exit_codes.FAILED


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """The outcome and its CPU seconds; a problem that is solved again has its arcs and bounds laid out already."""
    began = time.process_time()
    outcome = work()
    return outcome, time.process_time() - began


TASK = gl.Task("cutting-stock-benchmark", "Bin packing by two trees over one formulation.", add_arguments, run)
