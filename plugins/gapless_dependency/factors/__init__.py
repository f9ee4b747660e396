"""Higher-order factors over arcs, one family a file."""

from gapless_dependency.factors.any_of import AnyOf as AnyOf
from gapless_dependency.factors.arc_conjunctions import ArcConjunctions as ArcConjunctions
from gapless_dependency.factors.arc_family import (
    Grandchild as Grandchild,
    GreatGrandchild as GreatGrandchild,
    Sibling as Sibling,
    TriSibling as TriSibling,
)
from gapless_dependency.factors.backbone_factor import (
    AdjacentSibling as AdjacentSibling,
    BackboneFactor as BackboneFactor,
    GrandSibling as GrandSibling,
    OutermostGrandchild as OutermostGrandchild,
)
from gapless_dependency.factors.comb import Comb as Comb
from gapless_dependency.factors.pattern import Pattern as Pattern, PatternNode as PatternNode
from gapless_dependency.factors.valency import Valency as Valency, valency as valency
