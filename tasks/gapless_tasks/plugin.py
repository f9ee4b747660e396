"""The entry point: tasks of this package. Their modules are imported when one of them is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import gapless as gl
from gapless_tasks.moved import BENCHMARKS, benchmark_task

TASKS = {
    "pos-tagging": (
        "Part-of-speech tagging: exact decoding of a chain model.",
        "gapless_tasks.tagging.pos_tagging:TASK",
    ),
    "joint-tagging": (
        "Part-of-speech tags joined with entities: exact decoding over all combinations.",
        "gapless_tasks.tagging.joint_tagging:TASK",
    ),
    "dependency-parsing": (
        "Dependency parsing with non-local factors: exact decoding of projective and other trees.",
        "gapless_tasks.parsing.task:TASK",
    ),
    "entity-linking": (
        "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
        "gapless_tasks.linking.task:TASK",
    ),
    "price-and-cut": (
        "Parse, price and cut: parsing with all grandparents, delayed columns and rows, lazy scores.",
        "gapless_tasks.price_and_cut.task:TASK",
    ),
    "title-generation": (
        "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
        "gapless_tasks.titles.task:TASK",
    ),
}
"""The summary of each task, and the place of its `gapless.Task`."""


def task(name: str) -> gl.Task:
    """A task by its name; its module is imported when its options are asked for, or it is run."""
    summary, place = TASKS[name]

    def whole() -> gl.Task:
        module, _, attribute = place.partition(":")
        found: gl.Task = getattr(importlib.import_module(module), attribute)
        return found

    return gl.Task(
        name,
        summary,
        lambda parser: whole().add_arguments(parser),
        lambda arguments, console: whole().run(arguments, console),
    )


@gl.hookimpl
def gapless_register(registry: gl.Registry) -> None:
    """Register the tasks, and the benchmarks under their former names."""
    for name in TASKS:
        registry.task(task(name))
    for name in BENCHMARKS:
        registry.task(benchmark_task(name))


@gl.hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add ``gapless data``."""
    from gapless_tasks.corpora import add_commands  # noqa: PLC0415  reads the registry of corpora

    add_commands(subparsers)
