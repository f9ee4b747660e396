"""Answers as files that ``gapless verify`` re-checks."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import gapless as gl
from gapless.core.serial import write_aside
from gapless_tasks.title_generation.graph import TitleGraph
from gapless_tasks.title_generation.measuring import Decoded

_QUICK = 1
"""Compression level: a graph of 500 words is 6 MB of digits."""


def keep_answers(folder: Path, decoded: Decoded, graphs: Sequence[TitleGraph]) -> Path:
    """Write every answer of a decoder that has a certificate to ``METHOD.jsonl.gz``; returns the file."""
    path = folder / f"{decoded.decoder.method}.jsonl.gz"

    def write(file: IO[bytes]) -> None:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=_QUICK, fileobj=file, mtime=0) as packed:
            for i, result in decoded.certified.items():
                record = gl.Record(graphs[i].problem, result, graphs[i].section.name)
                packed.write(f"{gl.dumps(record)}\n".encode())

    write_aside(path, write)
    return path
