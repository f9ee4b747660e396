"""The entry point: tasks of this package."""

from __future__ import annotations

import gapless as gl
from gapless_tasks import joint_tagging, pos_tagging


@gl.hookimpl
def gapless_register(registry: gl.Registry) -> None:
    """Register the tasks."""
    registry.task(pos_tagging.TASK)
    registry.task(joint_tagging.TASK)
