"""The search over a parsing problem, and the roles in its place without compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

import gapless_kernels
from gapless import Result, Stop
from gapless.roles import NoCertificate, Solve
from gapless.search.driver import ASKED_FOR_NONE, Begin, run
from gapless.search.k_best import k_best
from gapless.search.layout import Layout
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_splitbound.role_search import search as search_by_roles

IN_PYTHON = (
    "the compiled kernels are not in use (GAPLESS_PURE=1, or they were not built): the search ran in Python, "
    "typically 10 to 150 times slower"
)


def uncompiled() -> Sequence[str]:
    """A sentence where the compiled kernels are not in use."""
    return () if gapless_kernels.COMPILED else (IN_PYTHON,)


def told(result: Result[DependencyTree]) -> Result[DependencyTree]:
    """The result, with such a sentence at the head of its explanation."""
    said = uncompiled()
    return attrs.evolve(result, explanation=(*said, *result.explanation)) if said else result


def search(
    layout: Layout[DependencyTree],
    solve: Solve,
    begin: Begin[DependencyTree],
    *,
    certificate: bool,
    variant: str = "default",
    order: str = "best-first",
) -> Result[DependencyTree]:
    """The best tree, or the k best. `begin`: as for `gapless.search.driver.run`."""
    problem = layout.problem
    assert isinstance(problem, ParsingProblem)
    name = layout.evidence.keywords["backbone"]  # type: ignore[attr-defined]

    def by_roles(known: Sequence[DependencyTree] = ()) -> Result[DependencyTree]:
        start = attrs.evolve(solve, start=[*solve.start, *known])
        found = search_by_roles(problem, start, variant=variant, order=order, backbone=name)
        return found if certificate else attrs.evolve(found, certificate=NoCertificate(ASKED_FOR_NONE))

    paper = variant == "paper" and bool(layout.configurations)  # the paper has no such factors
    if problem.infeasibility() or paper:
        return told(by_roles())
    if solve.k > 1:
        return told(
            k_best(layout, solve, begin, certificate=certificate, variant=variant, order=order, otherwise=by_roles)
        )
    found = told(run(layout, solve, begin, certificate=certificate))
    if found.solutions or found.stop not in (Stop.PROVED, Stop.GAP):
        return found
    # Nothing but a forbidden tree was found, and no floor says that there is no other; or factors together allow
    # nothing, which multipliers alone may not show. The roles say by which factor.
    unsure = found.stop is Stop.GAP and layout.forbids
    unshown = found.stop is Stop.PROVED and bool(layout.configurations) and not found.verify(problem)
    return told(by_roles()) if unsure or (unshown and certificate) else found
