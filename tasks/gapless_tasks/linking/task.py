"""``gapless run entity-linking``."""

from __future__ import annotations

from gapless.roles import Task
from gapless_tasks.linking.job import run
from gapless_tasks.linking.options import add_arguments

TASK = Task(
    "entity-linking",
    "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
    add_arguments,
    run,
)
