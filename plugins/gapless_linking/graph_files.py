"""A graph in one file of raw arrays, which can be mapped into memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.serial import write_aside

_MAGIC = b"gapless graph 1\n"
_ALIGN = 64
_HEADER_LIMIT = 4096
_TYPES = ("<i4", "<i8", "<f8")


def write_arrays(path: Path, fields: dict[str, Any]) -> None:
    """Write flat arrays, None, and tuples of strings, aside first.

    After a first line that names the format comes a line of JSON: for each field its type, and the place and the
    number of its entries. Then the arrays, little-endian, each from a multiple of 64 bytes on.
    """
    arrays, offset = [], _HEADER_LIMIT
    header: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None:
            header[name] = None
            continue
        text = isinstance(value, tuple)
        array = np.frombuffer(json.dumps(value).encode(), np.uint8) if text else value
        kind = "text" if text else array.dtype.newbyteorder("<").str
        header[name] = {"type": kind, "at": offset, "size": array.size}
        arrays.append((offset, array.astype(array.dtype.newbyteorder("<"), copy=False)))
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    line = json.dumps({"bytes": offset, "fields": header}).encode() + b"\n"

    def write(file: IO[bytes]) -> None:
        file.write((_MAGIC + line).ljust(_HEADER_LIMIT, b" "))
        for start, array in arrays:
            file.seek(start)
            file.write(array.data)
        file.truncate(offset)

    write_aside(path, write)


def read_arrays(path: Path, memory_map: bool) -> dict[str, Any]:
    """Read the arrays that `write_arrays` wrote."""
    with path.open("rb") as file:
        head = file.read(_HEADER_LIMIT)
        size = os.fstat(file.fileno()).st_size
    if not head.startswith(_MAGIC):
        raise InvalidProblem(f"{path} is no graph: it does not start with {_MAGIC.decode().strip()!r}")
    try:
        header = json.loads(head[len(_MAGIC) :])
        expected, fields = int(header["bytes"]), dict(header["fields"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidProblem(f"{path} is damaged: its header cannot be read") from error
    if size != expected:
        raise InvalidProblem(f"{path} is truncated or damaged: it has {size} bytes, expected {expected}")
    try:
        return {
            name: None if entry is None else _read(path, size, memory_map, **entry)
            for name, entry in fields.items()
        }
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidProblem(f"{path} is damaged: its header names arrays that cannot be") from error


def _read(path: Path, end: int, memory_map: bool, *, type: str, at: int, size: int) -> Any:
    """Read one field. Only numbers are read, because an array of objects would contain pointers."""
    # Only known types: numpy would accept arrays of objects, too.
    kind = np.dtype("u1" if type == "text" else _TYPES[_TYPES.index(type)])
    if size < 0 or at < _HEADER_LIMIT or at + size * kind.itemsize > end:
        raise ValueError(f"{size} entries from {at} on are not in the file")
    if type == "text":
        return tuple(json.loads(np.fromfile(path, kind, size, offset=at).tobytes()))
    if memory_map and size:
        return np.memmap(path, kind, "r", at, (size,))
    return np.fromfile(path, kind, size, offset=at)
