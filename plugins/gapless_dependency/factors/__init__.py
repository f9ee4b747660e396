"""Higher-order factors over arcs, one family a file."""

from gapless_dependency.factors.adjacent_sibling import AdjacentSibling
from gapless_dependency.factors.backbone_factor import BackboneFactor
from gapless_dependency.factors.grand_sibling import GrandSibling
from gapless_dependency.factors.grandchild import Grandchild
from gapless_dependency.factors.outermost_grandchild import OutermostGrandchild
from gapless_dependency.factors.sibling import Sibling

__all__ = ["AdjacentSibling", "BackboneFactor", "GrandSibling", "Grandchild", "OutermostGrandchild", "Sibling"]
