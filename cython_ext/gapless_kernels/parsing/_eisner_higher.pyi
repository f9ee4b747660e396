from gapless_kernels.parsing._eisner_higher_twin import *
