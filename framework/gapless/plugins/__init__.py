"""Plug-ins: pluggy hooks, the registry that they fill, and discovery by entry points.

A plug-in's module imports from here only, and names everything else by references (decision 029): see `table`
and `is_a`.
"""

from typing import TYPE_CHECKING

from gapless.plugins.hookspecs import hookimpl
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.named_structure import NamedStructure
from gapless.plugins.reference import BrokenReference, is_a
from gapless.plugins.registry import Method, Registry, Task
from gapless.plugins.selftest_instances import SelftestInstances
from gapless.plugins.table import table

__all__ = [
    "BrokenReference",
    "Method",
    "NamedStructure",
    "Plugins",
    "Registry",
    "SelftestInstances",
    "SolveRequest",
    "Task",
    "hookimpl",
    "is_a",
    "load_plugins",
    "table",
]

if TYPE_CHECKING:
    from gapless.plugins.call import SolveRequest as SolveRequest
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, _ = lazy_names(__name__)
