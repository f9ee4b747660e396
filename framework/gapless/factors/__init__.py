"""Diagrams for common factors, over the decisions of any problem: budgets, counts, automata, tables.

Each takes decisions by number: see the problem's `decisions`. Every name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.factors.automaton import Automaton as Automaton
    from gapless.factors.budget import Budget as Budget
    from gapless.factors.cardinality import Cardinality as Cardinality
    from gapless.factors.drawing import draw_diagram as draw_diagram
    from gapless.factors.occurrence import AtLeastOne as AtLeastOne
    from gapless.factors.occurrence import AtMostOne as AtMostOne
    from gapless.factors.occurrence import Or as Or
    from gapless.factors.precedence import Precedence as Precedence
    from gapless.factors.segment_lengths import SegmentLengths as SegmentLengths
    from gapless.factors.table import Table as Table
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless.factors.automaton": "Automaton",
            "gapless.factors.budget": "Budget",
            "gapless.factors.cardinality": "Cardinality",
            "gapless.factors.drawing": "draw_diagram",
            "gapless.factors.occurrence": "AtLeastOne AtMostOne Or",
            "gapless.factors.precedence": "Precedence",
            "gapless.factors.segment_lengths": "SegmentLengths",
            "gapless.factors.table": "Table",
        },
    )
