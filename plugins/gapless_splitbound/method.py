"""The method ``split-bound``: branch and bound for parsing with non-local factors (Qian and Liu 2013)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import attrs

from gapless import Result, Status, Stop, UnknownOption
from gapless.core.nearest import nearest
from gapless.core.problem import check_start
from gapless.engine.frontier import ORDERS
from gapless.roles import Certificate, NoCertificate, Solve
from gapless.search.driver import ASKED_FOR_NONE, Search, called
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import backbone_needed
from gapless_splitbound.pruning import prune
from gapless_splitbound.tree_layout import tree_layout
from gapless_splitbound.tree_search import NOT_IN_THE_PAPER, possible, search, uncompiled

VARIANTS = ("default", "paper")
"""Of the split bound and its minimisation."""


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
    if heads_kept is not None and not problem.infeasibility():
        return _restricted(problem, solve, heads_kept, variant, order, backbone, certificate)
    layout = tree_layout(problem, backbone or backbone_needed(problem))
    able, order = possible(layout, variant, order)
    begin = partial(Search, variant=able, order=order)
    found = search(layout, solve, begin, certificate=certificate, variant=able, order=order)
    return found if able == variant else attrs.evolve(found, explanation=(NOT_IN_THE_PAPER, *found.explanation))


def check_options(variant: str, order: str) -> None:
    """Raise `UnknownOption` unless both are known."""
    _one_of("variant", variant, VARIANTS)
    _one_of("order", order, ORDERS)


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
        certificate=evidence if certificate else NoCertificate(ASKED_FOR_NONE),
        method=solve.method,
        stats=attrs.evolve(found.stats, extra={**found.stats.extra, "restricted_bound": found.bound}),
        trace=found.trace,
        explanation=[
            f"only trees of the {heads_kept} likeliest heads of each word and of root arcs were searched "
            f"(heads_kept={heads_kept}); of these the answer is {left}, the bound is for all trees",
            *uncompiled(),
        ],
        complete=solve.k == 1,
    )


def _one_bound(problem: ParsingProblem, backbone: str) -> tuple[float, Certificate]:
    """A bound on all trees after one step over all heads, by the code that verifies."""
    layout = tree_layout(problem, backbone)
    work = called(layout, partial(Search, layout))
    called(layout, partial(work.advance, math.inf, nodes=1, steps=1))
    called(layout, work.kernel.settle)
    evidence = work.certificate()
    return float(evidence.verify(problem).bound), evidence
