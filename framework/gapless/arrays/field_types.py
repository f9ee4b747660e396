"""Type checks for the fields of stored objects, against the annotations of their classes.

JSON may contain anything, and Python checks no annotation: a status that is a dictionary, a count of 1.5 or a text
in place of a sequence would reach code that relies on the class. `gapless.arrays.serial` calls `type_fault` before
it builds an object.
"""

from __future__ import annotations

import builtins
import collections.abc
import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

_SCALARS: Mapping[Any, tuple[type, ...]] = {
    bool: (bool,),
    int: (int,),
    float: (int, float),
    str: (str,),
    type(None): (type(None),),
}
"""JSON types that an annotation accepts, compared exactly: bool is a subclass of int, but True is no count."""

_ARRAY_KINDS = {"b": "b", "i": "iu", "u": "iu", "f": "fiu"}
"""NumPy kinds that convert to the annotated kind without changing any entry."""


class _UnknownAttributes(type):
    """Metaclass of `_Unknown`: every attribute of an unknown module is unknown, as `np.ndarray` without `np`."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _Unknown(metaclass=_UnknownAttributes):
    """Stand-in for an annotated name that only type checkers import; any value fits it."""

    def __class_getitem__(cls, _: Any) -> type:
        return cls


class _Names(dict[str, Any]):
    """Names for evaluating a module's annotations; `_Unknown` for names that are not defined at run time."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(builtins) | vars(sys.modules[module]))

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):  # debuggers look for such names in the frames of an evaluation
            raise KeyError(name)
        return _Unknown


@functools.cache
def _field_types(cls: type) -> Mapping[str, Any]:
    """Annotation of each field that the constructor of an attrs class takes."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        try:
            base_hints = typing.get_type_hints(base, localns=_Names(base.__module__))
            # `get_type_hints` also returns inherited hints, evaluated with the names of another module.
            hints.update({name: base_hints[name] for name in inspect.get_annotations(base)})
        except (AttributeError, KeyError, NameError, TypeError):
            continue  # an annotation that cannot be evaluated constrains nothing
    return {field.alias or field.name: hints.get(field.name, Any) for field in attrs.fields(cls) if field.init}


def type_fault(cls: type, fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """Find the first field whose value does not fit its annotation; return its name and the fault in words.

    None if every value fits.

    Parameters
    ----------
    cls : type
        Only attrs classes declare types.
    fields : mapping
        Values that were read from JSON, by name.
    """
    if not attrs.has(cls):
        return None
    hints = _field_types(cls)
    for name, value in fields.items():
        hint = hints.get(name, Any)
        if not fits(value, hint):
            return name, f"found {_in_words(value)}, expected {type_name(hint)}"
    return None


@functools.cache
def parameter_types(run: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the annotations of a function's parameters; empty where they cannot be evaluated."""
    try:
        return typing.get_type_hints(run, localns=_Names(run.__module__))
    except (AttributeError, KeyError, NameError, TypeError):
        return {}


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value matches the annotation `hint`; whatever `hint` leaves open matches."""
    if hint in _SCALARS:
        return type(value) in _SCALARS[hint]
    if hint is _Unknown:
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union or origin is types.UnionType:
        return any(fits(value, alternative) for alternative in arguments)
    if origin is np.ndarray:
        return _array_fits(value, arguments)
    target = origin or hint
    if not isinstance(target, type):
        return True  # Any, a type variable
    if issubclass(target, collections.abc.Mapping):
        inner = arguments[1] if len(arguments) == 2 else Any
        return isinstance(value, dict) and all(fits(item, inner) for item in value.values())
    if issubclass(target, (tuple, list)) or target in (collections.abc.Sequence, collections.abc.Iterable):
        return isinstance(value, (tuple, list, np.ndarray)) and _entries_fit(value, arguments)
    return _is_instance(value, target)


def _array_fits(value: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether a value is an array of the right kind, or nested lists of such numbers: converters accept both."""
    declared = typing.get_args(arguments[1])[0] if len(arguments) == 2 and typing.get_args(arguments[1]) else None
    kind = np.dtype(declared).kind if isinstance(declared, type) and declared is not np.generic else ""
    if not isinstance(value, (tuple, list, np.ndarray)):
        return False
    if isinstance(value, np.ndarray):
        return not value.size or value.dtype.kind in _ARRAY_KINDS.get(kind, value.dtype.kind)
    numbers: Any = {"b": bool, "i": int, "u": int, "f": float}.get(kind, bool | int | float)
    return all(
        _array_fits(item, arguments) if isinstance(item, (tuple, list, np.ndarray)) else fits(item, numbers)
        for item in value
    )


def _entries_fit(values: Any, arguments: tuple[Any, ...]) -> bool:
    if not arguments:
        return True
    if len(arguments) > 1 and arguments[-1] is not Ellipsis:
        return len(values) == len(arguments) and all(map(fits, values, arguments))
    if isinstance(values, np.ndarray):
        values = values.tolist()
    inner = arguments[0]
    if inner in _SCALARS:  # ids of decisions, of which there are many: one call per entry would be slow
        return set(map(type, values)) <= set(_SCALARS[inner])
    return all(fits(value, inner) for value in values)


def _is_instance(value: Any, cls: type) -> bool:
    try:
        return isinstance(value, cls)
    except TypeError:  # a protocol without @runtime_checkable
        return True


def _in_words(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value) if len(repr(value)) <= 40 else f"{value!r:.40}..."
    return f"a {type(value).__name__}"


def type_name(hint: Any) -> str:
    """Return an annotation as text for messages."""
    return (
        hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint).replace("typing.", "")
    )
