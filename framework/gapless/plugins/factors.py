"""The plug-in ``factors``: the diagrams that `gapless.factors` ships."""

from __future__ import annotations

from gapless.plugins.table import table

# fmt: off
gapless_register = table(
    factors={
        "at-least-one": "gapless.factors.shipped.occurrence:AtLeastOne",
        "at-most-one": "gapless.factors.shipped.occurrence:AtMostOne",
        "automaton": "gapless.factors.shipped.automaton:Automaton",
        "budget": "gapless.factors.shipped.budget:Budget",
        "cardinality": "gapless.factors.shipped.cardinality:Cardinality",
        "or": "gapless.factors.shipped.occurrence:Or",
        "precedence": "gapless.factors.shipped.precedence:Precedence",
        "segment-lengths": "gapless.factors.shipped.segment_lengths:SegmentLengths",
        "table": "gapless.factors.shipped.table:Table",
    },
)
# fmt: on
