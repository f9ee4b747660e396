"""The search over dependency trees: parsing problems as it reads them, its options, notices in its results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import attrs

import gapless_kernels
from gapless import Result, UnknownOption
from gapless.arrays.spelling_hint import check_choice
from gapless.roles import Backbone, SolveRequest
from gapless.search.driver import SearchDriver
from gapless.search.layout import SearchInput
from gapless.search.solving import solve
from gapless.tree_search.frontier import ORDERS
from gapless_dependency import DependencyTree, ParsingProblem, TreeMaximiser, backbone_for
from gapless_dependency.backbones import backbone_needed
from gapless_splitbound.certificate import EnumeratedTrees, TreeSplitCertificate
from gapless_splitbound.lazy_search import LazySearch
from gapless_splitbound.proofs.exhaustive_trees import most_choices


def tree_layout(
    problem: ParsingProblem, backbone: str = "first", *, lazily: bool = False, harsh: bool = False
) -> SearchInput[DependencyTree]:
    """Lay out a parsing problem over one of its backbones.

    Raises `InvalidProblem`, `UnknownName`: as `backbone_for`. `lazily`, `harsh`: as for `SearchInput`.
    """
    trees = backbone_for(problem, backbone)
    return SearchInput(
        problem=problem,
        backbone=Backbone(TreeMaximiser(problem, trees), problem.arc_weights),
        counted=trees.scored_factors,
        lazily=lazily,
        harsh=harsh,
        # Lifting takes in arcs that exclude one of a pair, mostly those that cross it. Where arcs may cross, only
        # reversed arcs and the other root arcs exclude each other, which is too little to pay for the time.
        lifted=problem.projective,
        evidence=partial(TreeSplitCertificate, backbone=trees.name),
        enumerated=EnumeratedTrees(),
        most=most_choices(problem),
        even=partial(TreeSplitCertificate.even, problem, backbone=trees.name),
    )


VARIANTS = ("default", "paper")
"""Variants of the split bound and of its minimisation."""
IN_PYTHON = (
    "the compiled kernels are not in use (GAPLESS_PURE=1, or they were not built): the search ran in Python, "
    "typically 10 to 150 times slower"
)
NOT_IN_THE_PAPER = (
    "variant='paper' has no bound for factors that are no conjunctions: the default ran, in the paper's order"
)


def fallback_notice() -> Sequence[str]:
    """Return a notice if the compiled kernels are not in use."""
    return () if gapless_kernels.COMPILED else (IN_PYTHON,)


@attrs.frozen
class TreeSearch:
    """A search with the options that ``split-bound`` and ``lagrangian-cut`` share, for any parsing problem.

    Parameters
    ----------
    variant, order, backbone
        As of `gapless_splitbound.method.run`.
    driver : type of SearchDriver
        With a `LazySearch`, scores are computed lazily.

    Raises
    ------
    UnknownOption
        An unknown variant or order, or lazily asked scores in the paper's variant.
    """

    variant: str = "default"
    order: str = "best-first"
    backbone: str | None = None
    driver: type[SearchDriver[DependencyTree]] = SearchDriver

    def __attrs_post_init__(self) -> None:
        check_choice("variant", self.variant, VARIANTS)
        check_choice("order", self.order, ORDERS)
        if self.is_lazy and self.variant == "paper":
            raise UnknownOption(
                "lazy_scores is True, but variant='paper' asks for all scores: use variant='default'"
            )

    @property
    def is_lazy(self) -> bool:
        """Whether scores with upper bounds are computed lazily."""
        return issubclass(self.driver, LazySearch)

    def layout(self, problem: ParsingProblem, k: int = 1) -> SearchInput[DependencyTree]:
        """Lay a problem out for the search, with the first backbone that counts its factors unless one is named."""
        # The k-th best tree needs the scores of far more scopes, so lazy requests would only repeat steps.
        return tree_layout(problem, self.backbone or backbone_needed(problem), lazily=self.is_lazy and k == 1)

    def options(self, layout: SearchInput[DependencyTree]) -> dict[str, Any]:
        """Return variant and order as the search can run them: the paper's variant takes conjunctions only."""
        if self.variant == "paper" and layout.configurations:
            # The paper's search is breadth-first, so its stand-in is, too.
            return {"variant": "default", "order": "breadth-first"}
        return {"variant": self.variant, "order": self.order}

    def run(self, problem: ParsingProblem, request: SolveRequest, *, certificate: bool) -> Result[DependencyTree]:
        """Find the best tree, or the k best, and prove it."""
        layout = self.layout(problem, request.k)
        options = self.options(layout)
        result = solve(layout, request, self.driver, certificate=certificate, **options)
        notices = [] if options["variant"] == self.variant else [NOT_IN_THE_PAPER]
        notices += fallback_notice()
        return attrs.evolve(result, explanation=(*notices, *result.explanation)) if notices else result
