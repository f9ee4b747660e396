"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from gapless_dependency.arcs import Arcs
from gapless_dependency.backbones import Backbone, backbone_for
from gapless_dependency.factors import (
    AdjacentSibling,
    AnyOf,
    ArcConjunctions,
    BackboneFactor,
    Comb,
    Grandchild,
    GrandSibling,
    GreatGrandchild,
    Node,
    OutermostGrandchild,
    Pattern,
    Sibling,
    TriSibling,
    Valency,
    valency,
)
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree
from gapless_dependency.tree_maximiser import TreeMaximiser

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
