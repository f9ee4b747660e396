"""What `gapless` loads: methods for parsing problems with conjunctive factors."""

from __future__ import annotations

from gapless import Registry, hookimpl


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the methods; the problem type is `gapless_dependency`'s."""
