"""Higher-order factors over arcs, one family a file."""

from gapless_dependency.factors.grandchild import Grandchild
from gapless_dependency.factors.sibling import Sibling

__all__ = ["Grandchild", "Sibling"]
