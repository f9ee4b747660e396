"""Lazy imports: names of a package that are imported on first access (PEP 562).

The package imports the names under ``TYPE_CHECKING``, each ``as`` itself, for type checkers and editors. There is
no other list: this one is read from the source of the package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import CodeType, ModuleType
from typing import Any


def lazy_names(
    package: str, submodules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make the functions ``__getattr__`` and ``__dir__`` of a package, and its list ``__all__``.

    Parameters
    ----------
    package : str
        Its ``__name__``; its names are those that its source imports under ``TYPE_CHECKING``, each ``as`` itself.
    submodules : str
        Modules of the package that are imported on access as attributes, separated by spaces.
    """
    home_of = _homes(package)
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


def _homes(package: str) -> dict[str, str]:
    """Read names and their modules from statements such as ``from package.module import Name as Name``."""
    spec: Any = sys.modules[package].__spec__
    try:
        # `get_source` would import `tokenize`; `re` and `ast` take as long to import as all of `gapless`.
        source = spec.loader.get_data(spec.origin).decode("utf-8")
    except (AttributeError, OSError, UnicodeDecodeError):  # frozen programs ship bytecode alone
        bound = vars(sys.modules[package])  # by now, what the package imports at once
        homes = _homes_in_bytecode(spec.loader.get_code(package))
        return {name: home for name, home in homes.items() if name not in bound}
    homes = {}
    for statement in source.split("\n    from ")[1:]:
        home, _, names = statement.partition(" import ")
        names = "\n".join(line.partition("#")[0] for line in names.split("\n"))
        names = names.partition(")" if names.startswith("(") else "\n")[0].strip("(")
        for one in names.split(","):
            name, _, alias = one.strip().partition(" as ")
            if name and name == alias:
                homes[name] = home
    return homes


def _homes_in_bytecode(code: CodeType) -> dict[str, str]:
    """Read all imported names and their modules from bytecode, which keeps the imports under ``TYPE_CHECKING``."""
    import dis  # noqa: PLC0415

    homes, home = {}, ""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            home = step.argval
        elif step.opname == "IMPORT_FROM":
            homes[step.argval] = home
    return homes
