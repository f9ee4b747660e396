"""Former places of modules and commands, each with its new one."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from gapless import UnknownName
from gapless.plugins import Task

PACKAGES = {
    "gapless_tasks.dependency_parsing": "gapless_tasks.parsing",
    "gapless_tasks.entity_linking": "gapless_tasks.linking",
    "gapless_tasks.estimators": "gapless_models.estimators",
    "gapless_tasks.grandparent_model": "gapless_models.price_and_cut",
    "gapless_tasks.open_corpora": "gapless_models.corpora",
    "gapless_tasks.tagging_job": "gapless_tasks.tagging",
    "gapless_tasks.title_generation": "gapless_tasks.titles",
}
"""Packages by their former names. Modules that a job no longer has are looked up in the model of the same name."""
MODELS = {
    "gapless_tasks.linking": "gapless_models.linking",
    "gapless_tasks.parsing": "gapless_models.parsing",
    "gapless_tasks.tagging": "gapless_models.tagging",
    "gapless_tasks.titles": "gapless_models.titles",
}
"""The model of each job: once they shared a package."""
BENCHMARKS = {
    "chain-benchmark": "chains",
    "linking-benchmark": "linking",
    "ordering-benchmark": "ordering",
    "parsing-benchmark": "parsing",
    "price-and-cut-benchmark": "price-and-cut",
    "scale-benchmark": "scale",
}
"""Tasks that are benchmarks now, by their former names."""


def new_place(module: str) -> str | None:
    """The new name of a moved module; None for a module that has not moved."""
    package = next((old for old in PACKAGES if f"{module}.".startswith(f"{old}.")), None)
    place = module if package is None else PACKAGES[package] + module.removeprefix(package)
    parent, _, name = place.rpartition(".")
    if parent in MODELS and PathFinder.find_spec(place, importlib.import_module(parent).__path__) is None:
        place = f"{MODELS[parent]}.{name}"
        if find_spec(place) is None:
            return None
    return None if place == module else place


def warn(old: str, new: str, stacklevel: int) -> None:
    """Name the new place of something that is imported from its former one."""
    warnings.warn(f"{old} has moved to {new}", DeprecationWarning, stacklevel=stacklevel + 1)


def names_of_model(job: str) -> Callable[[str], Any]:
    """A module's ``__getattr__`` for names that have moved from the package of the job to its model."""

    def find(name: str) -> Any:
        model = importlib.import_module(MODELS[job])
        if name not in model.__all__:
            raise AttributeError(f"module {job!r} has no attribute {name!r}")
        warn(f"{job}.{name}", f"{model.__name__}.{name}", 2)
        return getattr(model, name)

    return find


class MovedFinder(MetaPathFinder):
    """Finds modules under their former names: the same module objects, after a warning."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The new module under its former name; None leaves a name to the other finders."""
        if not fullname.startswith("gapless_tasks."):
            return None
        place = new_place(fullname)
        if place is None:
            return None
        warn(fullname, place, 2)
        return ModuleSpec(fullname, _Alias(place))


class _Alias(Loader):
    """Loads a module by giving out another one."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._own: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._place)
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own  # importing has put that of the former name in its place


def install() -> None:
    """Let former names be imported."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedFinder())


def benchmark_task(old: str) -> Task:
    """A benchmark under its former name: runs it in a clone, and elsewhere says that it takes one."""
    new = BENCHMARKS[old]

    def benchmark() -> Task:
        if not (Path(__file__).parents[1] / "benchmarks" / "table.py").exists():
            raise UnknownName(
                f"gapless run {old}: benchmarks are run from a clone of gapless: make demo, then "
                f".venv/bin/python -m benchmarks {new}"
            )
        found: Task = importlib.import_module("benchmarks.table").benchmark(new)
        return found

    def add_arguments(parser: Any) -> None:
        try:
            benchmark().add_arguments(parser)
        except UnknownName as missing:
            parser.parse_known_args = partial(_refuse, missing)  # whatever options follow

    def run(arguments: Any, console: Any) -> int:
        console.complain(f"gapless run {old} has moved: python -m benchmarks {new}")
        return benchmark().run(arguments, console)

    return Task(old, f"Moved: python -m benchmarks {new}", add_arguments, run, benchmark=True)


def _refuse(error: UnknownName, *_: Any) -> None:
    raise error
