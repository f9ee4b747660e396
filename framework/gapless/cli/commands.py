"""The built-in commands: plugins, methods, run, solve, verify, export."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import attrs

import gapless_kernels
from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.reading import read_problem
from gapless.cli.reporting import add_report_options, report_source
from gapless.cli.running import add_shared_options, run_task
from gapless.cli.solving import add_solve_options, solve_file
from gapless.cli.verifying import verify_records
from gapless.core.work import DEFAULT_WORK
from gapless.plugins.manager import Plugins
from gapless.runs.reading import record_files


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
    add_solve_options(solving)

    verifying = add("verify", "Re-check stored results without any solver.", verify_file)
    verifying.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a record (.json) or records (.jsonl), also .gz; a folder of .jsonl files; or a result with --problem",
    )
    verifying.add_argument("--problem", help="the problem, when FILE holds a bare result")
    verifying.add_argument("--time", type=float, metavar="S", help="seconds for each record; it fails as undecided")
    verifying.add_argument(
        "--work",
        type=float,
        metavar="STEPS",
        help=f"steps for each record, about a second for 1e9; it fails as undecided (default {DEFAULT_WORK:g})",
    )

    add_report_options(add("report", "Write one HTML page about an answer or a run.", report_source))

    exporting = add("export", "Write a problem as a CIP, LP or MPS model.", export_file)
    exporting.add_argument("file", help="problem as JSON, or a record")
    exporting.add_argument("--out", required=True, help="where to; the suffix (.cip .lp .mps) says the format")


def list_plugins(_: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """``gapless plugins``."""
    console.say(f"kernels: {gapless_kernels.INSTRUCTION_SET}")
    for line in plugins.hook.gapless_report_header():
        console.say(line)
    rows = [(p.name, p.distribution, p.version, ", ".join(p.hooks), p.error) for p in plugins.loaded]
    console.table("Plug-ins", ("name", "distribution", "version", "hooks", "error"), rows)
    keys = ("name", "distribution", "version", "hooks", "error")
    plugged = [dict(zip(keys, row, strict=True)) for row in rows]
    console.data({"kernels": gapless_kernels.INSTRUCTION_SET, "plugins": plugged})
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


def verify_file(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """``gapless verify FILE [FILE ...]``."""
    problem = read_problem(parsed.problem) if parsed.problem else None
    files = [file for path in parsed.files for file in record_files(path)]
    checked = failed = 0
    failures: list[dict[str, Any]] = []
    for file in files:
        count, found = verify_records(file, problem, console, parsed.time, parsed.work)
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

    write_model(read_problem(parsed.file), parsed.out)
    console.say(f"wrote {parsed.out}")
    console.data({"written": parsed.out})
    return exit_codes.PROVED
