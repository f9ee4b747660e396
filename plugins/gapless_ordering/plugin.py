"""What `gapless` loads: the problem type ``ordering`` and its methods."""

from __future__ import annotations

from gapless import Registry, hookimpl
from gapless_ordering.problem import OrderingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register selection and ordering."""
    registry.problem("ordering", OrderingProblem)
