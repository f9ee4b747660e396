"""Secondary structure of RNA as a gapless plug-in: a problem, its backbone in Python and in C, and factors."""

from gapless_rna_folding.dotbracket import Structure, dot_bracket, from_dot_bracket
from gapless_rna_folding.factors import Stacking
from gapless_rna_folding.maximiser import NonCrossing
from gapless_rna_folding.pairs import Pairs
from gapless_rna_folding.problem import FoldingProblem

__all__ = [
    "FoldingProblem",
    "NonCrossing",
    "Pairs",
    "Stacking",
    "Structure",
    "dot_bracket",
    "from_dot_bracket",
]
