"""References such as ``"package.module:name"``: classes and functions that are imported when they are needed."""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any

from gapless.core.errors import GaplessError


class BrokenReference(GaplessError):
    """A plug-in refers to a class or a function that cannot be imported."""


def import_reference(reference: str) -> Any:
    """Import the object that a reference names.

    Raises `BrokenReference`: the module cannot be imported, or does not hold the name.
    """
    module, _, name = reference.partition(":")
    try:
        found: Any = sys.modules.get(module)
        if found is None or getattr(getattr(found, "__spec__", None), "_initializing", False):
            found = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except GaplessError:
        raise
    except (Exception, SystemExit) as error:  # sys.exit() in a module's body is for scripts
        raise BrokenReference(f"cannot import {reference!r}: {type(error).__name__}: {error}") from error
    return found


def resolved(given: Any) -> Any:
    """The object itself, or the one that a reference names."""
    return import_reference(given) if isinstance(given, str) else given


def reference_to(cls: type) -> str:
    """The reference that names a class: the module that defines it, and its name there."""
    return f"{cls.__module__}:{cls.__qualname__}"


def names_class(reference: str, cls: type) -> bool:
    """Whether a reference means `cls`, by whatever module of its package; imports nothing of other packages."""
    module, _, name = reference.partition(":")
    if name != cls.__qualname__ or module.partition(".")[0] != cls.__module__.partition(".")[0]:
        return False
    try:
        return import_reference(reference) is cls
    except GaplessError:  # `gapless plugins` names it
        return False


def is_a(value: object, reference: str) -> bool:
    """Whether `value` is an instance of the class that a reference names; imports nothing.

    Parameters
    ----------
    value : object
    reference : str
        The module that defines the class, and its name: ``"gapless_chains.problem:ChainProblem"``.
    """
    cls: Any = type(value)
    return _descends(cls, reference)


@functools.lru_cache(maxsize=256)
def _descends(cls: type, reference: str) -> bool:
    return any(reference_to(base) == reference for base in cls.__mro__)
