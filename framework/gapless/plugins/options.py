"""Options of a method: the keyword-only parameters of the function that runs it, with defaults and annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

from gapless.errors import UnknownOption

_DEFAULTS: dict[Callable[..., Any], Mapping[str, Any]] = {}


def option_defaults(run: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the names of the options with their defaults."""
    # Each solve with options looks them up, and `signature` takes as long as a small problem.
    if run not in _DEFAULTS:
        parameters = inspect.signature(run).parameters.values()
        _DEFAULTS[run] = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return _DEFAULTS[run]


def check_type(run: Callable[..., Any], option: str, value: Any) -> None:
    """Refuse a list, an array or another object that the option's annotation excludes.

    Methods check strings and numbers themselves. Their comparison with allowed values would raise an unrelated
    error for an array, whose truth value is ambiguous, and for a list, which has no hash.

    Raises
    ------
    UnknownOption
        The message names the option and the expected type.
    """
    if value is None or isinstance(value, (str, Number)) or getattr(value, "shape", None) == ():
        return
    from gapless.arrays.field_types import fits, parameter_types, type_name  # noqa: PLC0415  it loads NumPy

    declared = parameter_types(run).get(option)
    if declared is not None and not fits(value, declared):
        raise UnknownOption(f"{option} is {value!r:.80}, expected {type_name(declared)}")
