from gapless_kernels.sparse_chains._beam_twin import *
