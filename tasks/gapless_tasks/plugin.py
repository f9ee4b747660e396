"""The plug-in ``tasks``: the tasks of this package, and the command ``data``."""

from __future__ import annotations

from typing import Any

from gapless.plugins import Task, hookimpl, table

TASKS = {
    "pos-tagging": (
        "Part-of-speech tagging: exact decoding of a chain model.",
        "gapless_tasks.pos_tagging:TASK",
    ),
    "joint-tagging": (
        "Part-of-speech tags joined with entities: exact decoding over all combinations.",
        "gapless_tasks.joint_tagging:TASK",
    ),
    "chain-benchmark": (
        "How fast chains are decoded, next to baselines and the floor.",
        "gapless_tasks.chain_benchmark.task:TASK",
    ),
    "dependency-parsing": (
        "Dependency parsing with non-local factors: exact decoding of projective and other trees.",
        "gapless_tasks.dependency_parsing.task:TASK",
    ),
    "entity-linking": (
        "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
        "gapless_tasks.entity_linking.task:TASK",
    ),
    "linking-benchmark": (
        "How fast links are found and proved, next to toulbar2 and networkit, and what is to be reached.",
        "gapless_tasks.linking_benchmark.task:TASK",
    ),
    "ordering-benchmark": (
        "How fast the best paths are found and proved, next to beams, colour coding and programs, "
        "and what is to be reached.",
        "gapless_tasks.ordering_benchmark.task:TASK",
    ),
    "parsing-benchmark": (
        "How fast trees are found and proved, next to the paper's variant, a peer and what is to be reached.",
        "gapless_tasks.parsing_benchmark.task:TASK",
    ),
    "price-and-cut": (
        "Parse, price and cut: parsing with all grandparents, delayed columns and rows, lazy scores.",
        "gapless_tasks.price_and_cut.task:TASK",
    ),
    "price-and-cut-benchmark": (
        "How fast grandparent trees are found and proved, next to HiGHS, AD3, the paper's variant "
        "and what is to be reached.",
        "gapless_tasks.price_and_cut_benchmark.task:TASK",
    ),
    "scale-benchmark": (
        "How much sooner several workers solve many problems than one, and what sharing costs.",
        "gapless_tasks.scale_benchmark.task:TASK",
    ),
    "title-generation": (
        "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
        "gapless_tasks.title_generation.task:TASK",
    ),
}
"""Of each task the summary, and the place of what adds its options and runs it."""

gapless_register = table(
    tasks=[
        Task(name, summary, f"{place}.add_arguments", f"{place}.run") for name, (summary, place) in TASKS.items()
    ]
)


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add ``gapless data``."""
    subparsers.add_parser(
        "data",
        help="List and download open corpora.",
        description="Open corpora by name, with checksums and licences.",
        fill="gapless_tasks.open_corpora.commands:add_actions",
    )
