"""The generator of missing labels: one round of pricing, for chains and trees."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Answer, Batch, Columns, Generator, Sparse
from gapless_chains.column_generation.edge_pricing import ULPS, EdgePricing
from gapless_chains.column_generation.label_domains import V
from gapless_chains.labelling import Labelling


class LabelPricing(Generator[V]):
    """Labels of edge settings with positive reduced cost. Labels in the domains are never returned."""

    calls = 0

    def __init__(self, problem: Labelling, edges: EdgePricing) -> None:
        self.problem: Labelling = problem
        self._edges = edges

    @property
    def candidates(self) -> int:
        """Edge settings looked at so far."""
        return self._edges.candidates

    def query(self, view: V, *, limit: int | None = None) -> Answer:
        """Labels of edge settings with positive reduced cost, and the slack."""
        self.calls += 1
        if not view.feasible:
            return Answer(slack=0.0)
        before = self.candidates
        wanted = np.zeros(view.domains.shape, bool)
        # Reduced costs below this are rounding: ties need no new labels. The slack counts them all the same.
        slack = self._price(view, wanted, ULPS * self._magnitude(view))
        keys = np.flatnonzero(wanted & ~view.domains)[:limit]
        return Answer(Batch(_columns(keys, self.problem.local)), slack, scored=self.candidates - before)

    @abstractmethod
    def _price(self, view: V, wanted: BoolArray, tolerance: float) -> float:
        """Mark labels of reduced costs above the tolerance; return the slack."""

    @abstractmethod
    def _magnitude(self, view: V) -> float:
        """The largest of the messages whose differences are reduced costs."""


def _columns(keys: IntArray, local: FloatArray) -> Columns:
    """Columns for the labels with the decisions `keys`."""
    if not keys.size:
        return Columns.none()
    uses = Sparse(np.arange(keys.size + 1), keys, np.ones(keys.size))
    return Columns(keys, local.ravel()[keys], Sparse.empty(keys.size), uses)
