"""Checks of output files: without ``--overwrite`` no command replaces its input, or files that it did not write.

Decision 064 explains the rules.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from gapless.arrays.serial import require_folder
from gapless.cli.documents import STDIN
from gapless.errors import InvalidProblem
from gapless.runs import MANIFEST, TABLES

WrittenHere = Callable[[Path], bool]
"""Test whether the file may be an earlier output of the same command."""

_HEAD = 1 << 16
"""Number of bytes at the beginning of a file that must contain its mark."""
_ADVICE = "give another name, or --overwrite to replace it"


def begins_with(*marks: str) -> WrittenHere:
    """Recognise a text file by one of several marks near its beginning."""

    def is_marked(path: Path) -> bool:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
        return any(mark.encode() in head for mark in marks)

    return is_marked


is_record = begins_with('{"type": "gapless.Record"')
is_page = begins_with(" · gapless</title>")
is_model = begins_with("Problem name     : gapless\n")
"""SCIP's line for the model name that `gapless.scip.export` uses."""
_is_run = begins_with('{\n  "format": 1,\n  "task": "', '{\n  "task": "')
"""Files that identify the folder of a run: its manifest, or the tables of a run that stores nothing else."""


def add_overwrite_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--overwrite``, unless the command has defined it."""
    if "--overwrite" not in parser._option_string_actions:
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="replace what --out or --report names, also the run stored in a folder",
        )


def check_output(
    path: str | os.PathLike[str],
    is_written_here: WrittenHere,
    *,
    overwrite: bool,
    reads: Iterable[str | os.PathLike[str] | None] = (),
) -> None:
    """Refuse an output file that would replace an input, or a file of unknown origin.

    Call it before the work, which may take hours. An empty file, as `mktemp` makes, may be replaced.

    Parameters
    ----------
    path : path
        Not ``-``.
    is_written_here : callable
        Recognises earlier outputs of the same command.
    overwrite : bool
        If True, accept every regular file.
    reads : iterable of path or None
        The input files; ``-`` is standard input. Links to the same file count.

    Raises
    ------
    FileNotFoundError
        The folder of `path` is missing.
    InvalidProblem
        `path` is a folder or a device, or the file must not be replaced; the message says why.
    """
    require_folder(path)
    target = Path(path)
    if not target.exists():
        return
    if not target.is_file():
        kind = "a folder" if target.is_dir() else "no regular file"
        raise InvalidProblem(f"{target}: is {kind}; give the name of a file")
    found = target.stat()
    if overwrite or not found.st_size:
        return
    if any((state := _state(source)) is not None and os.path.samestat(state, found) for source in reads):
        raise InvalidProblem(f"{target}: this command reads that file; {_ADVICE}")
    if not is_written_here(target):
        raise InvalidProblem(f"{target}: exists, and this command did not write it; {_ADVICE}")


def check_output_folder(
    path: str | os.PathLike[str], *, reads: Iterable[str | os.PathLike[str] | None] = ()
) -> None:
    """Refuse the folder of a run if it holds files, but no run; `reads` as for `check_output`.

    Such a folder is refused with ``--overwrite`` too, which discards a run and nothing else.

    Raises
    ------
    InvalidProblem
        An input lies in the folder, or would be taken for one of the run's files; or the folder holds files of
        unknown origin.
    """
    folder = Path(path)
    for source in reads:
        if source is not None and os.fspath(source) != STDIN and folder.resolve() in Path(source).resolve().parents:
            raise InvalidProblem(
                f"{source}: lies in {folder}, the folder that the run writes to; move it, or give another folder"
            )
    if not folder.is_dir():
        return
    names = sorted(entry.name for entry in folder.iterdir())
    if names and not any(_is_run(folder / name) for name in (MANIFEST, TABLES) if (folder / name).is_file()):
        raise InvalidProblem(
            f"{folder}: holds files that no run of gapless wrote, such as {names[0]}; give a new or an empty folder"
        )


def _state(source: str | os.PathLike[str] | None) -> os.stat_result | None:
    """Identify the file of a path, following links; None if there is none."""
    with contextlib.suppress(OSError, ValueError):  # standard input may be no file, as in tests
        if source is not None:
            return os.fstat(sys.stdin.fileno()) if os.fspath(source) == STDIN else os.stat(source)
    return None
