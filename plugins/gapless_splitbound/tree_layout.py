"""Parsing problems as the search reads them, with certificates that speak of trees."""

from __future__ import annotations

from functools import partial

from gapless.roles import Backbone
from gapless.search.layout import Layout
from gapless_dependency import DependencyTree, ParsingProblem, TreeMaximiser, backbone_for
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.enumerated import EnumeratedTrees
from gapless_splitbound.proofs.completions import most_choices


def tree_layout(
    problem: ParsingProblem, backbone: str = "first", *, lazily: bool = False, harsh: bool = False
) -> Layout[DependencyTree]:
    """A parsing problem over one of its backbones.

    Raises `InvalidProblem`, `UnknownName`: as `backbone_for`. `lazily`, `harsh`: as for `Layout`.
    """
    trees = backbone_for(problem, backbone)
    return Layout(
        problem=problem,
        backbone=Backbone(TreeMaximiser(problem, trees), problem.arc_weights),
        counted=trees.absorbed,
        lazily=lazily,
        harsh=harsh,
        lifted=problem.projective,  # trees with crossing arcs have too little to lift
        evidence=partial(SplitMultipliers, backbone=trees.name),
        enumerated=EnumeratedTrees(),
        most=most_choices(problem),
        even=partial(SplitMultipliers.even, problem, trees.name),
    )
