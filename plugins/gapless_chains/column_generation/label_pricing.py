"""The generator of missing labels: one round of pricing, for chains and trees."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Batch, Columns, Generator, GeneratorResult, Sparse
from gapless_chains.column_generation.edge_pricing import ULPS, EdgePricing
from gapless_chains.column_generation.label_domains import V
from gapless_chains.node_labelling import NodeLabelling


class LabelPricing(Generator[V]):
    """Labels of edge settings with positive reduced cost. Labels in the domains are never returned."""

    calls = 0

    def __init__(self, problem: NodeLabelling, edges: EdgePricing) -> None:
        self.problem: NodeLabelling = problem
        self._edges = edges

    @property
    def candidates(self) -> int:
        """Edge settings looked at so far."""
        return self._edges.candidates

    def query(self, view: V, *, limit: int | None = None) -> GeneratorResult:
        """Find labels of edge settings with positive reduced cost, and the pricing gap."""
        self.calls += 1
        if not view.feasible:
            return GeneratorResult(pricing_gap=0.0)
        previous = self.candidates
        missing = np.zeros(view.domains.shape, bool)
        # Reduced costs below this are rounding: ties need no new labels. The pricing gap counts them all the same.
        pricing_gap = self._price(view, missing, ULPS * self._magnitude(view))
        keys = np.flatnonzero(missing & ~view.domains)[:limit]
        return GeneratorResult(
            Batch(_columns(keys, self.problem.local)), pricing_gap, scored=self.candidates - previous
        )

    @abstractmethod
    def _price(self, view: V, missing: BoolArray, tolerance: float) -> float:
        """Mark labels of reduced costs above the tolerance; return the pricing gap."""

    @abstractmethod
    def _magnitude(self, view: V) -> float:
        """Return the largest magnitude of the messages whose differences are reduced costs."""


def _columns(keys: IntArray, local: FloatArray) -> Columns:
    """Make columns for the labels with the decisions `keys`."""
    if not keys.size:
        return Columns.none()
    uses = Sparse(np.arange(keys.size + 1), keys, np.ones(keys.size))
    return Columns(keys, local.ravel()[keys], Sparse.empty(keys.size), uses)
