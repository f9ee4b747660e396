from gapless_kernels.parsing._eisner_twin import *
