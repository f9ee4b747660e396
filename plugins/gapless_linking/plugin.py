"""The plug-in ``linking``: the problem type ``linking`` and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless.plugins import Method, NamedStructure, SelftestInstances, hookimpl, is_a, table

LINKING = "gapless_linking.problem:LinkingProblem"

# fmt: off
METHODS = (
    Method("decomposable", LINKING, "gapless_linking.decomposable:run",
           "linear time where bridges part the sets (Blanco et al. 2013, Algorithm 1)"),
    Method("degree", LINKING, "gapless_linking.popularity:run_degree",
           "the candidate of largest degree (Blanco et al. 2013, section 6)",
           exact=False),
    Method("exact", LINKING, "gapless_linking.exact:run",
           "local search, costs moved from pairs to candidates, Russian doll search (compiled)",
           default=True, k_best=True, warm_start=True),
    Method("greedy", LINKING, "gapless_linking.greedy:run",
           "set after set, nearest to what is chosen, with a bound (Blanco et al. 2013, section 6)",
           exact=False),
    Method("hitting-distance", LINKING, "gapless_linking.heuristic:run",
           "nearest to the nearest candidates, with a bound (Blanco et al. 2013, section 5.2)",
           exact=False),
    # A column for each pair of candidates of different sets: a few hundred candidates in five sets, or 50 in
    # eight, take seconds; twelve sets of 96 are out of reach.
    Method("ilp", LINKING, "gapless.scip.integer_program:run",
           "one integer program with a column for each pair of candidates, on SCIP",
           warm_start=True, supports_factors=True),
    Method("local-search", LINKING, "gapless_linking.exact:local_search",
           "best-improvement local search with kicks (compiled)",
           exact=False, warm_start=True),
    Method("pagerank", LINKING, "gapless_linking.popularity:run_pagerank",
           "the candidate of largest PageRank (Blanco et al. 2013, section 6)",
           exact=False),
    Method("spanning-tree", LINKING, "gapless_linking.spanning_tree:run",
           "optimal on a tree that joins the sets (Blanco et al. 2013, section 5.1)",
           exact=False),
)
# fmt: on

gapless_register = table(
    problems={"linking": LINKING},
    methods=METHODS,
    maximisers={"choice-groups": "gapless.oracles.group_maximiser:GroupMaximiser"},
)


@hookimpl
def gapless_draw(problem: Any, structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw the chosen candidates and how far they are from each other; `words` are the mentions."""
    if not is_a(problem, LINKING):
        return None
    from gapless_linking.choice_drawing import draw_choice  # noqa: PLC0415  imported on demand

    fair = None if against is None else [{vertex} for vertex in against.tolist()]
    return draw_choice(problem, structure, words, fair=fair)


@hookimpl
def gapless_named_structure(problem: Any, structure: Any) -> NamedStructure | None:
    """Return the candidate that each mention is linked to."""
    if not is_a(problem, LINKING):
        return None
    return NamedStructure("choices", [problem.name(vertex) for vertex in structure.tolist()])


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return generators of small random texts."""
    from gapless_linking.selftest_instances import SPECIMENS  # noqa: PLC0415  brute force: imported on demand

    return SPECIMENS
