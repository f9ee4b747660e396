"""Branching for branch and price: candidates, pseudo-costs, strong branching in phases, and diving.

A *candidate* is a way to split a node. `Fractional`, `Expressions` and `RyanFoster` name candidates, and are
branchers by themselves; `StrongBranching` chooses among theirs by looking below the node. `diving` and
`restricted_master` are rules of rounding, for `Formulation.rounding`.
"""

from gapless.branching.candidates import Candidate, CandidateBrancher, Fractional
from gapless.branching.dive import diving
from gapless.branching.expressions import Expressions, Sum
from gapless.branching.pseudo_costs import PseudoCosts
from gapless.branching.restricted import restricted_master
from gapless.branching.ryan_foster import Merged, RyanFoster
from gapless.branching.strong import Phase, StrongBranching

__all__ = [
    "Candidate",
    "CandidateBrancher",
    "Expressions",
    "Fractional",
    "Merged",
    "Phase",
    "PseudoCosts",
    "RyanFoster",
    "StrongBranching",
    "Sum",
    "diving",
    "restricted_master",
]
