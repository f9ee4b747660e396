"""Labellings of rooted trees as a backbone of the search, in compiled code."""

import numpy as np
import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class TreeLabels(Maximiser):
    """The labellings of a tree or forest; decision ``i * K + x`` says that node i has label x.

    Parameters
    ----------
    parents : int64 (n,)
        Parent of each node, which comes before it; -1 for a root.
    transition : float64 (K, K) or (n, K, K)
        Own score of neighbouring labels, the parent's first; -inf forbids. One matrix for all edges, or entry
        i for the edge above node i.
    """

    def __init__(self, parents: npt.NDArray[np.int64], transition: npt.NDArray[np.float64]) -> None: ...
