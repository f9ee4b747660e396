"""Conversion between values and JSON, with NumPy arrays and infinities; no pickle, no import by name.

A class takes part with `@serialisable("package.Name")`. attrs classes need nothing else; other classes define
``to_fields(self) -> dict`` and ``from_fields(cls, dict)``. Reading an unknown tag is an error that names it.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import attrs
import numpy as np

from gapless.arrays.class_loaders import import_class
from gapless.arrays.field_types import type_fault
from gapless.errors import DuplicateName, GaplessError, InvalidProblem, InvalidResult

T = TypeVar("T", bound=type)
_CLASSES: dict[str, type] = {}
_TAGS: dict[type, str] = {}
_ARRAY_KINDS = "biuf"
WRITTEN = "written"
"""Metadata key of an attrs field: a function of the object that returns the value to write, or None to omit it."""

_TYPE = "type"
SPARSE_SIZE = 64
"""Number of entries from which an array of mostly zeros is written sparsely."""
MAX_ZEROS = 1 << 20
"""Zeros that a file may demand for each number it contains, so that a small file cannot fill the memory."""
_PLAIN = {str, int, float, bool, type(None)}
"""JSON types that are read unchanged."""
_ENTRIES: dict[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {float, int, str}}
"""JSON types in arrays of each NumPy kind; text stands for infinities and NaN."""
NESTED = "the JSON document is nested too deeply: no value of gapless has so many brackets in brackets"
ROOT = "$"
"""Location of the document itself, in the notation of JSONPath."""
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def serialisable(tag: str) -> Callable[[T], T]:
    """Class decorator: instances are written under `tag` and can be read back."""

    def register(cls: T) -> T:
        previous = _CLASSES.get(tag)
        # A module that is reloaded defines its classes again, under the same name.
        if previous is not None and previous.__qualname__ != cls.__qualname__:
            raise DuplicateName(f"the JSON tag {tag!r} is claimed by {previous.__module__} and by {cls.__module__}")
        _CLASSES[tag] = cls
        _TAGS[cls] = tag
        return cls

    return register


def is_serialisable(value: object) -> bool:
    """Return whether the class of `value` was decorated with `serialisable`."""
    return type(value) in _TAGS


def to_data(value: Any) -> Any:
    """Convert `value` to plain JSON data: dicts, lists, strings and numbers."""
    if type(value) in _TAGS:
        return _object(value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number if math.isfinite(number) else {_TYPE: "float", "value": str(number)}
    if isinstance(value, tuple):
        plain = set(map(type, value)) <= {int}  # ids of decisions, of which there are many
        return {_TYPE: "tuple", "items": list(value) if plain else [to_data(v) for v in value]}
    if isinstance(value, (list, set, frozenset)):
        return [to_data(v) for v in (sorted(value) if not isinstance(value, list) else value)]
    if isinstance(value, Mapping):
        if not all(isinstance(k, str) for k in value) or _TYPE in value:
            raise InvalidProblem(f"only mappings with string keys other than {_TYPE!r} can be written as JSON")
        return {k: to_data(v) for k, v in value.items()}
    raise InvalidProblem(
        f"{type(value).__module__}.{type(value).__qualname__} cannot be written as JSON; "
        "decorate the class with gapless.roles.serialisable"
    )


def _object(value: Any) -> dict[str, Any]:
    tag = _TAGS[type(value)]
    if isinstance(value, enum.Enum):
        return {_TYPE: tag, "value": value.value}
    if hasattr(value, "to_fields"):
        fields = value.to_fields()
    else:
        fields = {}
        for a in attrs.fields(type(value)):
            if a.init and WRITTEN not in a.metadata:
                fields[a.alias] = getattr(value, a.name)
            elif a.init and (written := a.metadata[WRITTEN](value)) is not None:
                fields[a.alias] = written
    if _TYPE in fields:
        raise InvalidProblem(f"{tag} has a field {_TYPE!r}, which in JSON names the class; rename it")
    return {_TYPE: tag, **{k: to_data(v) for k, v in fields.items()}}


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype, cached: NumPy computes it anew each time."""
    return dtype.name


def _array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    if value.dtype.kind not in _ARRAY_KINDS:
        raise InvalidProblem(f"an array of dtype {value.dtype} cannot be written as JSON")
    entries, written = value.ravel(), {_TYPE: "array", "dtype": _name(value.dtype), "shape": list(value.shape)}
    if entries.size >= SPARSE_SIZE and (value.dtype == np.float64 or value.dtype.kind != "f"):
        bits = entries.view(np.int64) if value.dtype == np.float64 else entries  # -0.0 is no zero
        if 4 * np.count_nonzero(bits) < entries.size:
            # Mostly zeros, as multipliers are: write the other entries with their indices.
            indices = bits.nonzero()[0]
            entries, written["places"] = entries[indices], indices.tolist()
    flat = entries.tolist()
    if value.dtype.kind == "f" and not np.isfinite(entries).all():
        flat = [v if math.isfinite(v) else str(v) for v in flat]
    return {**written, "values": flat}


def from_data(data: Any, location: str = ROOT) -> Any:
    """Rebuild the value that `to_data` converted to `data`; errors name the location in the document."""
    if isinstance(data, list):
        if _PLAIN.issuperset(map(type, data)):  # words and labels, of which there are many
            return data
        return [from_data(v, f"{location}[{i}]") for i, v in enumerate(data)]
    if not isinstance(data, dict):
        return data
    tag = data.get(_TYPE)
    if tag is None:
        return {k: v if type(v) in _PLAIN else from_data(v, f"{location}.{k}") for k, v in data.items()}
    try:
        if tag == "tuple":
            items = _listed(data, "items")
            if _PLAIN.issuperset(map(type, items)):
                return tuple(items)
            return tuple(from_data(v, f"{location}[{i}]") for i, v in enumerate(items))
        if tag == "float":
            return _SPECIAL[data["value"]]
        if tag == "array":
            return _read_array(data)
        if isinstance(tag, str) and tag not in _CLASSES:
            import_class(tag, _CLASSES)
        if not isinstance(tag, str) or tag not in _CLASSES:
            raise InvalidProblem(f"{location}: no loaded package can read {tag!r}; is its plug-in installed?")
        cls = _CLASSES[tag]
        if issubclass(cls, enum.Enum):
            return cls(data["value"])
        fields = {
            k: v if type(v) in _PLAIN else from_data(v, f"{location}.{k}") for k, v in data.items() if k != _TYPE
        }
        fault = type_fault(cls, fields)
        if fault is not None:
            name, reason = fault
            raise InvalidProblem(f"{location}.{name}: not a readable {tag}: {reason}")
        return _build(cls, fields, location)
    except GaplessError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InvalidProblem(f"{location}: not a readable {tag}: {type(error).__name__}: {error}") from error


def _build(cls: type, fields: dict[str, Any], location: str) -> Any:
    """Construct an object from its fields; an error of the constructor gets the location in front."""
    try:
        return cls.from_fields(fields) if hasattr(cls, "from_fields") else cls(**fields)
    except (InvalidProblem, InvalidResult) as error:
        if location == ROOT:
            raise
        raise type(error)(f"{location}: {error}") from error


def _listed(data: dict[str, Any], name: str) -> list[Any]:
    """Return a field that must be a list: text and dictionaries would iterate, too."""
    items = data[name]
    if not isinstance(items, list):
        raise TypeError(f"{name} is a {type(items).__name__}, expected a list")
    return items


def _counts(data: dict[str, Any], name: str) -> list[int]:
    """Return a field that must be a list of whole numbers of 0 or more."""
    counts = _listed(data, name)
    if not {int}.issuperset(map(type, counts)) or min(counts, default=0) < 0:
        raise ValueError(f"{name} is {counts!r:.60}, expected integers of 0 or more")
    return counts


def _read_array(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    if not isinstance(data["dtype"], str):
        raise TypeError(f"dtype is {data['dtype']!r:.60}, expected a name such as 'float64'")
    dtype = np.dtype(data["dtype"])
    if dtype.kind not in _ARRAY_KINDS:
        raise InvalidProblem(f"arrays of dtype {dtype} are not read")
    values, shape = _listed(data, "values"), _counts(data, "shape")
    if not _ENTRIES[dtype.kind].issuperset(map(type, values)):
        # NumPy would truncate 1.5 to 1, parse "3" as 3, and flatten lists of lists.
        raise TypeError(f"values of an array of {dtype} are of another type")
    entries = np.array(values) if dtype == np.float64 else None
    # The conversion above is the fast way; another dtype, text or integers among the values need the slow one.
    if entries is None or entries.dtype != dtype:
        if dtype.kind == "f":
            values = [_SPECIAL[v] if isinstance(v, str) else v for v in values]
        with np.errstate(over="raise"):  # a number that the dtype cannot hold
            entries = np.array(values, dtype=dtype)
    if "places" not in data:
        return entries.reshape(shape)
    indices, size = np.array(_counts(data, "places"), np.int64), math.prod(shape)
    if size > MAX_ZEROS * (1 + len(values)):
        raise InvalidProblem(f"an array of {size} entries, of which {len(values)} are written, is not read")
    if indices.shape != entries.shape or not np.all(np.diff(indices, prepend=-1) > 0):
        raise ValueError("places must ascend, one for each value")
    dense = np.zeros(size, dtype)
    dense[indices] = entries
    return dense.reshape(shape)


def dumps(value: Any) -> str:
    """Write `value` as one line of JSON."""
    try:
        return json.dumps(to_data(value), allow_nan=False)
    except RecursionError as error:
        raise InvalidProblem("this value is nested too deeply for JSON, or contains itself") from error


def loads(text: str) -> Any:
    """Read a value written by `dumps`."""
    if not isinstance(text, (str, bytes, bytearray)):
        raise InvalidProblem(f"expected JSON text, got {type(text).__name__}")
    try:
        data = json.loads(text)
    except ValueError as error:  # also numbers with more digits than Python reads
        raise InvalidProblem(f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise InvalidProblem(NESTED) from error
    try:
        return from_data(data)
    except RecursionError as error:
        raise InvalidProblem(NESTED) from error


def require_folder(path: str | os.PathLike[str]) -> None:
    """Raise FileNotFoundError, which names the folder, if the folder of `path` does not exist."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{os.fspath(path)}: there is no folder {folder} to write it to")


def write_aside(path: str | os.PathLike[str], content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Write `content` to a temporary file and rename it to `path`: atomic, and safe against power failure.

    Text is written as UTF-8; a callable receives the open binary file, for content too large to hold twice.
    """
    import tempfile  # noqa: PLC0415  needed for writing only

    require_folder(path)
    target = Path(path)
    # In the same folder: renaming is atomic only within one file system.
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # else some file systems rename first, and a power failure leaves it empty
        Path(temporary).chmod(0o666 & ~_umask())  # `mkstemp` creates files that only their owner can read
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)  # reading it without setting it is impossible
    os.umask(mask)
    return mask
