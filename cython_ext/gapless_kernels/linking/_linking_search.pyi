# The compiled functions have the signatures of their twins: `tests/kernels/test_twins.py`.
from gapless_kernels.linking._linking_search_twin import *
