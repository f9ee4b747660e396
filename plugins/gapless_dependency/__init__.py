"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from gapless_dependency.arcs import Arcs
from gapless_dependency.backbones import Backbone, backbone_for
from gapless_dependency.factors import (
    AdjacentSibling,
    BackboneFactor,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
    Sibling,
)
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree
from gapless_dependency.tree_maximiser import TreeMaximiser

__all__ = [
    "AdjacentSibling",
    "Arcs",
    "Backbone",
    "BackboneFactor",
    "DependencyTree",
    "GrandSibling",
    "Grandchild",
    "OutermostGrandchild",
    "ParsingProblem",
    "Sibling",
    "TreeMaximiser",
    "backbone_for",
]
