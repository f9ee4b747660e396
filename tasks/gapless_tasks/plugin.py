"""The plug-in ``tasks``: the tasks of this package, and the commands ``data`` and ``demo``."""

from __future__ import annotations

from typing import Any

from gapless.plugins import Task, hookimpl, table
from gapless_tasks.moved import BENCHMARKS, benchmark_task

TASKS = (
    Task(
        "pos-tagging",
        "Part-of-speech tagging: exact decoding of a chain model.",
        "gapless_tasks.tagging.pos_tagging:TASK.add_arguments",
        "gapless_tasks.tagging.pos_tagging:TASK.run",
    ),
    Task(
        "joint-tagging",
        "Part-of-speech tags joined with entities: exact decoding over all combinations.",
        "gapless_tasks.tagging.joint_tagging:TASK.add_arguments",
        "gapless_tasks.tagging.joint_tagging:TASK.run",
    ),
    Task(
        "dependency-parsing",
        "Dependency parsing with non-local factors: exact decoding of projective and other trees.",
        "gapless_tasks.parsing.options:add_arguments",
        "gapless_tasks.parsing.job:JOB.run",
    ),
    Task(
        "entity-linking",
        "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
        "gapless_tasks.linking.options:add_arguments",
        "gapless_tasks.linking.job:run",
    ),
    Task(
        "price-and-cut",
        "Parse, price and cut: parsing with all grandparents, delayed columns and rows, lazy scores.",
        "gapless_tasks.price_and_cut.options:add_arguments",
        "gapless_tasks.price_and_cut.job:JOB.run",
    ),
    Task(
        "title-generation",
        "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
        "gapless_tasks.titles.options:add_arguments",
        "gapless_tasks.titles.job:run",
    ),
)

gapless_register = table(tasks=[*TASKS, *(benchmark_task(name) for name in BENCHMARKS)])


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add ``gapless data`` and ``gapless demo``."""
    subparsers.add_parser(
        "data",
        help="List and download open corpora.",
        description="Open corpora by name, with checksums and licences.",
        fill="gapless_tasks.corpora:add_actions",
    )
    subparsers.add_parser(
        "demo",
        help="Show a beam that is wrong, the best tree, and the proof.",
        description="A parser is trained in seconds; a beam and the exact method decode the same scores.",
        fill="gapless_tasks.demo.command:add_options",
    )
