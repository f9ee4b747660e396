"""What `gapless` loads: the method ``split-bound`` for parsing problems."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_dependency import ParsingProblem
from gapless_splitbound import batch, method


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the method; the problem type is `gapless_dependency`'s."""
    registry.method(
        Method(
            "split-bound",
            ParsingProblem,
            method.run,
            "branch and bound with non-local factors, bounded by splitting their scores (Qian and Liu 2013)",
            k_best=True,
            warm_start=True,
            default=True,
            run_many=batch.run_many,
        )
    )
