"""``gapless run dependency-parsing``."""

from __future__ import annotations

from gapless_tasks.parsing.job import ParsingJob
from gapless_tasks.parsing.perceptron_parser import SOURCE

TASK = ParsingJob(SOURCE).task()
