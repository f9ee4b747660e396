"""Higher-order factors over arcs, one family a file."""

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

__all__ = [
    "AdjacentSibling",
    "AnyOf",
    "ArcConjunctions",
    "BackboneFactor",
    "Comb",
    "GrandSibling",
    "Grandchild",
    "GreatGrandchild",
    "Node",
    "OutermostGrandchild",
    "Pattern",
    "Sibling",
    "TriSibling",
    "Valency",
    "valency",
]
