"""``gapless run TASK``: options and outputs that all tasks share."""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gapless_kernels
from gapless.arrays.serial import write_aside
from gapless.cli.backends import add_backend_options, chosen_backend
from gapless.cli.console import Console, plain_data
from gapless.cli.outputs import add_overwrite_option, check_output, check_output_folder, is_page
from gapless.errors import InvalidProblem, UnknownOption
from gapless.plugins.registry import Task
from gapless.report import require_jinja, write_report
from gapless.runs import TABLES


def add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that a task has not defined itself."""
    if "--out" not in parser._option_string_actions:
        parser.add_argument("--out", metavar="DIR", help="keep the tables here, as data")
    parser.add_argument("--report", metavar="FILE", help="write one HTML page: tables, figures, answers")
    parser.add_argument(
        "--solve-again",
        action="store_true",
        help="with --report: solve the answers that are shown whole again, for events and pictures of the search",
    )
    if "--verbose" not in parser._option_string_actions:
        parser.add_argument(
            "--verbose", action="store_true", help="say more, such as how each epoch of a training went"
        )
    add_overwrite_option(parser)
    if "--jobs" in parser._option_string_actions:
        add_backend_options(parser)


def run_task(task: Task, parsed: argparse.Namespace, console: Console) -> int:
    """Run the task, store its tables in the folder of ``--out``, and write the page of ``--report``."""
    console.verbose = parsed.verbose
    if parsed.out:
        check_output_folder(parsed.out)
    if not parsed.report:
        if parsed.solve_again:
            raise UnknownOption("--solve-again is for the page of --report: give that too")
        return _run(task, parsed, console)
    check_output(parsed.report, is_page, overwrite=parsed.overwrite)
    require_jinja()  # before the work: a long run must not end with a page that cannot be written
    with contextlib.ExitStack() as stack:
        if not parsed.out:
            parsed.out = stack.enter_context(tempfile.TemporaryDirectory(prefix="gapless-run-"))
        code = _run(task, parsed, console)
        write_report(parsed.out, parsed.report, again={} if parsed.solve_again else None, progress=console.progress)
    console.info(f"wrote {parsed.report}")
    return code


def _run(task: Task, parsed: argparse.Namespace, console: Console) -> int:
    began = time.time()
    console.circumstances["instruction_set"] = gapless_kernels.INSTRUCTION_SET
    with made_folder(parsed.out) as folder:
        with chosen_backend(parsed, console):
            code = task.run(parsed, console)
        if console.tables:
            console.info(f"kernels: {gapless_kernels.INSTRUCTION_SET}")
        if folder is not None:
            _keep_tables(task, folder, console, began)
    return code


@contextlib.contextmanager
def made_folder(out: str | None) -> Iterator[Path | None]:
    """As `answers_folder`, but remove a new folder again if the command is refused and the folder is empty."""
    places = [Path(out), *Path(out).parents] if out else []
    made = [place for place in places if not place.exists()]
    folder = answers_folder(out)
    try:
        yield folder
    except BaseException:
        for place in made:
            with contextlib.suppress(OSError):
                place.rmdir()
        raise


def answers_folder(out: str | None) -> Path | None:
    """Return the folder of ``--out``, and make it if it is missing; None without the option.

    Raises `InvalidProblem`: it cannot be made.
    """
    if not out:
        return None
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidProblem(f"--out {folder}: cannot be used as a folder ({error.strerror})") from error
    return folder


def _keep_tables(task: Task, folder: Path, console: Console, began: float) -> None:
    document: dict[str, Any] = {
        "task": task.name,
        "arguments": sys.argv[1:],
        "version": importlib.metadata.version("gapless"),
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
        "instruction_set": gapless_kernels.INSTRUCTION_SET,
        "tables": [plain_data(table) for table in console.tables],
    }
    write_aside(folder / TABLES, json.dumps(document, indent=2, allow_nan=False, default=str) + "\n")
