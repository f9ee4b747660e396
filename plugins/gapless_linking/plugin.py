"""What `gapless` loads: the problem type ``linking`` and its methods."""

from __future__ import annotations

from gapless import Registry, hookimpl
from gapless_linking.problem import LinkingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register entity linking."""
    registry.problem("linking", LinkingProblem)
