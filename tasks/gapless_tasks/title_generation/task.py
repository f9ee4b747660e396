"""``gapless run title-generation``."""

from __future__ import annotations

import gapless as gl
from gapless_tasks.title_generation.job import run
from gapless_tasks.title_generation.options import add_arguments

TASK = gl.Task(
    "title-generation",
    "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
    add_arguments,
    run,
)
