"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from gapless_dependency.arcs import Arcs
from gapless_dependency.factors import (
    AnyOf,
    ArcConjunctions,
    Comb,
    Grandchild,
    GreatGrandchild,
    Node,
    Pattern,
    Sibling,
    TriSibling,
    Valency,
    valency,
)
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree

__all__ = [
    "AnyOf",
    "ArcConjunctions",
    "Arcs",
    "Comb",
    "DependencyTree",
    "Grandchild",
    "GreatGrandchild",
    "Node",
    "ParsingProblem",
    "Pattern",
    "Sibling",
    "TriSibling",
    "Valency",
    "valency",
]
