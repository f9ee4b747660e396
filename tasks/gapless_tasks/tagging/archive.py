"""Lists of strings and arrays in one npz file, without pickling."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.core.serial import write_aside

Array = NDArray[Any]

_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError),
    *(KeyError, ValueError, TypeError, AttributeError),
)
"""What numpy and zipfile raise on bytes that are cut, altered, or not an archive of arrays."""


def write_archive(path: Path, texts: Mapping[str, Sequence[str]], arrays: Mapping[str, Array]) -> None:
    """Write lists of strings and arrays to `path`: written aside, then renamed.

    A list is stored as its joined UTF-8 bytes and the lengths of the strings in characters.
    """
    contents: dict[str, Array] = dict(arrays)
    for name, strings in texts.items():
        joined = "".join(strings).encode("utf-8", "surrogatepass")
        contents[f"{name}.text"] = np.frombuffer(joined, dtype=np.uint8)
        contents[f"{name}.lengths"] = np.array([len(s) for s in strings], dtype=np.int64)
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **contents)
    write_aside(path, packed.getvalue())


def read_archive(
    path: Path, texts: Sequence[str], arrays: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, Array]]:
    """Read the named lists and arrays that :func:`write_archive` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged or holds other things.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: no such file; save a tagger there first") from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            return {name: _strings(stored, name) for name in texts}, {name: stored[name] for name in arrays}
    except _DAMAGE as error:
        raise ValueError(f"{path}: damaged, or not a file that a tagger saved ({error}); save it again") from error


def _strings(stored: Mapping[str, Array], name: str) -> list[str]:
    joined = stored[f"{name}.text"].tobytes().decode("utf-8", "surrogatepass")
    ends = accumulate(stored[f"{name}.lengths"].tolist(), initial=0)
    return [joined[start:end] for start, end in pairwise(ends)]
