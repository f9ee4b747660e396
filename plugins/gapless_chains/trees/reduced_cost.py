"""The reduced-cost oracle of column generation in trees: missing labels, and a bound on their gain."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray
from gapless_chains.column_generation.edge_pricing import EdgePricing, LabelPricing
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

    The pricing gap is the sum of the largest positive reduced costs of all edges and, for each node with a weight,
    of its weight times the excess of the best score that reaches it over the restricted optimum of its tree:
    exactly the amount by which `potentials` exceed the restricted optimum.

    Parameters
    ----------
    problem : TreeProblem

    Attributes
    ----------
    calls : int

    Examples
    --------
    >>> from gapless.roles import Generator
    >>> from gapless_chains import TreeReducedCostOracle
    >>> issubclass(TreeReducedCostOracle, Generator)
    True
    """

    problem: TreeProblem

    def __init__(self, problem: TreeProblem) -> None:
        self.bounds = transition_bounds(problem.transition)
        inner = problem.inner
        into, out_of = self.bounds.into, self.bounds.out_of
        # One row per node; the rows of roots belong to no edge.
        if into.ndim == 2:
            into, out_of = into[inner], out_of[inner]
        super().__init__(
            problem, EdgePricing(lambda edge: problem.pairs(int(inner[edge])), into, out_of, scale=1.0)
        )

    def _price(self, view: TreeView, missing: BoolArray, tolerance: float) -> float:
        return self._price_ends(view, missing, tolerance) + self._price_edges(view, missing, tolerance)

    def _magnitude(self, view: TreeView) -> float:
        return max(float(np.abs(a).max()) for a in (view.values, view.up, view.down))

    def _price_ends(self, view: TreeView, missing: BoolArray, tolerance: float) -> float:
        """Mark labels that a score above the optimum reaches, at nodes with a weight; return their weighted sum."""
        ends = np.flatnonzero(view.weights)
        reaching = view.below[ends]
        inner = self.problem.parents[ends] >= 0
        reaching[inner] += view.down[ends[inner]]
        excess = reaching - view.values[ends, None]
        missing[ends] |= excess > tolerance
        return float((view.weights[ends] * np.maximum(excess.max(axis=1), 0.0)).sum())

    def _price_edges(self, view: TreeView, missing: BoolArray, tolerance: float) -> float:
        """Price all edges at once; return the sum of their maxima."""
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
        priced = self._edges.price(view.fixings, left, right, domains, tolerance, lost, view.stop)
        missing[inner] |= priced.targets
        np.logical_or.at(missing, parents, priced.sources)
        return float(priced.maxima.sum())
