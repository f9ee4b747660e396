"""The method ``split-bound``: branch and bound for parsing with non-local factors (Qian and Liu 2013)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import attrs

from gapless import Result, Status, Stop, UnknownOption
from gapless.core.nearest import nearest
from gapless.core.problem import check_start
from gapless.engine.frontier import ORDERS
from gapless.roles import Fixings, NoCertificate, Solve
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import BACKBONES, backbone_for
from gapless_splitbound import compiled_search, k_best
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.multipliers import Split
from gapless_splitbound.pruning import prune
from gapless_splitbound.role_search import search
from gapless_splitbound.uncompiled import reasons, told
from gapless_splitbound.variants import VARIANTS


def run(
    problem: ParsingProblem,
    solve: Solve,
    *,
    variant: str = "default",
    order: str = "best-first",
    backbone: str | None = None,
    heads_kept: int | None = None,
    certificate: bool = True,
) -> Result[DependencyTree]:
    """Find the best tree, or the k best, and prove it.

    Raises `UnknownOption`: an unknown variant or order. `InvalidProblem`: the start tree is infeasible, or a factor
    that the backbone cannot take.

    Parameters
    ----------
    variant : {"default", "paper"}
        Groups of pairs, Polyak steps and fixing by max-marginals, or what the paper does.
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    backbone : {"first", "sibling", "carreras", "grand-sibling"}, optional
        The dynamic program under the bound; by default the first that can take all of the problem's factors.
    heads_kept : int, optional
        Look only at trees of this many heads for each word, see `prune`. **An approximation**: the answer is the
        best of those trees, the status FEASIBLE with stop RESTRICTED, and the bound one of the whole problem.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    check_options(variant, order)
    if heads_kept is not None:
        return _restricted(problem, solve, heads_kept, variant, order, backbone, certificate)
    chosen = backbone or backbone_needed(problem)
    if compiled_search.fits(problem, solve, chosen):
        compiled = compiled_search.search if solve.k == 1 else k_best.search
        return compiled(problem, solve, variant=variant, order=order, certificate=certificate)
    result = search(problem, solve, variant=variant, order=order, backbone=chosen)
    result = told(result, reasons(problem, solve, chosen))
    if certificate:
        return result
    return attrs.evolve(result, certificate=NoCertificate(compiled_search.ASKED_FOR_NONE))


def check_options(variant: str, order: str) -> None:
    """Raise `UnknownOption` unless both are known."""
    _one_of("variant", variant, VARIANTS)
    _one_of("order", order, ORDERS)


def backbone_needed(problem: ParsingProblem) -> str:
    """The first backbone that absorbs every factor that only backbones can take."""
    needed = problem.backbone_factors
    return next(
        (name for name, kind in BACKBONES.items() if all(isinstance(f, kind.absorbs) for f in needed)), "first"
    )


def _one_of(name: str, value: str, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise UnknownOption(
            f"{name} is {value!r}{nearest(str(value), names)}; it must be one of: {', '.join(names)}"
        )


def _restricted(
    problem: ParsingProblem,
    solve: Solve,
    heads_kept: int,
    variant: str,
    order: str,
    backbone: str | None,
    certificate: bool,
) -> Result[DependencyTree]:
    """The best tree of the likely heads, with a bound on all trees."""
    fewer = prune(problem, heads_kept)
    inside = [tree for tree in solve.start if not fewer.violations(tree)]
    check_start(problem, solve.start)
    found = run(
        fewer, attrs.evolve(solve, start=inside), variant=variant, order=order, backbone=backbone, certificate=False
    )
    trees = [solution.structure for solution in found.solutions]
    held = {tree.heads.tobytes() for tree in trees}
    trees += [tree for tree in solve.start if tree.heads.tobytes() not in held]
    trees = sorted(trees, key=lambda tree: -problem.value(tree))[: solve.k]
    bound, evidence = _one_bound(problem, backbone or backbone_needed(problem))
    if found.status is Status.INFEASIBLE and bound == -math.inf:
        return attrs.evolve(found, certificate=evidence)
    stop = Stop.RESTRICTED if found.stop is Stop.PROVED else found.stop
    best = "the best one" if solve.k == 1 else f"the {solve.k} best"
    left = best if found.stop is Stop.PROVED else "no more than the search reached"
    return Result.of(
        problem,
        trees,
        bound,
        stop,
        certificate=evidence if certificate else NoCertificate(compiled_search.ASKED_FOR_NONE),
        method=solve.method,
        stats=attrs.evolve(found.stats, extra={**found.stats.extra, "restricted_bound": found.bound}),
        trace=found.trace,
        explanation=[
            f"only trees of the {heads_kept} likeliest heads of each word and of root arcs were searched "
            f"(heads_kept={heads_kept}); of these the answer is {left}, the bound is for all trees",
            *(reasons(fewer, solve, backbone or backbone_needed(fewer))),
        ],
        complete=solve.k == 1,
    )


def _one_bound(problem: ParsingProblem, backbone: str) -> tuple[float, SplitMultipliers]:
    """A bound on all trees from scores spread evenly, by the code that verifies."""
    split = Split(problem, backbone=backbone_for(problem, backbone))
    evidence = SplitMultipliers(split.orientation, split.start() / split.scale, backbone=backbone, loss=split.loss)
    return evidence.upper_bound(problem, Fixings.none(problem.decisions.count)), evidence
