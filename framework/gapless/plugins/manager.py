"""Discovery: entry points of the group ``gapless``, loaded once, broken ones reported by name and skipped.

Loading a plug-in imports the module that its entry point names. A module that registers references loads nothing
else: classes and functions are imported when a problem type, a method or a task is asked for.

Environment
-----------
GAPLESS_DISABLE_PLUGINS
    ``1`` or ``all`` loads nothing from outside the `gapless` distribution; otherwise names, separated by commas.
GAPLESS_TRACE_PLUGINS
    ``1`` writes every hook call to standard error.
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

from gapless.core.errors import DuplicateName
from gapless.plugins import hookspecs
from gapless.plugins.registry import Registry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gapless"


class PluginWarning(UserWarning):
    """A plug-in could not be loaded and was skipped."""


@attrs.frozen
class Loaded:
    """One plug-in as ``gapless plugins`` lists it."""

    name: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    error: str = ""


class Plugins:
    """The hooks and the registry they filled."""

    def __init__(self, found: Iterable[EntryPoint]) -> None:
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        if os.environ.get("GAPLESS_TRACE_PLUGINS", "") not in ("", "0"):
            self.manager.trace.root.setwriter(lambda line: print(line, end="", file=sys.stderr))
            self.manager.enable_tracing()
        self.registry = Registry()
        self.loaded: list[Loaded] = []
        self._reported: set[str] = set()
        distributions: dict[int, tuple[str, str]] = {}  # reading the name of one takes a millisecond
        told = []
        for entry in found:
            dist = entry.dist
            if id(dist) not in distributions:
                distributions[id(dist)] = ("unknown", "") if dist is None else (dist.name, dist.version)
            told.append(
                (entry, dist, *distributions[id(dist)])
            )  # `dist` is kept: an id lasts as long as its object
        for entry, _, distribution, version in sorted(told, key=lambda one: (one[2] != "gapless", one[0].name)):
            self._load(entry, distribution, version)

    @property
    def hook(self) -> Any:
        """Call hooks here: ``plugins.hook.gapless_observers(problem=...)``."""
        return self.manager.hook

    def _load(self, entry: EntryPoint, distribution: str, version: str) -> None:
        if _disabled(entry.name, distribution):
            return
        owner = f"{entry.name} ({distribution})"
        try:
            plugin = entry.load()
            self.add(plugin, owner)
        except DuplicateName:
            raise
        except (Exception, SystemExit) as error:  # a script without a main guard ends its process when imported
            reason = f"{type(error).__name__}: {error}"
            warnings.warn(f"plug-in {owner} was skipped: {reason}", PluginWarning, stacklevel=4)
            self.loaded.append(Loaded(entry.name, distribution, version, (), reason))
            return
        hooks = tuple(sorted(caller.name for caller in self.manager.get_hookcallers(plugin) or ()))
        self.loaded.append(Loaded(entry.name, distribution, version, hooks))

    def add(self, plugin: object, owner: str) -> None:
        """Register one plug-in and let it fill the registry; on failure nothing of it stays."""
        if self.manager.is_registered(plugin) or self.manager.has_plugin(owner):
            raise ValueError(f"plug-in {owner} is registered twice")
        before = self.registry.copy()
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
            self.registry = before
            raise

    def import_all(self, package: str = "") -> None:
        """Import what plug-ins refer to, of one top-level package or of all; broken ones are reported by name."""
        for owner, reason in self.registry.import_all(package).items():
            if owner not in self._reported:
                self._reported.add(owner)
                warnings.warn(f"plug-in {owner} is broken: {reason}", PluginWarning, stacklevel=2)
                self.loaded = [
                    attrs.evolve(one, error=reason) if f"{one.name} ({one.distribution})" == owner else one
                    for one in self.loaded
                ]


def _disabled(name: str, distribution: str) -> bool:
    setting = os.environ.get("GAPLESS_DISABLE_PLUGINS", "").strip()
    if setting.lower() in ("1", "all"):
        return distribution != "gapless"
    return name in {part.strip() for part in setting.split(",")}


@cache
def load_plugins() -> Plugins:
    """All installed plug-ins; loaded at the first call, kept for the process."""
    unique = {(e.name, e.value): e for e in entry_points(group=GROUP)}
    return Plugins(unique.values())
