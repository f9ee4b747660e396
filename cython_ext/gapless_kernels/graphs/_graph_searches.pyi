# The compiled functions have the signatures of their twins: `tests/kernels/test_twins.py`.
from gapless_kernels.graphs._graph_searches_twin import *
