"""Files of edges."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_kernels import parse_edges

_CHUNK = 1 << 24

_FAULTS = {
    1: "expected two ids, or two ids and a weight",
    2: "an id must be a whole number from 0 on",
    3: "a weight must be a positive number",
    4: "either all lines have a weight or none",
}


def read_edges(path: Path) -> tuple[IntArray, FloatArray | None]:
    """Read edges (m, 2) and weights (m,) of a file, plain or .gz; see `Graph.read`."""
    edges, weights, columns, lines = [], [], 0, 0
    try:
        for text in _whole_lines(path):
            pairs, lengths, columns, line, fault = parse_edges(text, columns)
            lines += line
            if fault:
                shown = text.split(b"\n", line + 1)[line][:60].decode(errors="replace")
                raise InvalidProblem(f"{path}, line {lines + 1}: {_FAULTS[fault]}; got {shown!r}")
            edges.append(pairs)
            weights.append(lengths)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidProblem(f"{path} is truncated or damaged after line {lines}: {error}") from error
    if not columns:
        raise InvalidProblem(f"{path} holds no edge")
    together = [array for array in weights if array is not None]
    return np.concatenate(edges), np.concatenate(together) if columns == 3 else None


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the file in pieces of complete lines."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        rest = b""
        while piece := file.read(_CHUNK):
            head, newline, tail = piece.rpartition(b"\n")
            if newline:
                yield rest + head + newline
                rest = tail
            else:
                # No line ends in this piece.
                rest += piece
        if rest:
            yield rest
