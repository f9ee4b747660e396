from gapless_kernels.parsing._arc_sets_twin import *
