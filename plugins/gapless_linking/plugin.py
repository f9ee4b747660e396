"""What `gapless` loads: the problem type ``linking`` and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless import Method, Problem, Registry, Specimens, hookimpl
from gapless_linking import decomposable, exact, greedy, hitting_distance, ilp, popularity, spanning_tree
from gapless_linking.choice_drawing import draw_choice
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
            "degree",
            LinkingProblem,
            popularity.run_degree,
            "the candidate of largest degree (Blanco et al. 2013, section 6)",
            exact=False,
        )
    )
    registry.method(
        Method(
            "exact",
            LinkingProblem,
            exact.run,
            "local search, costs moved from pairs to candidates, Russian dolls (compiled)",
            default=True,
            k_best=True,
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "greedy",
            LinkingProblem,
            greedy.run,
            "set after set, nearest to what is chosen, with a bound (Blanco et al. 2013, section 6)",
            exact=False,
        )
    )
    registry.method(
        Method(
            "hitting-distance",
            LinkingProblem,
            hitting_distance.run,
            "nearest to the nearest candidates, with a bound (Blanco et al. 2013, section 5.2)",
            exact=False,
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
    registry.method(
        Method(
            "pagerank",
            LinkingProblem,
            popularity.run_pagerank,
            "the candidate of largest PageRank (Blanco et al. 2013, section 6)",
            exact=False,
        )
    )
    registry.method(
        Method(
            "spanning-tree",
            LinkingProblem,
            spanning_tree.run,
            "optimal on a tree that joins the sets (Blanco et al. 2013, section 5.1)",
            exact=False,
        )
    )


@hookimpl
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """The chosen candidates and how far they are from each other; `words` are the mentions."""
    if not isinstance(problem, LinkingProblem):
        return None
    fair = None if against is None else [{vertex} for vertex in against.tolist()]
    return draw_choice(problem, structure, words, fair=fair)


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Small random texts."""
    from gapless_linking.specimens import SPECIMENS  # noqa: PLC0415  brute force: loaded only when asked for

    return SPECIMENS
