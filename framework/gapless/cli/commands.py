"""Table of the built-in commands, each of which is imported when it is named."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from gapless.cli.parser import Parser
from gapless.plugins.manager import Plugins
from gapless.plugins.reference import import_reference
from gapless.plugins.registry import Task

COMMANDS = (
    ("plugins", "List plug-ins with versions and hooks.", "", "listing:list_plugins"),
    ("methods", "List methods and their options, by problem type.", "", "listing:list_methods"),
    ("run", "Run a task.", "", ""),
    ("solve", "Solve a problem stored as JSON.", "solving:add_options", "solving:run"),
    ("verify", "Re-check stored results without any solver.", "verifying:add_options", "verifying:run"),
    ("report", "Write one HTML page about an answer or a run.", "reporting:add_options", "reporting:run"),
    ("export", "Write a problem as a CIP, LP or MPS model.", "exporting:add_options", "exporting:run"),
    ("completion", "Print the completions of a shell.", "completion:add_options", "completion:run"),
)
"""Name, summary, function that adds the options, and function that runs the command, in modules of this package."""


def add_commands(subparsers: Any, plugins: Plugins) -> None:
    """Add the built-in subcommands."""
    for name, summary, fill, run in COMMANDS:
        if name == "run":
            tasks = partial(add_tasks, plugins=plugins)
            subparsers.add_parser(name, help=summary, description="Run a task: data in, table out.", fill=tasks)
            continue
        filling = f"gapless.cli.{fill}" if fill else None
        parser = subparsers.add_parser(name, help=summary, description=summary, fill=filling)
        parser.set_defaults(run=partial(_run, f"gapless.cli.{run}", plugins))


def _run(reference: str, plugins: Plugins, parsed: argparse.Namespace, console: Any) -> int:
    code: int = import_reference(reference)(parsed, console, plugins)
    return code


def add_tasks(parser: Parser, plugins: Plugins) -> None:
    """Add the tasks of all plug-ins to ``gapless run``; its help lists the jobs, and below them the benchmarks."""
    names: Any = parser.add_subparsers(metavar="TASK", required=True, dest="task", title="jobs")
    tasks = plugins.registry.tasks.values()
    for task in sorted(tasks, key=lambda task: task.benchmark):
        names.add_parser(task.name, help=task.summary, description=task.summary, fill=partial(add_task, task))
    parser.list_apart("benchmarks", names, {task.name for task in tasks if task.benchmark})


def add_task(task: Task, parser: argparse.ArgumentParser) -> None:
    """Add the options of one task, and the options of all tasks."""
    from gapless.cli.running import add_shared_options, run_task  # noqa: PLC0415  for the task that is named

    task.add_arguments(parser)
    add_shared_options(parser)
    parser.set_defaults(run=partial(run_task, task))
