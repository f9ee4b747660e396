"""``gapless run title-generation``."""

from __future__ import annotations

from gapless.roles import Task
from gapless_tasks.titles.job import run
from gapless_tasks.titles.options import add_arguments

TASK = Task(
    "title-generation",
    "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
    add_arguments,
    run,
)
