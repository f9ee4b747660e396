"""Lazy imports: names of a package that are imported on first access (PEP 562).

The package imports the same names under ``TYPE_CHECKING`` for type checkers and editors, each ``as`` itself, which
marks it as re-exported; a test compares the two lists.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], submodules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make the functions ``__getattr__`` and ``__dir__`` of a package, and its list ``__all__``.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Names to import from each module, separated by spaces.
    submodules : str
        Modules of the package that are imported on access as attributes, separated by spaces.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    modules = submodules.split()

    if any(home == f"{package}.{name}" for name, home in home_of.items()):
        # Importing `gapless.x` binds x in the package, and would hide the function x that `gapless.x` exports.
        class Package(ModuleType):
            def __setattr__(self, name: str, value: object) -> None:
                if name not in home_of or not isinstance(value, ModuleType):
                    super().__setattr__(name, value)

        sys.modules[package].__class__ = Package

    def get(name: str) -> Any:
        if name in home_of:
            value = getattr(import_module(home_of[name]), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        vars(sys.modules[package])[name] = value  # Python calls `__getattr__` for missing names only
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of, *modules})

    return get, names, sorted(home_of)
