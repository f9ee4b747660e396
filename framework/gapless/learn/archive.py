"""Named arrays and JSON data in one npz file: no pickle, checked on reading, written atomically."""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.arrays.serial import write_aside
from gapless.errors import GaplessError, InvalidProblem

Array = NDArray[Any]

FORMAT = "gapless.learn"
VERSION = 1
HEADER = "header"
_KINDS = "biuf"
_MOST_BYTES = 1 << 31
"""Size of an array that is stored as its few values and is made whole: a small file must not ask for more."""
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, MemoryError, RecursionError),
    *(LookupError, ValueError, TypeError, AttributeError, OverflowError),
)
"""Errors of numpy, zipfile and json on truncated or altered bytes, or on archives of other data."""


class DamagedFile(GaplessError, ValueError):
    """A file that is truncated, altered, from another program, or for another purpose."""


def write_archive(
    path: str | os.PathLike[str], kind: str, arrays: Mapping[str, Array], metadata: Mapping[str, Any]
) -> None:
    """Write arrays and JSON data; an array of mostly zeros is stored by its other entries.

    Parameters
    ----------
    path : path
        Replaced once everything is written.
    kind : str
        Purpose of the file, checked by `read_archive`.
    arrays : mapping of str to ndarray
        Of booleans, integers or floats.
    metadata : mapping
        JSON data.

    Raises
    ------
    InvalidProblem
        `metadata` is not JSON data, or an array is not numeric.
    OSError
        The folder is missing or cannot be written.
    """
    contents: dict[str, Array] = {}
    listed = []
    for number, (name, array) in enumerate(arrays.items()):
        if array.dtype.kind not in _KINDS:
            raise InvalidProblem(f"{name!r} has the type {array.dtype}; only numbers are stored")
        flat = array.ravel()
        places = np.flatnonzero(flat)
        sparse = places.size * (8 + flat.itemsize) < flat.size * flat.itemsize
        contents[f"values{number}"] = flat[places] if sparse else flat
        if sparse:
            contents[f"places{number}"] = places
        listed.append({"name": name, "shape": array.shape, "sparse": sparse})
    header = {"format": FORMAT, "version": VERSION, "kind": kind, "arrays": listed, "metadata": metadata}
    try:
        text = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidProblem(
            f"metadata must be JSON data (strings, finite numbers, lists, dicts): {error}"
        ) from error
    contents[HEADER] = np.frombuffer(text.encode("ascii"), np.uint8)
    write_aside(path, lambda file: np.savez(file, allow_pickle=False, **contents))


def read_archive(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read a file of `write_archive`.

    Returns
    -------
    dict of str to ndarray, dict
        The arrays and the JSON data.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    DamagedFile
        The file is truncated or altered, or was not written by `write_archive` for this `kind`.
    """
    place = os.fspath(path)
    if not Path(path).exists():
        raise FileNotFoundError(f"{place}: no such file")
    try:
        if not zipfile.is_zipfile(path):  # numpy would take it for a pickle and suggest loading it unsafely
            raise zipfile.BadZipFile("not a zip archive, or truncated")
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            header = _header(stored)
            found = header["format"], header["version"], header["kind"]
            if found == (FORMAT, VERSION, kind):
                listed = enumerate(header["arrays"])
                arrays = {str(entry["name"]): _array(stored, number, entry) for number, entry in listed}
                metadata = dict(header["metadata"])
    except _DAMAGE as error:
        raise DamagedFile(
            f"{place}: damaged, or not a file of {FORMAT} ({type(error).__name__}: {error})"
        ) from error
    if found != (FORMAT, VERSION, kind):
        raise DamagedFile(
            f"{place}: holds {found[2]!r} of {found[0]}, version {found[1]}; expected {kind!r}, version {VERSION}"
        )
    return arrays, metadata


def is_archive(path: str | os.PathLike[str], kind: str) -> bool:
    """Return whether `write_archive` wrote this file for this `kind`, in any version; its arrays are not read."""
    try:
        if not zipfile.is_zipfile(path):
            return False
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            header = _header(stored)
            return bool((header["format"], header["kind"]) == (FORMAT, kind))
    except _DAMAGE:
        return False


def _header(stored: Mapping[str, Array]) -> Any:
    return json.loads(stored[HEADER].tobytes().decode("ascii"))


def _array(stored: Mapping[str, Array], number: int, entry: Mapping[str, Any]) -> Array:
    shape = tuple(int(n) for n in entry["shape"])
    values = stored[f"values{number}"]
    if values.dtype.kind not in _KINDS:
        raise ValueError(f"array {number} has the type {values.dtype}")
    if not entry["sparse"]:
        return values.reshape(shape)
    places = stored[f"places{number}"]
    if math.prod(shape) * values.itemsize > _MOST_BYTES:
        raise ValueError(f"array {number} has the shape {shape}, more than {_MOST_BYTES >> 30} GiB")
    array = np.zeros(shape, values.dtype)
    if places.shape != values.shape or (places.size and places.min() < 0):
        raise ValueError(f"array {number} has {values.size} values for {places.size} places")
    array.reshape(-1)[places] = values
    return array
