"""Exact decoding of chains and trees: Viterbi, dominance, and column generation.

The column generation is that of Belanger, Passos, Riedel and McCallum 2012. Build a `ChainProblem` or a
`TreeProblem` from scores and give it to `gapless.solve`; the certificate of every answer is a
`PotentialsCertificate` or a `TreePotentialsCertificate`. `DomainMessages` and `ReducedCostOracle` (for trees
`TreeMessages` and `TreeReducedCostOracle`) are the method's roles, for other engines.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_chains.batch import ChainBatch as ChainBatch, ChainModel as ChainModel, path_values as path_values
    from gapless_chains.batch_decoding import KBestLabellings as KBestLabellings
    from gapless_chains.column_generation.formulation import ChainView as ChainView
    from gapless_chains.column_generation.messages import DomainMessages as DomainMessages
    from gapless_chains.column_generation.reduced_cost import ReducedCostOracle as ReducedCostOracle
    from gapless_chains.k_best import k_best_of_batch as k_best_of_batch
    from gapless_chains.label_maximiser import (
        TreeLabelMaximiser as TreeLabelMaximiser,
        ViterbiMaximiser as ViterbiMaximiser,
    )
    from gapless_chains.margin import (
        MarginViolations as MarginViolations,
        margin_violation as margin_violation,
        two_best as two_best,
    )
    from gapless_chains.problem import ChainProblem as ChainProblem
    from gapless_chains.proofs.potentials import (
        PotentialsCertificate as PotentialsCertificate,
        TreePotentialsCertificate as TreePotentialsCertificate,
    )
    from gapless_chains.proofs.survivors import DominanceCertificate as DominanceCertificate
    from gapless_chains.segments import Segments as Segments
    from gapless_chains.transition_bounds import (
        TransitionBounds as TransitionBounds,
        transition_bounds as transition_bounds,
    )
    from gapless_chains.trees.messages import TreeMessages as TreeMessages, TreeView as TreeView
    from gapless_chains.trees.problem import TreeProblem as TreeProblem
    from gapless_chains.trees.reduced_cost import TreeReducedCostOracle as TreeReducedCostOracle
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
