from gapless_kernels.trees._trees_twin import *
