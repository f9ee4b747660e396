from gapless_kernels.sparse_chains._viterbi_pruned_twin import *
