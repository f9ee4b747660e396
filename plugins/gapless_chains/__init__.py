"""Exact decoding of chains and trees: Viterbi, dominance, and column generation.

The column generation is that of Belanger, Passos, Riedel and McCallum 2012. Build a `ChainProblem` or a
`TreeProblem` from scores and give it to `gapless.solve`; the certificate of every answer is a
`PotentialsCertificate` or a `TreePotentialsCertificate`. `DomainMessages` and `ReducedCostOracle` (for trees
`TreeMessages` and `TreeReducedCostOracle`) are the method's roles, for other engines.
"""

from gapless_chains.batch import ChainBatch, ChainModel
from gapless_chains.column_generation.messages import ChainView, DomainMessages
from gapless_chains.column_generation.reduced_cost import ReducedCostOracle
from gapless_chains.k_best import k_best_of_batch
from gapless_chains.k_best_labellings import KBest
from gapless_chains.margin import MarginViolations, margin_violation, two_best
from gapless_chains.path_values import path_values
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.transition_bounds import TransitionBounds, transition_bounds
from gapless_chains.trees import (
    TreeMessages,
    TreePotentialsCertificate,
    TreeProblem,
    TreeReducedCostOracle,
    TreeView,
)

__all__ = [
    "ChainBatch",
    "ChainModel",
    "ChainProblem",
    "ChainView",
    "DomainMessages",
    "DominanceCertificate",
    "KBest",
    "MarginViolations",
    "PotentialsCertificate",
    "ReducedCostOracle",
    "TransitionBounds",
    "TreeMessages",
    "TreePotentialsCertificate",
    "TreeProblem",
    "TreeReducedCostOracle",
    "TreeView",
    "k_best_of_batch",
    "margin_violation",
    "path_values",
    "transition_bounds",
    "two_best",
]
