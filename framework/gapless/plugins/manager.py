"""Discovery: entry points of the group ``gapless``, loaded once, broken ones reported by name and skipped.

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
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import attrs
import pluggy

from gapless.core.errors import DuplicateName
from gapless.plugins import hookspecs
from gapless.plugins.registry import Registry

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
        for entry in sorted(found, key=lambda e: (_distribution(e)[0] != "gapless", e.name)):
            self._load(entry)

    @property
    def hook(self) -> Any:
        """Call hooks here: ``plugins.hook.gapless_observers(problem=...)``."""
        return self.manager.hook

    def _load(self, entry: EntryPoint) -> None:
        distribution, version = _distribution(entry)
        if _disabled(entry.name, distribution):
            return
        owner = f"{entry.name} ({distribution})"
        try:
            plugin = entry.load()
            self.add(plugin, owner)
        except DuplicateName:
            raise
        except Exception as error:
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
        before = Registry()
        for label in ("problems", "methods", "factors", "tasks", "owners"):
            getattr(before, label).update(getattr(self.registry, label))
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


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist is not None else ("unknown", "")


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
