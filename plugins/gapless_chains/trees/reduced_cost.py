"""The reduced-cost oracle of column generation in trees: which labels are missing, and what they could add."""

from __future__ import annotations

import numpy as np

from gapless import Answer, Batch
from gapless.core.sparse import BoolArray
from gapless_chains.column_generation.domain_generation import LabelPricing
from gapless_chains.column_generation.edge_pricing import ULPS, EdgePricing, label_columns
from gapless_chains.transition_bounds import transition_bounds
from gapless_chains.trees.messages import TreeView
from gapless_chains.trees.problem import TreeProblem


class TreeReducedCostOracle(LabelPricing[TreeView]):
    """Finds edge settings of positive reduced cost without looking at most of them.

    Source: Belanger, Passos, Riedel, McCallum 2012, section 4.3 and appendix A.1: the reduced cost of an edge
    setting uses the message that reaches each end without that edge,

        ``R(x, y) = f [below(y) + tau(x, y) - up(x)] + (1 - f) [beyond(x) + tau(x, y) - down(y)]``,

    with ``f`` the share of root weights above the edge (see `root_weights`, which also says why 1/2, as in chains,
    would be wrong where a tree branches). Edges that cannot want a label are skipped as in chains, see
    `EdgePricing`. Labels in the domains are never returned.

    The slack is the sum of the largest positive reduced costs of all edges and, for each node with a weight, of its
    weight times the excess of the best score that reaches it over the restricted optimum of its tree: exactly the
    amount by which `potentials` exceed the restricted optimum.

    Parameters
    ----------
    problem : TreeProblem

    Attributes
    ----------
    calls : int
    """

    def __init__(self, problem: TreeProblem) -> None:
        self.problem = problem
        self.bounds = transition_bounds(problem.transition)
        self.calls = 0
        inner = problem.inner
        into, out_of = self.bounds.into, self.bounds.out_of
        if into.ndim == 2:
            into, out_of = into[inner], out_of[inner]
        self._edges = EdgePricing(lambda edge: problem.pairs(int(inner[edge])), into, out_of, scale=1.0)

    @property
    def candidates(self) -> int:
        """Edge settings looked at so far."""
        return self._edges.candidates

    def query(self, view: TreeView, *, limit: int | None = None) -> Answer:
        """Labels of edge settings with positive reduced cost, and the slack."""
        self.calls += 1
        if not view.feasible:
            return Answer()
        before = self.candidates
        wanted = np.zeros(view.domains.shape, bool)
        tolerance = _tolerance(view)
        slack = self._price_ends(view, wanted, tolerance) + self._price_edges(view, wanted, tolerance)
        keys = np.flatnonzero(wanted & ~view.domains)
        if limit is not None:
            keys = keys[:limit]
        return Answer(Batch(label_columns(keys, self.problem.local)), slack, scored=self.candidates - before)

    def _price_ends(self, view: TreeView, wanted: BoolArray, tolerance: float) -> float:
        """Mark labels that a score above the optimum reaches, at nodes with a weight; return their weighted sum."""
        ends = np.flatnonzero(view.weights)
        reaching = view.below[ends]
        inner = self.problem.parents[ends] >= 0
        reaching[inner] += view.down[ends[inner]]
        excess = reaching - view.values[ends, None]
        wanted[ends] |= excess > tolerance
        return float((view.weights[ends] * np.maximum(excess.max(axis=1), 0.0)).sum())

    def _price_edges(self, view: TreeView, wanted: BoolArray, tolerance: float) -> float:
        """All edges at once; returns the sum of the edges' maxima."""
        inner = self.problem.inner
        if not inner.size:
            return 0.0
        parents = self.problem.parents[inner]
        above = view.above[inner, None]
        up, down = view.up[inner], view.down[inner]
        left = (1.0 - above) * view.beyond[inner] - above * up
        right = above * view.below[inner] - (1.0 - above) * down
        low = 0.5 * view.floor
        lost = (up < low, down < low) if self.bounds.forbids else None
        domains = view.domains[parents], view.domains[inner]
        priced = self._edges.price(view.fixings, left, right, domains, tolerance, lost)
        wanted[inner] |= priced.targets
        np.logical_or.at(wanted, parents, priced.sources)
        return float(priced.maxima.sum())


def _tolerance(view: TreeView) -> float:
    """Reduced costs below this are rounding: ties need no new labels. The slack counts them all the same."""
    return ULPS * max(float(np.abs(a).max()) for a in (view.values, view.up, view.down))
