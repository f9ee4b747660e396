"""Dependency parsing: the problem, its factors, and the exact tree oracles that the parsing methods share."""

from gapless_dependency.arcs import Arcs
from gapless_dependency.factors import Grandchild, Sibling
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree

__all__ = ["Arcs", "DependencyTree", "Grandchild", "ParsingProblem", "Sibling"]
