"""Discovery of plug-ins: entry points of the group ``gapless``, loaded once; broken ones are named and skipped.

Loading a plug-in imports the module of its entry point. A module that registers references loads nothing else:
classes and functions are imported when a problem type, a method or a task is first used (decision 029).

Environment
-----------
GAPLESS_DISABLE_PLUGINS
    ``1`` or ``all`` disables every plug-in outside the `gapless` distribution; otherwise comma-separated names.
GAPLESS_TRACE_PLUGINS
    ``1`` prints every hook call to standard error.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import attrs
import pluggy

from gapless.errors import DuplicateName
from gapless.plugins import hookspecs
from gapless.plugins.registry import Registry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gapless"


class PluginWarning(UserWarning):
    """A plug-in could not be loaded and was skipped."""


@attrs.frozen
class LoadedPlugin:
    """Plug-in in the list of ``gapless plugins``."""

    name: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    error: str = ""


class Plugins:
    """Hooks of all plug-ins, and the registry that they filled."""

    def __init__(self, entries: Iterable[EntryPoint]) -> None:
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        if os.environ.get("GAPLESS_TRACE_PLUGINS", "") not in ("", "0"):
            self.manager.trace.root.setwriter(lambda line: print(line, end="", file=sys.stderr))
            self.manager.enable_tracing()
        self.registry = Registry()
        self.loaded: list[LoadedPlugin] = []
        self._reported: set[str] = set()
        # Reading the name of a distribution takes a millisecond, so read each once. The list stores `dist`, too,
        # because an id is unique only as long as its object exists.
        distributions: dict[int, tuple[str, str]] = {}
        candidates = []
        for entry in entries:
            dist = entry.dist
            if id(dist) not in distributions:
                distributions[id(dist)] = ("unknown", "") if dist is None else (dist.name, dist.version)
            candidates.append((entry, dist, *distributions[id(dist)]))
        # Ours first: a clash of names then stops the other plug-in. By name, for the same order everywhere.
        candidates.sort(key=lambda candidate: (candidate[2] != "gapless", candidate[0].name))
        for entry, _, distribution, version in candidates:
            self._load(entry, distribution, version)

    @property
    def hook(self) -> Any:
        """Caller of hooks: ``plugins.hook.gapless_observers(problem=...)``."""
        return self.manager.hook

    def _load(self, entry: EntryPoint, distribution: str, version: str) -> None:
        if _disabled(entry.name, distribution):
            return
        owner = f"{entry.name} ({distribution})"
        try:
            plugin = entry.load()
            self.add(plugin, owner)
        except DuplicateName:  # skipping one of two owners would leave the meaning of the name to chance
            raise
        except (Exception, SystemExit) as error:  # a script without a main guard ends its process when imported
            reason = f"{type(error).__name__}: {error}"
            warnings.warn(f"plug-in {owner} was skipped: {reason}", PluginWarning, stacklevel=4)
            self.loaded.append(LoadedPlugin(entry.name, distribution, version, (), reason))
            return
        hooks = tuple(sorted(caller.name for caller in self.manager.get_hookcallers(plugin) or ()))
        self.loaded.append(LoadedPlugin(entry.name, distribution, version, hooks))

    def add(self, plugin: object, owner: str) -> None:
        """Register one plug-in and let it fill the registry; undo everything if it fails."""
        if self.manager.is_registered(plugin) or self.manager.has_plugin(owner):
            raise ValueError(f"plug-in {owner} is registered twice")
        previous = self.registry.copy()
        try:
            self.manager.register(plugin, name=owner)
            self.manager.check_pending()
            self.registry.owner = owner
            register = getattr(plugin, "gapless_register", None)
            if register is not None:
                register(self.registry)
        except BaseException:
            if self.manager.is_registered(plugin):
                self.manager.unregister(plugin)
            self.registry = previous
            raise

    def import_all(self, package: str = "") -> None:
        """Import all references of plug-ins, or those into one top-level package; warn of broken ones by name."""
        for owner, reason in self.registry.import_all(package).items():
            if owner not in self._reported:
                self._reported.add(owner)
                warnings.warn(f"plug-in {owner} is broken: {reason}", PluginWarning, stacklevel=2)
                self.loaded = [
                    attrs.evolve(plugin, error=reason)
                    if f"{plugin.name} ({plugin.distribution})" == owner
                    else plugin
                    for plugin in self.loaded
                ]


def _disabled(name: str, distribution: str) -> bool:
    setting = os.environ.get("GAPLESS_DISABLE_PLUGINS", "").strip()
    if setting.lower() in ("1", "all"):
        return distribution != "gapless"
    return name in {part.strip() for part in setting.split(",")}


@cache
def load_plugins() -> Plugins:
    """Load all installed plug-ins, once per process."""
    # Two distributions on the path may list one entry point, such as an installed and an editable copy.
    unique = {(e.name, e.value): e for e in entry_points(group=GROUP)}
    return Plugins(unique.values())
