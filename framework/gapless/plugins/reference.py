"""References such as ``"package.module:name"`` to classes and functions, which are imported on first use."""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any

from gapless.errors import GaplessError


class BrokenReference(GaplessError):
    """A reference of a plug-in cannot be imported."""


def import_reference(reference: str) -> Any:
    """Import the object that a reference names.

    Raises `BrokenReference`: the module cannot be imported, or lacks the name.
    """
    module, _, name = reference.partition(":")
    try:
        # Each solve resolves references, and `import_module` costs more than a look-up. It also waits for a module
        # that another thread is importing, which still lacks names.
        value: Any = sys.modules.get(module)
        if value is None or getattr(getattr(value, "__spec__", None), "_initializing", False):
            value = import_module(module)
        for attribute in name.split("."):
            value = getattr(value, attribute)
    except GaplessError:
        raise
    except (Exception, SystemExit) as error:  # sys.exit() in a module's body is for scripts
        raise BrokenReference(f"cannot import {reference!r}: {type(error).__name__}: {error}") from error
    return value


def resolved(value: Any) -> Any:
    """Return the object itself, or import the one that a reference names."""
    return import_reference(value) if isinstance(value, str) else value


def reference_to(cls: type) -> str:
    """Return the reference to a class: the module that defines it, and its name there."""
    return f"{cls.__module__}:{cls.__qualname__}"


def names_class(reference: str, cls: type) -> bool:
    """Return True if a reference names `cls` through any module of its package; import no other package."""
    module, _, name = reference.partition(":")
    if name != cls.__qualname__ or module.partition(".")[0] != cls.__module__.partition(".")[0]:
        return False
    try:
        return import_reference(reference) is cls
    except GaplessError:  # `gapless plugins` reports the broken reference
        return False


def is_a(value: object, reference: str) -> bool:
    """Return True if `value` is an instance of the class that a reference names; import nothing.

    Parameters
    ----------
    value : object
    reference : str
        The module that defines the class, and its name: ``"gapless_chains.problem:ChainProblem"``.
    """
    # A value of the class exists only if its module is loaded, so comparing names suffices.
    cls: Any = type(value)
    return _descends(cls, reference)


@functools.lru_cache(maxsize=256)
def _descends(cls: type, reference: str) -> bool:
    return any(reference_to(base) == reference for base in cls.__mro__)
