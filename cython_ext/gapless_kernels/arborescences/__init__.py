"""Arborescences: the best spanning tree (Chu-Liu-Edmonds), its dual, max-marginals, marginals and the k best."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.arborescences._arborescence import (
        arborescence,
        arborescence_dual,
        arborescence_k_best,
        arborescence_marginals,
        arborescence_max_marginals,
    )
else:
    from gapless_kernels.arborescences._arborescence_twin import (
        arborescence,
        arborescence_dual,
        arborescence_k_best,
        arborescence_marginals,
        arborescence_max_marginals,
    )

__all__ = [
    "arborescence",
    "arborescence_dual",
    "arborescence_k_best",
    "arborescence_marginals",
    "arborescence_max_marginals",
]
