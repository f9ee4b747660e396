"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from typing import TYPE_CHECKING

__all__ = [
    "AdjacentSibling",
    "AnyOf",
    "ArcConjunctions",
    "Arcs",
    "Backbone",
    "BackboneFactor",
    "Comb",
    "DependencyTree",
    "GrandSibling",
    "Grandchild",
    "GreatGrandchild",
    "Node",
    "OutermostGrandchild",
    "ParsingProblem",
    "Pattern",
    "Sibling",
    "TreeMaximiser",
    "TriSibling",
    "Valency",
    "backbone_for",
    "valency",
]

if TYPE_CHECKING:
    from gapless_dependency.arcs import Arcs
    from gapless_dependency.backbones import Backbone, backbone_for
    from gapless_dependency.factors.adjacent_sibling import AdjacentSibling
    from gapless_dependency.factors.any_of import AnyOf
    from gapless_dependency.factors.arc_conjunctions import ArcConjunctions
    from gapless_dependency.factors.backbone_factor import BackboneFactor
    from gapless_dependency.factors.comb import Comb
    from gapless_dependency.factors.grand_sibling import GrandSibling
    from gapless_dependency.factors.grandchild import Grandchild
    from gapless_dependency.factors.great_grandchild import GreatGrandchild
    from gapless_dependency.factors.outermost_grandchild import OutermostGrandchild
    from gapless_dependency.factors.pattern import Node, Pattern
    from gapless_dependency.factors.sibling import Sibling
    from gapless_dependency.factors.tri_sibling import TriSibling
    from gapless_dependency.factors.valency import Valency, valency
    from gapless_dependency.problem import ParsingProblem
    from gapless_dependency.tree import DependencyTree
    from gapless_dependency.tree_maximiser import TreeMaximiser
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
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
