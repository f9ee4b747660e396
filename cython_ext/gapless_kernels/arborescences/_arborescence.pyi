from gapless_kernels.arborescences._arborescence_twin import *
