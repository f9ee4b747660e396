"""A task of a plug-in: ``gapless run vehicle-routing-benchmark`` times both trees on the same instances."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.roles import Task
from gapless_vehicle_routing.files import instance_files, read_instance
from gapless_vehicle_routing.instances import random_instance
from gapless_vehicle_routing.problem import Plan, VehicleRoutingProblem

SIZES = (16, 20)
METHODS = {"branch-price-and-cut": "own tree", "scip": "SCIP's tree"}

Named = Sequence[tuple[str, VehicleRoutingProblem]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the task."""
    parser.add_argument("--seeds", type=int, default=3, help="instances of each size and kind (default 3)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="customers (default 16 and 20)")
    parser.add_argument(
        "--data",
        nargs="+",
        metavar="PATH",
        help="files of CVRPLIB (.vrp) or Solomon (.txt), or folders of them; needs vrplib",
    )
    parser.add_argument("--customers", type=int, metavar="N", help="only the first N customers of Solomon's files")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="by default both")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="limit for each instance and method")


@attrs.frozen
class Solved:
    """One instance by one method.

    Parameters
    ----------
    result : Result
    seconds : float
        CPU time from the arrays to the answer, certificate included.
    verified : bool or None
        Whether the certificate holds; None without one.
    verify_seconds : float
        CPU time of the verification.
    """

    result: gl.Result[Plan]
    seconds: float
    verified: bool | None
    verify_seconds: float

    @property
    def distance(self) -> str:
        """The answer in one word."""
        if self.result.status is gl.Status.INFEASIBLE:
            return "no plan"
        if not self.result.solutions:
            return f"at least {self.result.bound:g}"
        value, bound = self.result.value, self.result.bound
        return f"{value:g}" if self.result.proved else f"{bound:g} to {value:g}"


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Solve every instance by each method, compare the values, verify the certificates, print the times."""
    files = instance_files(arguments.data) if arguments.data else []
    named = [(path.stem, read_instance(path, customers=arguments.customers)) for path in files] or _drawn(arguments)
    limits = gl.Limits(time=arguments.time)
    solved: dict[str, list[Solved]] = {method: [] for method in arguments.methods}
    with console.progress("solving", len(named) * len(solved)) as advance:
        for _, problem in named:
            for method, answers in solved.items():
                answers.append(_solved(problem, method, limits))
                advance(1)
            if any(answers[-1].result.stop is gl.Stop.INTERRUPTED for answers in solved.values()):
                break
    named = named[: min(map(len, solved.values()))]
    rows = _tables(console, named, solved)
    return _verdict(console, named, solved, rows)


def _drawn(arguments: argparse.Namespace) -> list[tuple[str, VehicleRoutingProblem]]:
    return [
        (
            f"{size} customers{', windows' if windows else ''}, seed {seed}",
            random_instance(seed, size, windows=windows),
        )
        for size in arguments.sizes
        for windows in (False, True)
        for seed in range(arguments.seeds)
    ]


def _solved(problem: VehicleRoutingProblem, method: str, limits: gl.Limits) -> Solved:
    began = time.process_time()
    result = gl.solve(attrs.evolve(problem), method, limits=limits)
    middle = time.process_time()
    holds = bool(result.verify(problem)) if result.certified else None
    return Solved(result, middle - began, holds, time.process_time() - middle)


def _tables(console: Console, named: Named, solved: dict[str, list[Solved]]) -> list[tuple[Any, ...]]:
    """One row for each instance, and one for each method."""
    rows = []
    for number, (name, problem) in enumerate(named):
        answers = [answers[number] for answers in solved.values()]
        shown = " / ".join(dict.fromkeys(answer.distance for answer in answers))
        times = [f"{answer.seconds:.2f}" for answer in answers]
        nodes = " / ".join(str(answer.result.stats.nodes) for answer in answers)
        rows.append((name, len(problem.customers), shown, nodes, *times))
    trees = [f"{METHODS[method]}, CPU s" for method in solved]
    console.table("Instances", ("instance", "customers", "distance", "nodes", *trees), rows)
    summary: list[tuple[Any, ...]] = []
    for method, answers in solved.items():
        seconds = [answer.seconds for answer in answers] or [0.0]
        summary.append(
            (
                f"{METHODS[method]} ({method})",
                sum(answer.result.proved for answer in answers),
                sum(bool(answer.verified) for answer in answers),
                round(statistics.median(seconds), 2),
                round(max(seconds), 2),
                round(statistics.median([answer.verify_seconds for answer in answers] or [0.0]), 2),
            )
        )
    columns = (
        "method",
        "proved",
        "certificates verified",
        "from arrays, median CPU s",
        "from arrays, slowest CPU s",
        "verification, median CPU s",
    )
    console.table(f"Vehicle routing, {len(named)} instances", columns, summary)
    return summary


def _verdict(
    console: Console, named: Named, solved: dict[str, list[Solved]], rows: Sequence[tuple[Any, ...]]
) -> int:
    """Compare the methods' results so far, and report the comparison."""
    differ = [name for number, (name, _) in enumerate(named) if _differ([a[number] for a in solved.values()])]
    answers = [answer for method in solved.values() for answer in method]
    false = sum(answer.verified is False for answer in answers)
    unproved = sum(not answer.result.proved for answer in answers)
    console.info(f"the values DIFFER: {', '.join(differ)}" if differ else "no answer contradicts another")
    if false:
        console.info(f"{false} certificates do NOT verify")
    if unproved:
        console.info(f"{unproved} solves ended before their proof")
    instances = [
        {
            "name": name,
            "customers": len(problem.customers),
            **{method: _written(answers[number]) for method, answers in solved.items()},
        }
        for number, (name, problem) in enumerate(named)
    ]
    console.data({"instances": instances, "rows": rows, "agreed": not differ})
    if any(answer.result.stop is gl.Stop.INTERRUPTED for answer in answers):
        return exit_codes.INTERRUPTED
    if differ or false:
        return exit_codes.FAILED
    return exit_codes.STOPPED_EARLY if unproved else exit_codes.PROVED


def _written(answer: Solved) -> dict[str, Any]:
    return {
        "distance": answer.result.value if answer.result.solutions else None,
        "bound": answer.result.bound,
        "status": answer.result.status.name,
        "verified": answer.verified,
        "nodes": answer.result.stats.nodes,
        "seconds": answer.seconds,
        "verify_seconds": answer.verify_seconds,
    }


def _differ(answers: Sequence[Solved]) -> bool:
    """Whether a plan of one method is better than another method's bound."""
    best = min((answer.result.value for answer in answers if answer.result.solutions), default=float("inf"))
    return any(best < answer.result.bound - 1e-6 for answer in answers)


TASK = Task(
    "vehicle-routing-benchmark",
    "Vehicle routing by two trees over one formulation.",
    add_arguments,
    run,
    benchmark=True,
)
