"""The entry point: tasks of this package."""

from __future__ import annotations

from typing import Any

from gapless.roles import Registry, hookimpl
from gapless_tasks import joint_tagging, pos_tagging
from gapless_tasks.chain_benchmark import task as chain_benchmark
from gapless_tasks.dependency_parsing import task as dependency_parsing
from gapless_tasks.entity_linking import task as entity_linking
from gapless_tasks.linking_benchmark import task as linking_benchmark
from gapless_tasks.open_corpora.commands import add_commands
from gapless_tasks.ordering_benchmark import task as ordering_benchmark
from gapless_tasks.parsing_benchmark import task as parsing_benchmark
from gapless_tasks.price_and_cut import task as price_and_cut
from gapless_tasks.price_and_cut_benchmark import task as price_and_cut_benchmark
from gapless_tasks.scale_benchmark import task as scale_benchmark
from gapless_tasks.title_generation import task as title_generation


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the tasks."""
    registry.task(pos_tagging.TASK)
    registry.task(joint_tagging.TASK)
    registry.task(chain_benchmark.TASK)
    registry.task(dependency_parsing.TASK)
    registry.task(entity_linking.TASK)
    registry.task(linking_benchmark.TASK)
    registry.task(ordering_benchmark.TASK)
    registry.task(parsing_benchmark.TASK)
    registry.task(price_and_cut.TASK)
    registry.task(price_and_cut_benchmark.TASK)
    registry.task(scale_benchmark.TASK)
    registry.task(title_generation.TASK)


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add ``gapless data``."""
    add_commands(subparsers)
