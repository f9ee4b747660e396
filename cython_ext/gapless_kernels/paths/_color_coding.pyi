# The compiled functions have the signatures of their twins: `tests/kernels/test_twins.py`.
from gapless_kernels.paths._color_coding_twin import *
