"""Diagrams for common factors, over the decisions of any problem: budgets, counts, automata, tables.

Each takes decisions by number: see the problem's `decisions`. Every name is imported on first access.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.factors.shipped.automaton import Automaton as Automaton
    from gapless.factors.shipped.budget import Budget as Budget
    from gapless.factors.shipped.cardinality import Cardinality as Cardinality
    from gapless.factors.shipped.drawing import draw_diagram as draw_diagram
    from gapless.factors.shipped.occurrence import AtLeastOne as AtLeastOne
    from gapless.factors.shipped.occurrence import AtMostOne as AtMostOne
    from gapless.factors.shipped.occurrence import Or as Or
    from gapless.factors.shipped.precedence import Precedence as Precedence
    from gapless.factors.shipped.segment_lengths import SegmentLengths as SegmentLengths
    from gapless.factors.shipped.table import Table as Table
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
