"""What `gapless` loads: the problem type ``linking`` and its methods."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_linking import decomposable, exact, ilp
from gapless_linking.problem import LinkingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register entity linking."""
    registry.problem("linking", LinkingProblem)
    registry.method(
        Method(
            "decomposable",
            LinkingProblem,
            decomposable.run,
            "linear time where bridges part the sets (Blanco et al. 2013, Algorithm 1)",
        )
    )
    registry.method(
        Method(
            "exact",
            LinkingProblem,
            exact.run,
            "local search, costs moved from pairs to candidates, Russian dolls (compiled)",
            default=True,
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "ilp",
            LinkingProblem,
            ilp.run,
            "one integer program with a column for each pair of candidates, on SCIP",
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "local-search",
            LinkingProblem,
            exact.local_search,
            "best-improvement local search with kicks (compiled)",
            exact=False,
            warm_start=True,
        )
    )
