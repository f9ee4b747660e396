"""What `gapless` loads: the problem type ``linking`` and its methods."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_linking import ilp
from gapless_linking.problem import LinkingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register entity linking."""
    registry.problem("linking", LinkingProblem)
    registry.method(
        Method(
            "ilp",
            LinkingProblem,
            ilp.run,
            "one integer program with a column for each pair of candidates, on SCIP",
            warm_start=True,
        )
    )
