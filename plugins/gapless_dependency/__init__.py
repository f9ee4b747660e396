"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_dependency.arcs import Arcs as Arcs
    from gapless_dependency.backbones import Backbone as Backbone, backbone_for as backbone_for
    from gapless_dependency.factors.adjacent_sibling import AdjacentSibling as AdjacentSibling
    from gapless_dependency.factors.any_of import AnyOf as AnyOf
    from gapless_dependency.factors.arc_conjunctions import ArcConjunctions as ArcConjunctions
    from gapless_dependency.factors.backbone_factor import BackboneFactor as BackboneFactor
    from gapless_dependency.factors.comb import Comb as Comb
    from gapless_dependency.factors.grand_sibling import GrandSibling as GrandSibling
    from gapless_dependency.factors.grandchild import Grandchild as Grandchild
    from gapless_dependency.factors.great_grandchild import GreatGrandchild as GreatGrandchild
    from gapless_dependency.factors.outermost_grandchild import OutermostGrandchild as OutermostGrandchild
    from gapless_dependency.factors.pattern import Node as Node, Pattern as Pattern
    from gapless_dependency.factors.sibling import Sibling as Sibling
    from gapless_dependency.factors.tri_sibling import TriSibling as TriSibling
    from gapless_dependency.factors.valency import Valency as Valency, valency as valency
    from gapless_dependency.problem import ParsingProblem as ParsingProblem
    from gapless_dependency.tree import DependencyTree as DependencyTree
    from gapless_dependency.tree_maximiser import TreeMaximiser as TreeMaximiser
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless_dependency.arcs": "Arcs",
            "gapless_dependency.backbones": "Backbone backbone_for",
            "gapless_dependency.factors.adjacent_sibling": "AdjacentSibling",
            "gapless_dependency.factors.any_of": "AnyOf",
            "gapless_dependency.factors.arc_conjunctions": "ArcConjunctions",
            "gapless_dependency.factors.backbone_factor": "BackboneFactor",
            "gapless_dependency.factors.comb": "Comb",
            "gapless_dependency.factors.grandchild": "Grandchild",
            "gapless_dependency.factors.grand_sibling": "GrandSibling",
            "gapless_dependency.factors.great_grandchild": "GreatGrandchild",
            "gapless_dependency.factors.pattern": "Node Pattern",
            "gapless_dependency.factors.outermost_grandchild": "OutermostGrandchild",
            "gapless_dependency.factors.sibling": "Sibling",
            "gapless_dependency.factors.tri_sibling": "TriSibling",
            "gapless_dependency.factors.valency": "Valency valency",
            "gapless_dependency.problem": "ParsingProblem",
            "gapless_dependency.tree": "DependencyTree",
            "gapless_dependency.tree_maximiser": "TreeMaximiser",
        },
    )
