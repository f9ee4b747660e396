"""The method ``split-bound``: branch and bound for parsing with non-local factors (Qian and Liu 2013)."""

from __future__ import annotations

import math

import attrs

from gapless import Result, Status, Stop
from gapless.problems.problem import check_start
from gapless.roles import Certificate, NoCertificate, SolveRequest
from gapless.search.driver import SearchDriver, name_role_errors
from gapless.search.layout import SearchInput
from gapless.search.solving import CERTIFICATE_OFF
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound.lazy_search import LazySearch
from gapless_splitbound.pruning import prune
from gapless_splitbound.tree_search import TreeSearch, fallback_notice


def run(
    problem: ParsingProblem,
    request: SolveRequest,
    *,
    variant: str = "default",
    order: str = "best-first",
    backbone: str | None = None,
    max_heads: int | None = None,
    lazy_scores: bool = False,
    certificate: bool = True,
) -> Result[DependencyTree]:
    """Find the best tree, or the k best, and prove it.

    Raises `UnknownOption`: an unknown variant or order, or an impossible combination. `InvalidProblem`: the start
    tree is infeasible, or a factor that the backbone cannot take.

    Parameters
    ----------
    variant : {"default", "paper"}
        Groups of pairs, Polyak steps and fixing by max-marginals, or what the paper does.
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    backbone : {"first", "sibling", "carreras", "grand-sibling"}, optional
        The dynamic program under the bound; by default the first that can take all of the problem's factors.
    max_heads : int, optional
        Search only trees of this many heads for each word, see `prune`. **An approximation**: the answer is the
        best of those trees, the status FEASIBLE with stop RESTRICTED, and the bound one of the whole problem.
    lazy_scores : bool
        If True, ask for the scores of factors with an ``upper_bound`` only where a tree makes them matter.
        `lagrangian-cut` is this search with a linear program where it stalls.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    driver: type[SearchDriver[DependencyTree]] = LazySearch if lazy_scores else SearchDriver
    search = TreeSearch(variant=variant, order=order, backbone=backbone, driver=driver)
    if max_heads is not None and not problem.infeasibility():
        return restricted(problem, request, max_heads, search, certificate)
    return search.run(problem, request, certificate=certificate)


def restricted(
    problem: ParsingProblem, request: SolveRequest, max_heads: int, search: TreeSearch, certificate: bool
) -> Result[DependencyTree]:
    """Find the best tree of the likeliest heads, with a bound on all trees."""
    fewer = prune(problem, max_heads)
    # A start tree with a pruned head cannot warm-start the search, but stays a candidate for the answer.
    inside = [tree for tree in request.start if not fewer.violations(tree)]
    check_start(problem, request.start)
    result = search.run(fewer, attrs.evolve(request, start=inside), certificate=False)
    trees = [solution.structure for solution in result.solutions]
    listed = {tree.heads.tobytes() for tree in trees}
    trees += [tree for tree in request.start if tree.heads.tobytes() not in listed]
    trees = sorted(trees, key=lambda tree: -problem.value(tree))[: request.k]
    bound, evidence = _one_bound(search.layout(problem))
    if result.status is Status.INFEASIBLE and bound == -math.inf:
        return attrs.evolve(result, certificate=evidence)
    # The search proved the best of fewer trees, which proves nothing about all of them.
    stop = Stop.RESTRICTED if result.stop is Stop.PROVED else result.stop
    best = "the best one" if request.k == 1 else f"the {request.k} best"
    answer = best if result.stop is Stop.PROVED else "no more than the search reached"
    return Result.of(
        problem,
        trees,
        bound,
        stop,
        certificate=evidence if certificate else NoCertificate(CERTIFICATE_OFF),
        method=request.method,
        stats=attrs.evolve(result.stats, extra={**result.stats.extra, "restricted_bound": result.bound}),
        trace=result.trace,
        explanation=[
            f"only trees of the {max_heads} likeliest heads of each word and of root arcs were searched "
            f"(max_heads={max_heads}); of these the answer is {answer}, the bound is for all trees",
            *fallback_notice(),
        ],
        complete=request.k == 1,
    )


def _one_bound(layout: SearchInput[DependencyTree]) -> tuple[float, Certificate]:
    """Bound all trees by one step over all heads, evaluated by the code that verifies."""
    with name_role_errors(layout):
        search = SearchDriver(attrs.evolve(layout, lazily=False))
        # One node and one step: a better bound of all trees would cost what pruning saves.
        search.advance(math.inf, nodes=1, steps=1)
        search.kernel.bound_current_node()
    evidence = search.certificate()
    return float(evidence.verify(layout.problem).bound), evidence
