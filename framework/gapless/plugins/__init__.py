"""The pluggy rim: hooks, the registry that they fill, and discovery by entry points."""

from gapless.plugins.hookspecs import hookimpl
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import Method, Registry, Solve, Task
from gapless.plugins.specimens import Specimens

__all__ = ["Method", "Plugins", "Registry", "Solve", "Specimens", "Task", "hookimpl", "load_plugins"]
