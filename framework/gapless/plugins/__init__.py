"""The pluggy rim: hooks, the registry that they fill, and discovery by entry points.

A plug-in's module imports from here alone, and refers to the rest: see `table` and `is_a`.
"""

from typing import TYPE_CHECKING

from gapless.plugins.hookspecs import hookimpl
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.parts import Parts
from gapless.plugins.reference import BrokenReference, is_a
from gapless.plugins.registry import Method, Registry, Task
from gapless.plugins.specimens import Specimens
from gapless.plugins.table import table

__all__ = [
    "BrokenReference",
    "Method",
    "Parts",
    "Plugins",
    "Registry",
    "Solve",
    "Specimens",
    "Task",
    "hookimpl",
    "is_a",
    "load_plugins",
    "table",
]

if TYPE_CHECKING:
    from gapless.plugins.call import Solve
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, _ = lazy_names(__name__, {"gapless.plugins.call": "Solve"})
