"""The plug-in ``factors``: the diagrams that `gapless.factors` ships."""

from __future__ import annotations

from gapless.plugins.table import table

# fmt: off
gapless_register = table(
    factors={
        "at-least-one": "gapless.factors.occurrence:AtLeastOne",
        "at-most-one": "gapless.factors.occurrence:AtMostOne",
        "automaton": "gapless.factors.automaton:Automaton",
        "budget": "gapless.factors.budget:Budget",
        "cardinality": "gapless.factors.cardinality:Cardinality",
        "or": "gapless.factors.occurrence:Or",
        "precedence": "gapless.factors.precedence:Precedence",
        "segment-lengths": "gapless.factors.segment_lengths:SegmentLengths",
        "table": "gapless.factors.table:Table",
    },
)
# fmt: on
