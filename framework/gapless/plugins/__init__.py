"""The pluggy rim: hooks, the registry that they fill, and discovery by entry points."""

from gapless.plugins.hookspecs import hookimpl
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method, Registry, Solve, Task

__all__ = ["Method", "Plugins", "Registry", "Solve", "Task", "hookimpl", "load_plugins"]
