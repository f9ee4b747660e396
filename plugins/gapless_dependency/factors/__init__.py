"""Higher-order factors over arcs, one family a file."""

from gapless_dependency.factors.any_of import AnyOf as AnyOf
from gapless_dependency.factors.arc_conjunctions import ArcConjunctions as ArcConjunctions
from gapless_dependency.factors.backbone_factor import BackboneFactor as BackboneFactor
from gapless_dependency.factors.comb import Comb as Comb
from gapless_dependency.factors.grandchildren import Grandchild as Grandchild, GreatGrandchild as GreatGrandchild
from gapless_dependency.factors.modifier_chains import (
    AdjacentSibling as AdjacentSibling,
    GrandSibling as GrandSibling,
    OutermostGrandchild as OutermostGrandchild,
)
from gapless_dependency.factors.pattern import PatternNode as PatternNode, Pattern as Pattern
from gapless_dependency.factors.siblings import Sibling as Sibling, TriSibling as TriSibling
from gapless_dependency.factors.valency import Valency as Valency, valency as valency
