from gapless_kernels.sparse_chains._k_best_twin import *
