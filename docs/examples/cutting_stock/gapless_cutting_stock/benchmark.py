"""A task of a plug-in: ``gapless run cutting-stock-benchmark`` times both trees on the same instances."""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.roles import Task
from gapless_cutting_stock.bpplib import bpplib_files, read_bpplib
from gapless_cutting_stock.instances import gilmore_gomory, uniform_bin_packing
from gapless_cutting_stock.problem import CuttingStockProblem, Plan

SIZES = (50, 60, 80, 100, 120)
METHODS = {"branch-and-price": "own tree", "scip": "SCIP's tree"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the task."""
    parser.add_argument("--seeds", type=int, default=5, help="instances of each size (default 5)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="items to pack (default 50 to 120)")
    parser.add_argument(
        "--data",
        nargs="+",
        metavar="PATH",
        help="BPPLIB files, or folders with .txt files of that format, instead of drawn instances",
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th of these files only")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="limit for each instance and method")


@attrs.frozen
class Solved:
    """One instance by one method.

    Parameters
    ----------
    result : Result
    seconds : float
        CPU time from the item sizes to the answer, including the construction of the problem.
    again : float
        CPU time of a second solve of the same problem.
    verified : bool or None
        Whether the certificate holds; None without one.
    """

    result: gl.Result[Plan]
    seconds: float
    again: float
    verified: bool | None

    @property
    def rolls(self) -> str:
        """The answer in one word."""
        if self.result.status is gl.Status.INFEASIBLE:
            return "none fits"
        if not self.result.solutions:
            return f"at least {self.result.bound:g}"
        value, bound = self.result.value, self.result.bound
        return f"{value:g}" if self.result.proved else f"{bound:g} to {value:g}"


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Solve every instance by both methods, compare the values, verify the certificates, print the times."""
    if arguments.every < 1:
        raise gl.InvalidProblem(f"--every is {arguments.every}, it must be at least 1")
    files = bpplib_files(arguments.data)[:: arguments.every] if arguments.data else []
    named = [(path.stem, read_bpplib(path)) for path in files] or _drawn(arguments)
    limits = gl.Limits(time=arguments.time)
    solved: dict[str, list[Solved]] = {method: [] for method in METHODS}
    with console.progress("solving", len(named) * len(METHODS)) as advance:
        for _, problem in named:
            for method, answers in solved.items():
                answers.append(_solved(problem, method, limits))
                advance(1)
            if any(answers[-1].result.stop is gl.Stop.INTERRUPTED for answers in solved.values()):
                break
    named = named[: min(map(len, solved.values()))]
    if files:
        _table_of_files(console, named, solved)
    rows = _table_of_methods(console, named, solved, files)
    return _verdict(console, named, solved, rows)


def _drawn(arguments: argparse.Namespace) -> list[tuple[str, CuttingStockProblem]]:
    drawn = [(size, seed) for size in arguments.sizes for seed in range(arguments.seeds)]
    named = [(f"{size} items, seed {seed}", uniform_bin_packing(size, seed)) for size, seed in drawn]
    return [*named, ("Gilmore and Gomory", gilmore_gomory())]


def _solved(problem: CuttingStockProblem, method: str, limits: gl.Limits) -> Solved:
    began = time.process_time()
    fresh = attrs.evolve(problem)
    result = gl.solve(fresh, method, limits=limits)
    middle = time.process_time()
    if result.proved:  # after a limit, a second solve would take as long
        gl.solve(fresh, method, limits=limits)
    seconds, again = middle - began, time.process_time() - middle
    verified = bool(result.verify(problem, work=math.inf)) if result.certified else None
    return Solved(result, seconds, again, verified)


def _table_of_files(
    console: Console, named: Sequence[tuple[str, CuttingStockProblem]], solved: dict[str, list[Solved]]
) -> None:
    rows = []
    for number, (name, problem) in enumerate(named):
        answers = [answers[number] for answers in solved.values()]
        times = [f"{1000 * answer.seconds:.0f}" for answer in answers]
        rolls = list(dict.fromkeys(answer.rolls for answer in answers))
        shown = " / ".join(rolls)
        rows.append((name, sum(problem.demands), len(problem.sizes), problem.width, shown, *times))
    columns = ("instance", "items", "types", "capacity", "rolls", *(f"{tree}, ms" for tree in METHODS.values()))
    console.table("Instances", columns, rows)


def _table_of_methods(
    console: Console,
    named: Sequence[tuple[str, CuttingStockProblem]],
    solved: dict[str, list[Solved]],
    files: Sequence[Path],
) -> list[tuple[Any, ...]]:
    """One row per method; Gilmore and Gomory's instance, the last one, has a separate column."""
    rows: list[tuple[Any, ...]] = []
    for method, tree in METHODS.items():
        answers = solved[method][: len(named)]
        timed = answers if files else answers[:-1] or answers
        whole = [1000 * answer.seconds for answer in timed]
        again = [1000 * answer.again for answer in timed if answer.result.proved]
        row = (
            f"{tree} ({method})",
            sum(answer.result.proved for answer in answers),
            sum(bool(answer.verified) for answer in answers),
            round(statistics.median(whole)) if whole else 0,
            round(statistics.median(again)) if again else 0,
            round(max(whole, default=0.0)),
        )
        rows.append(row if files else (*row, round(1000 * answers[-1].seconds) if answers else 0))
    columns = (
        "method",
        "proved",
        "certificates verified",
        "from arrays, median ms",
        "search alone, median ms",
        "from arrays, slowest ms",
    )
    if files:
        console.table(f"{len(named)} instances: CPU time", columns, rows)
        return rows
    console.table(
        f"Bin packing, {len(named) - 1} instances, and Gilmore and Gomory's cutting stock: CPU time",
        (*columns, "Gilmore and Gomory, from arrays, ms"),
        rows,
    )
    return rows


def _verdict(
    console: Console,
    named: Sequence[tuple[str, CuttingStockProblem]],
    solved: dict[str, list[Solved]],
    rows: Sequence[tuple[Any, ...]],
) -> int:
    """Compare the methods' results so far, and report the comparison."""
    differ = [
        name for number, (name, _) in enumerate(named) if _differ([a[number].result for a in solved.values()])
    ]
    answers = [answer for method in solved.values() for answer in method]
    false = sum(answer.verified is False for answer in answers)
    unproved = sum(not answer.result.proved for answer in answers)
    agree = "both find the same values" if not unproved else "no answer contradicts another"
    console.info(f"the values DIFFER: {', '.join(differ)}" if differ else agree)
    if false:
        console.info(f"{false} certificates do NOT verify")
    if unproved:
        console.info(f"{unproved} solves ended before their proof")
    console.data(
        {
            "instances": [
                {
                    "name": name,
                    "width": problem.width,
                    "items": sum(problem.demands),
                    "types": len(problem.sizes),
                    **{
                        method: {
                            "rolls": answers[number].result.value if answers[number].result.solutions else None,
                            "bound": answers[number].result.bound,
                            "status": answers[number].result.status.name,
                            "verified": answers[number].verified,
                            "seconds": answers[number].seconds,
                        }
                        for method, answers in solved.items()
                    },
                }
                for number, (name, problem) in enumerate(named)
            ],
            "rows": rows,
            "agreed": not differ,
        }
    )
    if any(answer.result.stop is gl.Stop.INTERRUPTED for answer in answers):
        return exit_codes.INTERRUPTED
    if differ or false:
        return exit_codes.FAILED
    return exit_codes.STOPPED_EARLY if unproved else exit_codes.PROVED


def _differ(results: Sequence[gl.Result[Plan]]) -> bool:
    """Whether a plan of one method is better than another method's bound, or one of two proofs is false."""
    best = min((result.value for result in results if result.solutions), default=float("inf"))
    return any(best < result.bound for result in results)


TASK = Task(
    "cutting-stock-benchmark", "Bin packing by two trees over one formulation.", add_arguments, run, benchmark=True
)
