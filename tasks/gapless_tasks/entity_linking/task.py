"""``gapless run entity-linking``."""

from __future__ import annotations

import gapless as gl
from gapless_tasks.entity_linking.job import run
from gapless_tasks.entity_linking.options import add_arguments

TASK = gl.Task(
    "entity-linking",
    "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
    add_arguments,
    run,
)
