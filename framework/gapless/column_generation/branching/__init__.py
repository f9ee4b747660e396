"""Branching for branch and price: candidates, pseudo-costs, strong branching in phases, and diving.

A *candidate* is a way to split a node. `Fractional`, `Expressions` and `RyanFoster` generate candidates, and are
branchers by themselves; `StrongBranching` chooses among theirs by probing the children. `diving` and
`restricted_master` are primal heuristics, for `Formulation.rounding`.
"""

from gapless.column_generation.branching.candidates import Candidate, CandidateBrancher, Fractional
from gapless.column_generation.branching.dive import diving
from gapless.column_generation.branching.expressions import Expressions, Sum
from gapless.column_generation.branching.pseudo_costs import PseudoCosts
from gapless.column_generation.branching.restricted_master import restricted_master
from gapless.column_generation.branching.ryan_foster import ItemGroups, RyanFoster
from gapless.column_generation.branching.strong import Phase, StrongBranching

__all__ = [
    "Candidate",
    "CandidateBrancher",
    "Expressions",
    "Fractional",
    "ItemGroups",
    "Phase",
    "PseudoCosts",
    "RyanFoster",
    "StrongBranching",
    "Sum",
    "diving",
    "restricted_master",
]
