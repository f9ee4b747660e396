"""Parsing problems as the search reads them, with certificates over trees."""

from __future__ import annotations

from functools import partial

from gapless.roles import Backbone
from gapless.search.layout import SearchInput
from gapless_dependency import DependencyTree, ParsingProblem, TreeMaximiser, backbone_for
from gapless_splitbound.certificate import TreeSplitCertificate
from gapless_splitbound.enumerated import EnumeratedTrees
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
