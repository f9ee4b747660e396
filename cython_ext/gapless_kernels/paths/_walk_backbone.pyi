"""Walks of k vertices as a backbone of the search, in compiled code."""

import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class Walks(Maximiser):
    """Walks of `length` of the `vertices`, from a source to a sink; all scores are weights.

    Decision v is the edge from the source to vertex v, ``n + n u + v`` that from u to v, ``n + n n + v`` that
    to the sink. A walk may visit a vertex again: its value counts each use of an edge, and is at least that
    of the best path that agrees with the state; where nothing is free, it is that of the path. Own scores are
    0 for paths that visit no class twice, and tell them from other sets of edges. Max-marginals are upper
    bounds.

    Parameters
    ----------
    vertices, length : int
        n and k, at least 1.
    classes : int (vertices,)
        Class of each vertex, below n.
    """

    def __init__(self, vertices: int, length: int, classes: npt.ArrayLike) -> None: ...
