"""The search over a parsing problem, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

import gapless_kernels
from gapless import Result
from gapless.roles import Solve
from gapless.search.answer import answer
from gapless.search.driver import Search
from gapless.search.layout import Layout
from gapless_dependency import DependencyTree

IN_PYTHON = (
    "the compiled kernels are not in use (GAPLESS_PURE=1, or they were not built): the search ran in Python, "
    "typically 10 to 150 times slower"
)
NOT_IN_THE_PAPER = (
    "variant='paper' has no bound for factors that are no conjunctions: the default ran, in the paper's order"
)


def uncompiled() -> Sequence[str]:
    """A sentence where the compiled kernels are not in use."""
    return () if gapless_kernels.COMPILED else (IN_PYTHON,)


def possible(layout: Layout[DependencyTree], variant: str, order: str) -> tuple[str, str]:
    """The variant and the order of a search: the paper's takes no factors but conjunctions."""
    if variant == "paper" and layout.configurations:
        return "default", "breadth-first"
    return variant, order


def search(
    layout: Layout[DependencyTree],
    solve: Solve,
    begin: Callable[..., Search[DependencyTree]],
    *,
    certificate: bool,
    variant: str = "default",
    order: str = "best-first",
) -> Result[DependencyTree]:
    """The best tree, or the k best. `begin`: as for `gapless.search.answer.answer`."""
    found = answer(layout, solve, begin, certificate=certificate, variant=variant, order=order)
    said = uncompiled()
    return attrs.evolve(found, explanation=(*said, *found.explanation)) if said else found
