"""Options that tasks and benchmarks share: numbers, seconds, corpora, processes, and the folder of a run."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.cli import Console, exit_codes
from gapless.cli.console import plain_data
from gapless.cli.outputs import add_overwrite_option
from gapless.cli.running import made_folder
from gapless.runs import SUMMARY, RunFolder
from gapless_models.corpora.places import named_folder

T = TypeVar("T", int, float)


def _number(kind: type[T], holds: Callable[[T], bool], what: str) -> Callable[[str], T]:
    """Build an argparse converter for numbers that fulfil a condition."""

    def read(text: str) -> T:
        with contextlib.suppress(ValueError):
            if holds(number := kind(text)):
                return number
        raise argparse.ArgumentTypeError(f"{text} is not a {what}")

    return read


positive = _number(int, lambda number: number >= 1, "positive whole number")
not_negative = _number(int, lambda number: number >= 0, "whole number from 0 on")
positive_seconds = _number(float, lambda seconds: 0 < seconds < float("inf"), "positive number of seconds")


def add_number(
    parser: argparse.ArgumentParser,
    name: str,
    help: str,
    default: float | None = None,
    *,
    metavar: str | None = "N",
    kind: Callable[[str], float] = positive,
) -> None:
    """Add an option that takes a number; its help states the default."""
    text = help if default is None else f"{help} (default {default:g})"
    parser.add_argument(name, type=kind, metavar=metavar, default=default, help=text)


def add_time_limit(
    parser: argparse.ArgumentParser, each: str, default: float | None, name: str = "--limit-seconds"
) -> None:
    """Add a limit in seconds for each of something."""
    add_number(parser, name, each, default, metavar="S", kind=positive_seconds)


def add_method_option(parser: argparse.ArgumentParser, methods: Sequence[str]) -> None:
    """Add ``--method``, which may be repeated."""
    parser.add_argument("--method", action="append", help=f"default: {', '.join(methods)}; may be repeated")


def add_data_option(parser: argparse.ArgumentParser, folder: str | Path, otherwise: str) -> None:
    """Add ``--data``; by default the folder that GAPLESS_DATA names, if the task's folder is in it.

    Parameters
    ----------
    folder : str or Path
        The task's part of the folder of corpora, such as ``tagging/wsj_pos``.
    otherwise : str
        The input without a folder of corpora: "embedded documents".
    """
    named = named_folder()
    parser.add_argument(
        "--data",
        metavar="DIR",
        type=lambda given: given or None,
        default=named if named is not None and (Path(named) / folder).is_dir() else None,
        help=f"folder of corpora; uses DIR/{folder} (default: GAPLESS_DATA, if that holds it, else "
        f"{otherwise}; '' for those)",
    )


def check_jobs(jobs: int) -> None:
    """Raise `MissingDependency` for several processes without joblib."""
    if jobs > 1 and find_spec("joblib") is None:
        raise gl.MissingDependency("--jobs needs joblib: pip install 'gapless[distributed]'")


def add_run_options(parser: argparse.ArgumentParser, keeps: str, jobs: str = "processes for decoding") -> None:
    """Add ``--jobs``, ``--out`` and ``--overwrite``.

    Parameters
    ----------
    keeps : str
        The contents of ``--out``, for its help.
    jobs : str
        The unit of ``--jobs``, for its help.
    """
    add_number(parser, "--jobs", jobs, 1)
    parser.add_argument(
        "--out", metavar="DIR", help=f"keep {keeps}; the same command goes on there after it was killed"
    )
    add_overwrite_option(parser)


def run_in_folder(
    task: str, arguments: argparse.Namespace, answer_options: Sequence[str], job: Callable[[RunFolder | None], int]
) -> int:
    """Run the job in the folder of ``--out``, if there is one, and record its end.

    Parameters
    ----------
    arguments : Namespace
        With the options of `add_run_options`.
    answer_options : sequence of str
        Options that change answers: a run continues under the same values only.
    job : callable
        ``job(folder) -> exit code``.

    Raises
    ------
    InvalidProblem
        The folder cannot be used; it holds another run.
    MissingDependency
        joblib, for ``--jobs``, is not installed.
    """
    check_jobs(arguments.jobs)
    if not arguments.out:
        return job(None)
    settings = {name.replace("_", "-"): getattr(arguments, name, None) for name in answer_options}
    path = Path(arguments.out)
    with made_folder(arguments.out), RunFolder(path, task, settings, overwrite=arguments.overwrite) as folder:
        try:
            code = job(folder)
        except KeyboardInterrupt:  # one that the job has not turned into an answer, such as while it trained
            _mark_interrupted(folder, task)
            raise
        folder.interrupted = code == exit_codes.INTERRUPTED
    return code


def finish(
    document: dict[str, Any],
    console: Console,
    out: RunFolder | None,
    *,
    interrupted: bool,
    wrong: Sequence[str] = (),
    failed: bool = False,
    proved: bool = True,
) -> int:
    """Complain about mistakes, print the run's document as JSON, and keep it as the summary of its folder.

    Returns
    -------
    int
        The exit code.
    """
    for what in wrong:
        console.error(what)
    document["interrupted"] = interrupted
    console.data(document)
    if out is not None:
        write_aside(out.path / SUMMARY, json.dumps(plain_data(document), indent=2) + "\n")
    if interrupted:
        return exit_codes.INTERRUPTED
    if wrong or failed:
        return exit_codes.FAILED
    return exit_codes.PROVED if proved else exit_codes.STOPPED_EARLY


def keep_drawing(out: RunFolder | None, name: str, draw: Callable[[], str], console: Console) -> None:
    """Draw into the folder of a run, if there is one."""
    if out is not None:
        write_aside(out.path / name, draw())
        console.info(f"drawn: {out.path / name}")


def _mark_interrupted(folder: RunFolder, task: str) -> None:
    """Mark the summary of an earlier start, or an otherwise empty one, as interrupted."""
    if not folder.begun:
        return
    path = folder.path / SUMMARY
    document: dict[str, Any] = {"task": task}
    with contextlib.suppress(OSError, RecursionError, ValueError):
        document = json.loads(path.read_text("utf-8"))
    write_aside(path, json.dumps({**document, "interrupted": True}, indent=2) + "\n")
