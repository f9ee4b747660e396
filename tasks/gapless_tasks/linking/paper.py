"""The paper's numbers beside which ours are printed.

Source: Blanco, Boldi and Marino, Entity-Linking via Graph-Distance Minimization, 2013, section 6: 95 documents of
the IITB data on the whole English Wikipedia of 2013 (3.7 million articles), some 96 candidates for each mention.
Its ratios are to the best of its heuristics; ours are to the proved optimum.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Numbers:
    """One row of table 1.

    Parameters
    ----------
    ratio, value : tuple of float, or None
        The averages with the maximal and the minimal connection.
    """

    ratio: tuple[float, float] | None = None
    value: tuple[float, float] | None = None


TABLE_1: Mapping[str, Numbers] = {
    "spanning-tree": Numbers((122.747, 130.998), (0.369, 0.360)),
    "hitting-distance": Numbers((103.945, 105.797), (0.454, 0.459)),
    "greedy": Numbers((101.969, 102.785), (0.428, 0.426)),
    "degree": Numbers((114.182, 113.285), (0.411, 0.394)),
    "pagerank": Numbers((114.894, 112.392), (0.407, 0.398)),
    "ground truth": Numbers((115.117, 119.243)),
}

JACCARD = 0.3
"""Of the solutions by degree and by hitting distance, with either connection."""

DIRECTED: Mapping[str, tuple[float, float]] = {"degree": (0.327, 0.020), "pagerank": (0.336, 0.022)}
"""Value and standard error in the directed graph, without a connection."""
