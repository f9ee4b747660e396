"""Branch and bound for parsing with non-local factors (Qian and Liu 2013): the method ``split-bound``."""

from gapless_splitbound.branching import LargestGap
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.enumerated import EnumeratedTrees
from gapless_splitbound.forbidden_configurations import ForbiddenConfigurations
from gapless_splitbound.lagrangian import SplitBound, SplitRelaxation
from gapless_splitbound.multipliers import Split
from gapless_splitbound.pruning import candidate_heads, prune

__all__ = [
    "EnumeratedTrees",
    "ForbiddenConfigurations",
    "LargestGap",
    "Split",
    "SplitBound",
    "SplitMultipliers",
    "SplitRelaxation",
    "candidate_heads",
    "prune",
]
