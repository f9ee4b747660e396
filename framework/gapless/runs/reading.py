"""Records of a file, or of the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gapless.errors import InvalidProblem
from gapless.results.record import read_documents
from gapless.runs.answer_log import read_log
from gapless.runs.manifest import Manifest


def record_files(path: str | os.PathLike[str]) -> Sequence[Path]:
    """Return the file itself, or the record files of a folder: those in its manifest if it is a run.

    Raises `InvalidProblem`: the folder contains none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    run = Manifest.load(folder)
    if run is not None:
        written = [folder / name for name in run.records if (folder / name).exists()]
        if not written:
            raise InvalidProblem(f"{folder}: this run of {run.task} has no record yet")
        return written
    files = sorted(file for file in folder.iterdir() if file.name.endswith((".jsonl", ".jsonl.gz")))
    if not files:
        raise InvalidProblem(f"{folder}: this folder holds no .jsonl or .jsonl.gz file")
    return files


def record_documents(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the documents of a file; skip the torn end of a killed run's log."""
    # A log may lie one folder below its run.
    for folder in file.absolute().parents[:2]:
        run = Manifest.load(folder)
        if run is not None and str(file.absolute().relative_to(folder)) in run.records:
            return read_log(file)
    return read_documents(file)
