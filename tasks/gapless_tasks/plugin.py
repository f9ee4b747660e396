"""The plug-in ``tasks``: the tasks of this package, and the command ``data``."""

from __future__ import annotations

from typing import Any

from gapless.plugins import Task, hookimpl, table
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
"""The summary of each task, and the place of its `gapless.roles.Task`."""

gapless_register = table(
    tasks=[
        *(Task(name, text, f"{place}.add_arguments", f"{place}.run") for name, (text, place) in TASKS.items()),
        *(benchmark_task(name) for name in BENCHMARKS),
    ]
)


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add ``gapless data``."""
    subparsers.add_parser(
        "data",
        help="List and download open corpora.",
        description="Open corpora by name, with checksums and licences.",
        fill="gapless_tasks.corpora:add_actions",
    )
