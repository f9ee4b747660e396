"""Options of a method: the keyword-only parameters of the function that runs it, with defaults and annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

from gapless.core.errors import UnknownOption

_DEFAULTS: dict[Callable[..., Any], Mapping[str, Any]] = {}


def option_defaults(run: Callable[..., Any]) -> Mapping[str, Any]:
    """Names of the options with their defaults."""
    if run not in _DEFAULTS:
        parameters = inspect.signature(run).parameters.values()
        _DEFAULTS[run] = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return _DEFAULTS[run]


def check_type(run: Callable[..., Any], option: str, value: Any) -> None:
    """Refuse a list, an array or another object that the option's annotation excludes.

    An array equals nothing and a list has no hash: code that looks for either among known values would raise a
    plain error. Methods check texts and numbers themselves.

    Raises
    ------
    UnknownOption
        The message names the option and what it takes.
    """
    if value is None or isinstance(value, (str, Number)) or getattr(value, "shape", None) == ():
        return
    from gapless.core.results.field_types import fits, parameter_types, type_name  # noqa: PLC0415  it loads NumPy

    declared = parameter_types(run).get(option)
    if declared is not None and not fits(value, declared):
        raise UnknownOption(f"{option} is {value!r:.80}, expected {type_name(declared)}")
