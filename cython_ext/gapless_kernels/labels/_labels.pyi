# The compiled functions have the signatures of their twins: `tests/kernels/test_twins.py`.
from gapless_kernels.labels._labels_twin import *
