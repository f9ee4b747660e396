from gapless_kernels.chains._dominance_twin import *
