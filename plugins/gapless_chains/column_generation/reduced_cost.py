"""The reduced-cost oracle of column generation in chains: missing labels, and a bound on their gain."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless_chains.column_generation.edge_pricing import EdgePricing, LabelPricing
from gapless_chains.column_generation.formulation import ChainView, formulation
from gapless_chains.column_generation.reparametrisation import gauged_transition
from gapless_chains.problem import ChainProblem
from gapless_chains.transition_bounds import transition_bounds


class ReducedCostOracle(LabelPricing[ChainView]):
    """Finds edge settings of positive reduced cost without looking at most of them.

    Source: Belanger, Passos, Riedel, McCallum 2012, section 4.3 and Figure 1. The reduced cost of an edge setting
    (eq. 12) is decomposed (eq. 13) as ``2 R_i(x, y) = S+_i(x) + 2 tau(x, y) + S-_i(y)``, with
    ``S+_i = theta_i + alpha_i - beta_i`` and ``S-_i = theta_{i+1} - alpha_{i+1} + beta_{i+1}``. Bounding the other
    end and the transition by their maxima leaves few candidates at either end; only their pairs are looked at.

    An edge is skipped when all its candidates are in the domains already: no such pair has a positive reduced cost,
    because in-domain messages are exact. For the same reason labels in the domains are never returned, which also
    keeps rounding from making the method cycle. And it is skipped when nothing was missing there at the last call
    and its reduced costs have not changed since (section 4.3): messages at both ends have moved by opposite
    constants.

    The pricing gap is the sum of the largest positive reduced costs of all edges and of both ends of the chain:
    exactly the amount by which the formulation's potentials exceed the restricted optimum. The ends are priced
    separately (not in the paper), because the guesses for forbidden transitions do not come from a label in the
    neighbour's domain.

    Parameters
    ----------
    problem : ChainProblem
    reduced_cost, centred
        As `DomainMessages` has them.

    Attributes
    ----------
    calls : int

    Examples
    --------
    >>> from gapless.roles import Generator
    >>> from gapless_chains import ReducedCostOracle
    >>> issubclass(ReducedCostOracle, Generator)
    True
    """

    def __init__(self, problem: ChainProblem, *, reduced_cost: str = "both", centred: bool = False) -> None:
        self.formulation = formulation(reduced_cost)
        self.transition = gauged_transition(problem, centred)
        self.bounds = transition_bounds(self.transition)
        super().__init__(problem, EdgePricing(self._pairs, self.bounds.into, self.bounds.out_of, scale=2.0))

    def _price(self, view: ChainView, missing: BoolArray, tolerance: float) -> float:
        view.excess = np.zeros(len(missing) + 1)
        view.excess[[0, -1]] = self._price_ends(view, missing, tolerance)
        view.excess[1:-1] = self._price_edges(view, missing, tolerance)
        return float(view.excess.sum())

    def _magnitude(self, view: ChainView) -> float:
        return max(abs(view.value), float(np.abs(view.alpha[-1]).max()), float(np.abs(view.beta[0]).max()))

    def _price_ends(self, view: ChainView, missing: BoolArray, tolerance: float) -> list[float]:
        """Mark labels of positive reduced cost at the ends; return both maxima."""
        maxima = []
        for end, costs in zip((0, -1), self.formulation.ends(view), strict=True):
            excess = costs if view.searched is None else np.where(view.searched[end], costs, -np.inf)
            missing[end] |= excess > tolerance
            maxima.append(0.5 * max(0.0, float(excess.max())))
        return maxima

    def _price_edges(self, view: ChainView, missing: BoolArray, tolerance: float) -> FloatArray:
        """Price all edges at once; return the maximum of each."""
        left, right = self.formulation.edges(view)
        if view.searched is not None:
            left = np.where(view.searched[:-1], left, -np.inf)
            right = np.where(view.searched[1:], right, -np.inf)
        low = 0.5 * view.floor
        lost = (view.beta[:-1] < low, view.alpha[1:] < low) if self.bounds.forbids else None
        domains = view.domains[:-1], view.domains[1:]
        priced = self._edges.price(view.fixings, left, right, domains, tolerance, lost, view.stop)
        missing[:-1] |= priced.sources
        missing[1:] |= priced.targets
        return 0.5 * priced.maxima

    def _pairs(self, edge: int) -> FloatArray:
        transition = self.transition
        return transition if transition.ndim == 2 else transition[edge]
