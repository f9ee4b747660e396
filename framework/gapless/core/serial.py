"""JSON in both directions, for values with numpy arrays and infinities; no pickle, no import by name.

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

from gapless.core.errors import DuplicateName, GaplessError, InvalidProblem, InvalidResult
from gapless.core.owners import import_class
from gapless.core.results.field_types import type_fault

T = TypeVar("T", bound=type)
_CLASSES: dict[str, type] = {}
_TAGS: dict[type, str] = {}
_ARRAY_KINDS = "biuf"
WRITTEN = "written"
"""Metadata of an attrs field: a function of the object gives what is written; None leaves the field out."""

_TYPE = "type"
SPARSE, MOST_ZEROS = 64, 1 << 20
"""Shorter arrays are written in full; and a file cannot ask for more zeros for each number that it holds."""
_PLAIN = {str, int, float, bool, type(None)}
"""Types of JSON that are read as they are."""
_ENTRIES: dict[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": {float, int, str}}
"""Types of JSON in arrays of each kind; text is for infinities and NaN."""
NESTED = "the JSON document is nested too deeply: no value of gapless has so many brackets in brackets"
WHOLE = "$"
"""Place of the whole document."""
_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def serialisable(tag: str) -> Callable[[T], T]:
    """Class decorator: instances are written under `tag` and can be read back."""

    def register(cls: T) -> T:
        known = _CLASSES.get(tag)
        if known is not None and known.__qualname__ != cls.__qualname__:
            raise DuplicateName(f"the JSON tag {tag!r} is claimed by {known.__module__} and by {cls.__module__}")
        _CLASSES[tag] = cls
        _TAGS[cls] = tag
        return cls

    return register


def is_serialisable(value: object) -> bool:
    """Whether the class of `value` takes part."""
    return type(value) in _TAGS


def to_data(value: Any) -> Any:
    """Plain JSON data (dicts, lists, strings, numbers) for `value`."""
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
    """NumPy spells a type's name anew each time."""
    return dtype.name


def _array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    if value.dtype.kind not in _ARRAY_KINDS:
        raise InvalidProblem(f"an array of dtype {value.dtype} cannot be written as JSON")
    entries, written = value.ravel(), {_TYPE: "array", "dtype": _name(value.dtype), "shape": list(value.shape)}
    if entries.size >= SPARSE and (value.dtype == np.float64 or value.dtype.kind != "f"):
        bits = entries.view(np.int64) if value.dtype == np.float64 else entries  # -0.0 is no zero
        if 4 * np.count_nonzero(bits) < entries.size:
            # Mostly zeros, as multipliers are: the others, and where they stand.
            places = bits.nonzero()[0]
            entries, written["places"] = entries[places], places.tolist()
    flat = entries.tolist()
    if value.dtype.kind == "f" and not np.isfinite(entries).all():
        flat = [v if math.isfinite(v) else str(v) for v in flat]
    return {**written, "values": flat}


def from_data(data: Any, place: str = WHOLE) -> Any:
    """The value that `to_data` turned into `data`; errors name the place in the document."""
    if isinstance(data, list):
        if _PLAIN.issuperset(map(type, data)):  # words and labels, of which there are many
            return data
        return [from_data(v, f"{place}[{i}]") for i, v in enumerate(data)]
    if not isinstance(data, dict):
        return data
    tag = data.get(_TYPE)
    if tag is None:
        return {k: v if type(v) in _PLAIN else from_data(v, f"{place}.{k}") for k, v in data.items()}
    try:
        if tag == "tuple":
            items = _listed(data, "items")
            if _PLAIN.issuperset(map(type, items)):
                return tuple(items)
            return tuple(from_data(v, f"{place}[{i}]") for i, v in enumerate(items))
        if tag == "float":
            return _SPECIAL[data["value"]]
        if tag == "array":
            return _read_array(data)
        if isinstance(tag, str) and tag not in _CLASSES:
            import_class(tag, _CLASSES)
        if not isinstance(tag, str) or tag not in _CLASSES:
            raise InvalidProblem(f"{place}: no loaded package can read {tag!r}; is its plug-in installed?")
        cls = _CLASSES[tag]
        if issubclass(cls, enum.Enum):
            return cls(data["value"])
        fields = {
            k: v if type(v) in _PLAIN else from_data(v, f"{place}.{k}") for k, v in data.items() if k != _TYPE
        }
        fault = type_fault(cls, fields)
        if fault is not None:
            name, said = fault
            raise InvalidProblem(f"{place}.{name}: not a readable {tag}: {said}")
        return _built(cls, fields, place)
    except GaplessError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InvalidProblem(f"{place}: not a readable {tag}: {type(error).__name__}: {error}") from error


def _built(cls: type, fields: dict[str, Any], place: str) -> Any:
    """The object with these fields; where its constructor refuses them, the message begins with the place."""
    try:
        return cls.from_fields(fields) if hasattr(cls, "from_fields") else cls(**fields)
    except (InvalidProblem, InvalidResult) as error:
        if place == WHOLE:
            raise
        raise type(error)(f"{place}: {error}") from error


def _listed(data: dict[str, Any], name: str) -> list[Any]:
    """A list inside an object; text and dictionaries could be gone through as well."""
    found = data[name]
    if not isinstance(found, list):
        raise TypeError(f"{name} is a {type(found).__name__}, expected a list")
    return found


def _counts(data: dict[str, Any], name: str) -> list[int]:
    """A list of whole numbers of 0 or more."""
    found = _listed(data, name)
    if not {int}.issuperset(map(type, found)) or min(found, default=0) < 0:
        raise ValueError(f"{name} is {found!r:.60}, expected integers of 0 or more")
    return found


def _read_array(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    if not isinstance(data["dtype"], str):
        raise TypeError(f"dtype is {data['dtype']!r:.60}, expected a name such as 'float64'")
    dtype = np.dtype(data["dtype"])
    if dtype.kind not in _ARRAY_KINDS:
        raise InvalidProblem(f"arrays of dtype {dtype} are not read")
    values, shape = _listed(data, "values"), _counts(data, "shape")
    if not _ENTRIES[dtype.kind].issuperset(map(type, values)):
        # NumPy would cut 1.5 to 1, read "3" as 3, and flatten lists of lists.
        raise TypeError(f"values of an array of {dtype} are of another type")
    entries = np.array(values) if dtype == np.float64 else None
    if entries is None or entries.dtype != dtype:  # narrower numbers, infinities, whole numbers
        if dtype.kind == "f":
            values = [_SPECIAL[v] if isinstance(v, str) else v for v in values]
        with np.errstate(over="raise"):  # a number that the dtype cannot hold
            entries = np.array(values, dtype=dtype)
    if "places" not in data:
        return entries.reshape(shape)
    places, size = np.array(_counts(data, "places"), np.int64), math.prod(shape)
    if size > MOST_ZEROS * (1 + len(values)):
        raise InvalidProblem(f"an array of {size} entries, of which {len(values)} are written, is not read")
    if places.shape != entries.shape or not np.all(np.diff(places, prepend=-1) > 0):
        raise ValueError("places must ascend, one for each value")
    whole = np.zeros(size, dtype)
    whole[places] = entries
    return whole.reshape(shape)


def dumps(value: Any) -> str:
    """`value` as one line of JSON."""
    try:
        return json.dumps(to_data(value), allow_nan=False)
    except RecursionError as error:
        raise InvalidProblem("this value is nested too deeply for JSON, or contains itself") from error


def loads(text: str) -> Any:
    """The value written by `dumps`."""
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
    """Raise FileNotFoundError, naming the folder, when the folder of `path` is missing."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{os.fspath(path)}: there is no folder {folder} to write it to")


def write_aside(path: str | os.PathLike[str], content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Write `content` to `path` atomically, safe against power failure: to a temporary file, then renamed.

    Text is written as UTF-8; a callable receives the open binary file, for content too large to hold twice.
    """
    import tempfile  # noqa: PLC0415  for those who write alone

    require_folder(path)
    target = Path(path)
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # else some file systems rename first, and a power failure leaves it empty
        Path(aside).chmod(0o666 & ~_umask())
        Path(aside).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(aside).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
