"""Plug-ins that exist only in a test, as entry points of made-up distributions."""

from types import SimpleNamespace

import attrs
import pytest

from gapless import solving as solving_module
from gapless.plugins import Plugins
from gapless.roles import Method, MostFractional, hookimpl
from gapless.testing.examples import OptimisticBound, Selection
from gapless.tree_search import tree_search


@attrs.frozen
class Entry:
    """An entry point: `plugin` is an object, or an exception that loading raises."""

    name: str
    plugin: object
    distribution: str = "mine"
    version: str = "1.2"

    @property
    def dist(self):
        return SimpleNamespace(name=self.distribution, version=self.version) if self.distribution else None

    def load(self):
        if isinstance(self.plugin, BaseException):
            raise self.plugin
        return self.plugin


def plugin(register=None, **hooks):
    """A plug-in object with the given hooks."""
    found = SimpleNamespace()
    if register is not None:
        hooks["gapless_register"] = register
    for name, function in hooks.items():
        setattr(found, name, hookimpl(function))
    return Hashable(found)


class Hashable:
    """pluggy wants plug-ins that can be hashed."""

    def __init__(self, namespace):
        self.__dict__.update(vars(namespace))


def search(problem, solve, *, order="best-first", on_first=True):
    """A method of the tests."""
    return tree_search(
        problem,
        OptimisticBound(problem),
        MostFractional(on_first=on_first),
        solve.budget,
        order=order,
        k=solve.k,
        start=solve.start,
        method=solve.method,
    )


SEARCH = Method("search", Selection, search, "branch and bound", k_best=True, warm_start=True, default=True)


@pytest.fixture
def make():
    return SimpleNamespace(Entry=Entry, plugin=plugin, search=search, SEARCH=SEARCH)


@pytest.fixture
def install(monkeypatch):
    """`install(entries)` makes `gapless.solve` see exactly these plug-ins."""

    def installed(*entries):
        plugins = Plugins(entries)
        monkeypatch.setattr(solving_module, "load_plugins", lambda: plugins)
        return plugins

    return installed


@pytest.fixture
def searching(install):
    """One plug-in with a method for selections."""

    def register(registry):
        registry.problem("selection", Selection)
        registry.method(SEARCH)

    return install(Entry("demo", plugin(register)))


@pytest.fixture
def knapsack():
    """The optimum is 10."""
    return Selection([5.0, 4.0, 3.0, 3.0, 2.0, 1.0], [[4.0, 3.0, 2.0, 2.0, 2.0, 1.0]], [7.0])
