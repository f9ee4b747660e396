"""Types of the fields of a stored object: what a file holds is compared with the annotations of its class.

JSON may contain anything, and Python checks no annotation: a status that is a dictionary, a count of 1.5 or a text
in place of a sequence would reach code that trusts the class. `gapless.core.serial` asks `type_fault` before it
builds an object.
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
"""Exact types of JSON for an annotation: True is no count, though Python's bool is an int."""

_ARRAY_KINDS = {"b": "b", "i": "iu", "u": "iu", "f": "fiu"}
"""Kinds of arrays that an annotated dtype takes without a change of any entry."""


class _UnknownAttributes(type):
    """Metaclass of `_Unknown`: a module that is unknown has unknown attributes, as `np.ndarray` without `np`."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _Unknown(metaclass=_UnknownAttributes):
    """Stand-in for a name in an annotation that is imported for type checkers only; any value fits it."""

    def __class_getitem__(cls, _: Any) -> type:
        return cls


class _Names(dict[str, Any]):
    """Names in annotations of a module; `_Unknown` for those that are not there."""

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
            own = typing.get_type_hints(base, localns=_Names(base.__module__))
            hints.update({name: own[name] for name in inspect.get_annotations(base)})
        except (AttributeError, KeyError, NameError, TypeError):
            continue  # an annotation that cannot be evaluated constrains nothing
    return {field.alias or field.name: hints.get(field.name, Any) for field in attrs.fields(cls) if field.init}


def type_fault(cls: type, fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first field whose value has another type than its class declares, and the fault in words; None if none.

    Parameters
    ----------
    cls : type
        Only attrs classes declare types.
    fields : mapping
        Values that were read from JSON, by name.
    """
    if not attrs.has(cls):
        return None
    known = _field_types(cls)
    for name, value in fields.items():
        hint = known.get(name, Any)
        if not fits(value, hint):
            return name, f"found {_in_words(value)}, expected {type_name(hint)}"
    return None


@functools.cache
def parameter_types(run: Callable[..., Any]) -> Mapping[str, Any]:
    """Annotations of a function's parameters; empty where they cannot be read."""
    try:
        return typing.get_type_hints(run, localns=_Names(run.__module__))
    except (AttributeError, KeyError, NameError, TypeError):
        return {}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value may stand where the annotation `hint` does; what `hint` leaves open fits."""
    if hint in _SCALARS:
        return type(value) in _SCALARS[hint]
    if hint is _Unknown:
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union or origin is types.UnionType:
        return any(fits(value, one) for one in arguments)
    if origin is np.ndarray:
        return _arrayfits(value, arguments)
    target = origin or hint
    if not isinstance(target, type):
        return True  # Any, a type variable
    if issubclass(target, collections.abc.Mapping):
        inner = arguments[1] if len(arguments) == 2 else Any
        return isinstance(value, dict) and all(fits(one, inner) for one in value.values())
    if issubclass(target, (tuple, list)) or target in (collections.abc.Sequence, collections.abc.Iterable):
        return isinstance(value, (tuple, list, np.ndarray)) and _entries_fit(value, arguments)
    return _is_instance(value, target)


def _arrayfits(value: Any, arguments: tuple[Any, ...]) -> bool:
    """Arrays may be stored as lists; their entries are then numbers of the right kind, in lists of any depth."""
    declared = typing.get_args(arguments[1])[0] if len(arguments) == 2 and typing.get_args(arguments[1]) else None
    kind = np.dtype(declared).kind if isinstance(declared, type) and declared is not np.generic else ""
    if not isinstance(value, (tuple, list, np.ndarray)):
        return False
    if isinstance(value, np.ndarray):
        return not value.size or value.dtype.kind in _ARRAY_KINDS.get(kind, value.dtype.kind)
    numbers: Any = {"b": bool, "i": int, "u": int, "f": float}.get(kind, bool | int | float)
    return all(
        _arrayfits(one, arguments) if isinstance(one, (tuple, list, np.ndarray)) else fits(one, numbers)
        for one in value
    )


def _entries_fit(values: Any, arguments: tuple[Any, ...]) -> bool:
    if not arguments:
        return True
    if len(arguments) > 1 and arguments[-1] is not Ellipsis:
        return len(values) == len(arguments) and all(map(fits, values, arguments))
    if isinstance(values, np.ndarray):
        values = values.tolist()
    inner = arguments[0]
    if inner in _SCALARS:  # ids of decisions, of which there are many
        return set(map(type, values)) <= set(_SCALARS[inner])
    return all(fits(one, inner) for one in values)


def _is_instance(value: Any, cls: type) -> bool:
    try:
        return isinstance(value, cls)
    except TypeError:  # a protocol that cannot be asked
        return True


def _in_words(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value) if len(repr(value)) <= 40 else f"{value!r:.40}..."
    return f"a {type(value).__name__}"


def type_name(hint: Any) -> str:
    """An annotation in words."""
    return (
        hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint).replace("typing.", "")
    )
