"""Chains with few allowed labels or arrivals: pruned Viterbi, beam search, the k best labellings."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.sparse_chains._beam import beam_batch
    from gapless_kernels.sparse_chains._k_best import k_best_batch
    from gapless_kernels.sparse_chains._viterbi_pruned import viterbi_pruned_batch
else:
    from gapless_kernels.sparse_chains._beam_twin import beam_batch
    from gapless_kernels.sparse_chains._k_best_twin import k_best_batch
    from gapless_kernels.sparse_chains._viterbi_pruned_twin import viterbi_pruned_batch

__all__ = ["beam_batch", "k_best_batch", "viterbi_pruned_batch"]
