"""The built-in commands: plugins, methods, run, solve, verify, export."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import Any

import attrs

from gapless.cli import exit_codes
from gapless.cli.console import Console, in_one_line
from gapless.cli.running import add_shared_options, run_task
from gapless.cli.verifying import files_of, verify_records
from gapless.core.errors import InvalidProblem, SolveError, UnknownName
from gapless.core.limits import Limits, Stop
from gapless.core.problem import Problem
from gapless.core.record import Record, read_values
from gapless.core.result import Result, Status
from gapless.core.serial import require_folder
from gapless.plugins.manager import Plugins
from gapless.solving import solve


def add_commands(subparsers: Any, common: argparse.ArgumentParser, plugins: Plugins) -> None:
    """Add the built-in sub-commands."""

    def add(name: str, summary: str, run: Any) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = subparsers.add_parser(
            name, parents=[common], help=summary, description=summary
        )
        parser.set_defaults(run=lambda parsed, console: run(parsed, console, plugins))
        return parser

    add("plugins", "List plug-ins with versions and hooks.", list_plugins)
    add("methods", "List methods and their options, by problem type.", list_methods)

    tasks = plugins.registry.tasks
    run = subparsers.add_parser("run", help="Run a task.", description="Run a task: data in, table out.")
    names = run.add_subparsers(metavar="TASK", required=True, dest="task")
    for task in tasks.values():
        parser = names.add_parser(task.name, parents=[common], help=task.summary, description=task.summary)
        task.add_arguments(parser)
        add_shared_options(parser)
        parser.set_defaults(run=partial(run_task, task))

    solving = add("solve", "Solve a problem stored as JSON.", solve_file)
    solving.add_argument("file", help="problem as JSON, as gapless.dumps writes it; or a record")
    solving.add_argument("--method", help="by default the problem type's own")
    solving.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the method")
    solving.add_argument("-k", type=int, default=1, help="how many best structures")
    solving.add_argument("--time", type=float, help="seconds")
    solving.add_argument("--nodes", type=int, help="search nodes")
    solving.add_argument("--gap", type=float, default=0.0, help="stop at this relative gap")
    solving.add_argument("--iterations", type=int, help="rounds of pricing or multiplier steps")
    solving.add_argument("--target", type=float, help="stop at an answer at least this good")
    solving.add_argument("--start", metavar="FILE", help="a feasible structure as JSON, to begin with")
    solving.add_argument("--seed", type=int, default=0, help="for methods that draw random numbers")
    solving.add_argument("--out", help="store problem and result here, for `gapless verify`")

    verifying = add("verify", "Re-check stored results without any solver.", verify_file)
    verifying.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a record (.json) or records (.jsonl), also .gz; a folder of .jsonl files; or a result with --problem",
    )
    verifying.add_argument("--problem", help="the problem, when FILE holds a bare result")
    verifying.add_argument("--time", type=float, metavar="S", help="seconds for each record; it fails as undecided")

    exporting = add("export", "Write a problem as a CIP, LP or MPS model.", export_file)
    exporting.add_argument("file", help="problem as JSON, or a record")
    exporting.add_argument("--out", required=True, help="where to; the suffix (.cip .lp .mps) says the format")


def list_plugins(_: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """``gapless plugins``."""
    for line in plugins.hook.gapless_report_header():
        console.say(line)
    rows = [(p.name, p.distribution, p.version, ", ".join(p.hooks), p.error) for p in plugins.loaded]
    console.table("Plug-ins", ("name", "distribution", "version", "hooks", "error"), rows)
    keys = ("name", "distribution", "version", "hooks", "error")
    console.data({"plugins": [dict(zip(keys, row, strict=True)) for row in rows]})
    return exit_codes.FAILED if any(p.error for p in plugins.loaded) else exit_codes.PROVED


def list_methods(_: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """``gapless methods``."""
    registry = plugins.registry
    described: list[dict[str, Any]] = []
    for name, cls in sorted(registry.problems.items()):
        for method in registry.methods_for(cls).values():
            described.append(
                {
                    "problem": name,
                    "method": method.name,
                    "default": method.default,
                    "exact": method.exact,
                    "k_best": method.k_best,
                    "options": {k: repr(v) for k, v in method.options.items()},
                    "summary": method.summary,
                }
            )
    console.table(
        "Methods",
        ("problem", "method", "exact", "options", "summary"),
        [
            (
                m["problem"],
                f"{m['method']}{' (default)' if m['default'] else ''}",
                "yes" if m["exact"] else "no",
                ", ".join(f"{k}={v}" for k, v in m["options"].items()),
                m["summary"],
            )
            for m in described
        ],
    )
    console.data({"methods": described, "tasks": {t.name: t.summary for t in registry.tasks.values()}})
    return exit_codes.PROVED


def solve_file(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """``gapless solve FILE``."""
    problem = _read_problem(parsed.file)
    limits = Limits(parsed.time, parsed.nodes, parsed.gap, parsed.iterations, parsed.target)
    if parsed.out:
        require_folder(parsed.out)  # now: a long solve must not end in a path that cannot be written
    options = dict(_option(text) for text in parsed.option)
    start = next(read_values(parsed.start)) if parsed.start else None
    try:
        result: Result[Any] = solve(
            problem, parsed.method, limits=limits, k=parsed.k, start=start, seed=parsed.seed, **options
        )
    except SolveError as error:
        if error.result is not None:
            _report(error.result, console)
        raise
    if parsed.out:
        Record(problem, result).save(parsed.out)
    _report(result, console)
    if result.status is Status.INFEASIBLE:
        return exit_codes.INFEASIBLE
    if result.stop is Stop.INTERRUPTED:
        return exit_codes.INTERRUPTED
    return exit_codes.PROVED if result.proved else exit_codes.STOPPED_EARLY


def _report(result: Result[Any], console: Console) -> None:
    console.say(f"{result.status.value}, stopped by {result.stop.value}, method {result.method}")
    for number, solution in enumerate(result.solutions, 1):
        console.say(f"{number}. value {solution.value:.12g}: {in_one_line(solution.structure)}")
    console.say(f"bound {result.bound:.12g}, gap {result.gap:.3g}, {result.stats.seconds:.3g} s")
    for line in result.explanation:
        console.say(f"note: {line}")
    console.data(
        {
            "status": result.status.value,
            "stop": result.stop.value,
            "method": result.method,
            "solutions": [{"value": s.value, "structure": s.structure} for s in result.solutions],
            "bound": result.bound,
            "gap": result.gap,
            "seconds": result.stats.seconds,
            "explanation": list(result.explanation),
        }
    )


def verify_file(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """``gapless verify FILE [FILE ...]``."""
    problem = _read_problem(parsed.problem) if parsed.problem else None
    files = [file for path in parsed.files for file in files_of(path)]
    checked = failed = 0
    failures: list[dict[str, Any]] = []
    for file in files:
        count, found = verify_records(file, problem, console, parsed.time)
        wrong = len(found) if count else 0
        console.say(f"{f'{file}: ' if len(files) > 1 else ''}{count - wrong} of {count} verified")
        checked, failed = checked + count, failed + wrong
        failures += [
            {**({"file": str(file)} if len(files) > 1 else {}), **attrs.asdict(failure)} for failure in found
        ]
    if len(files) > 1:
        console.say(f"{checked - failed} of {checked} verified in {len(files)} files")
    console.data({"checked": checked, "verified": checked - failed, "failures": failures})
    return exit_codes.FAILED if failures else exit_codes.PROVED


def export_file(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """``gapless export FILE --out MODEL``."""
    from gapless.scip import write_model  # noqa: PLC0415  loads SCIP: only when asked for

    write_model(_read_problem(parsed.file), parsed.out)
    console.say(f"wrote {parsed.out}")
    console.data({"written": parsed.out})
    return exit_codes.PROVED


def _read_problem(path: str) -> Problem[Any]:
    values = list(read_values(path))
    if len(values) != 1:
        raise InvalidProblem(f"{path}: expected one problem, found {len(values)} values")
    problem = values[0].problem if isinstance(values[0], Record) else values[0]
    if not isinstance(problem, Problem):
        raise InvalidProblem(f"{path}: expected a problem, found a {type(problem).__name__}")
    return problem


# What `gapless methods` prints for these defaults, in JSON.
_AS_PRINTED = {"True": "true", "False": "false", "None": "null"}


def _option(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise UnknownName(f"--option {text!r}: expected NAME=VALUE")
    value = _AS_PRINTED.get(value, value)
    try:
        return name.replace("-", "_"), json.loads(value)
    except ValueError:
        return name.replace("-", "_"), value
