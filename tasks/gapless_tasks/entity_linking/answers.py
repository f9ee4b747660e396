"""Answers as files that ``gapless verify`` re-checks."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO

import attrs
import numpy as np

import gapless as gl
from gapless.core.serial import write_aside
from gapless_tasks.entity_linking.measuring import EXACT, Linked, Measured


def keep_answers(folder: Path, measured: Measured) -> Path:
    """Write every answer of `EXACT` to ``CORPUS.CONNECTION.jsonl.gz``; returns the file.

    A problem is written with the distances between its candidates and without its graph: vertices are numbered as
    in its `points`.
    """
    path = folder / f"{measured.corpus.name.replace(' ', '-')}.{measured.connection}.jsonl.gz"

    def write(file: IO[bytes]) -> None:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            for linked in measured.linked:
                if EXACT in linked.results:
                    packed.write(f"{gl.dumps(_record(linked))}\n".encode())

    write_aside(path, write)
    return path


def _record(linked: Linked) -> gl.Record:
    result, points = linked.results[EXACT], linked.problem.points
    solutions = tuple(gl.Solution(np.searchsorted(points, one.structure), one.value) for one in result.solutions)
    return gl.Record(
        linked.problem.without_graph(), attrs.evolve(result, solutions=solutions), linked.document.name
    )
