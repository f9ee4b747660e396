"""The reduced-cost oracle of column generation in chains: which labels are missing, and what they could add."""

from __future__ import annotations

import attrs
import numpy as np

from gapless import Answer, Batch, Columns, Fixings, Generator, Sparse
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_chains.formulation import formulation
from gapless_chains.gauge import gauged_transition
from gapless_chains.messages import ChainView
from gapless_chains.problem import ChainProblem
from gapless_chains.transition_bounds import transition_bounds

_ULPS = 2.0**-48


class ReducedCostOracle(Generator[ChainView]):
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

    The slack is the sum of the largest positive reduced costs of all edges and of both ends of the chain: exactly
    the amount by which the formulation's potentials exceed the restricted optimum. The ends need a look of their
    own (not in the paper), because the guesses for forbidden transitions do not come from a label in the
    neighbour's domain.

    Parameters
    ----------
    problem : ChainProblem
    reduced_cost, centred
        As `DomainMessages` has them.

    Attributes
    ----------
    candidates : int
        Edge settings looked at so far.
    calls : int
    """

    def __init__(self, problem: ChainProblem, *, reduced_cost: str = "both", centred: bool = False) -> None:
        self.problem = problem
        self.formulation = formulation(reduced_cost)
        self.transition = gauged_transition(problem, centred)
        self.bounds = transition_bounds(self.transition)
        self.candidates = 0
        self.calls = 0
        self._last: _Priced | None = None

    def query(self, view: ChainView, *, limit: int | None = None) -> Answer:
        """Labels of edge settings with positive reduced cost, and the slack."""
        self.calls += 1
        if not view.feasible:
            return Answer()
        before = self.candidates
        wanted = np.zeros(view.domains.shape, bool)
        tolerance = _tolerance(view)
        view.excess = np.zeros(len(wanted) + 1)
        view.excess[[0, -1]] = self._price_ends(view, wanted, tolerance)
        view.excess[1:-1] = self._price_edges(view, wanted, tolerance)
        slack = float(view.excess.sum())
        keys = np.flatnonzero(wanted & ~view.domains)
        if limit is not None:
            keys = keys[:limit]
        return Answer(Batch(_columns(keys, self.problem.local)), slack, scored=self.candidates - before)

    def _price_ends(self, view: ChainView, wanted: BoolArray, tolerance: float) -> list[float]:
        """Mark labels of positive reduced cost at the ends; return both maxima."""
        maxima = []
        for end, costs in zip((0, -1), self.formulation.ends(view), strict=True):
            excess = costs if view.searched is None else np.where(view.searched[end], costs, -np.inf)
            wanted[end] |= excess > tolerance
            maxima.append(0.5 * max(0.0, float(excess.max())))
        return maxima

    def _price_edges(self, view: ChainView, wanted: BoolArray, tolerance: float) -> FloatArray:
        """Figure 1 for all edges at once; returns the edges' maxima."""
        left, right = self.formulation.edges(view)
        if view.searched is not None:
            left = np.where(view.searched[:-1], left, -np.inf)
            right = np.where(view.searched[1:], right, -np.inf)
        best_source = left.max(axis=1)
        targets = right + (best_source[:, None] + 2.0 * self.bounds.into) > 0
        best_target = np.max(right, axis=1, where=targets, initial=-np.inf)
        sources = left + (best_target[:, None] + 2.0 * self.bounds.out_of) > 0
        missing = (sources & ~view.domains[:-1]).any(axis=1) | (targets & ~view.domains[1:]).any(axis=1)
        maxima = np.zeros(len(left))
        if self._last is not None and self._last.fixings is view.fixings:
            same = self._last.same(left, right, tolerance)
            missing &= ~same
            maxima[same] = self._last.maxima[same] + 2.0 * tolerance
        for i in np.flatnonzero(missing).tolist():
            xs, ys = sources[i].nonzero()[0], targets[i].nonzero()[0]
            if not (xs.size and ys.size):
                continue
            costs = left[i, xs, None] + 2.0 * self._pair_scores(i, xs, ys) + right[i, ys]
            self.candidates += costs.size
            maxima[i] = max(0.0, float(costs.max()))
            hits = costs > tolerance
            if self.bounds.forbids:
                lost = 0.5 * view.floor
                _one_neighbour(hits, costs, view.beta[i, xs] < lost, view.alpha[i + 1, ys] < lost)
            wanted[i, xs[hits.any(axis=1)]] = True
            wanted[i + 1, ys[hits.any(axis=0)]] = True
        self._last = _Priced(view.fixings, left, right, maxima, maxima <= 4.0 * tolerance)
        return 0.5 * maxima

    def _pair_scores(self, edge: int, xs: IntArray, ys: IntArray) -> FloatArray:
        transition = self.transition
        pairs = transition if transition.ndim == 2 else transition[edge]
        return pairs[xs[:, None], ys]


@attrs.frozen(eq=False)
class _Priced:
    """What the oracle saw and found at its last call.

    Parameters
    ----------
    fixings : Fixings
    left, right : float64 (n-1, K)
        S+ and S-.
    maxima : float64 (n-1,)
        Largest positive reduced cost of each edge, doubled.
    settled : bool (n-1,)
        Edges that want no label.
    """

    fixings: Fixings
    left: FloatArray
    right: FloatArray
    maxima: FloatArray
    settled: BoolArray

    def same(self, left: FloatArray, right: FloatArray, tolerance: float) -> BoolArray:
        """Settled edges whose reduced costs have not changed by more than the tolerance."""
        finite_left, finite_right = left > -np.inf, right > -np.inf
        moved_left = np.subtract(left, self.left, where=finite_left, out=np.zeros_like(left))
        moved_right = np.subtract(right, self.right, where=finite_right, out=np.zeros_like(right))
        rise = np.max(moved_left, axis=1, where=finite_left, initial=-np.inf)
        rise += np.max(moved_right, axis=1, where=finite_right, initial=-np.inf)
        fall = np.min(moved_left, axis=1, where=finite_left, initial=np.inf)
        fall += np.min(moved_right, axis=1, where=finite_right, initial=np.inf)
        unmoved: BoolArray = self.settled & (rise <= tolerance) & (fall >= -tolerance)
        return unmoved


def _one_neighbour(hits: BoolArray, costs: FloatArray, no_suffix: BoolArray, no_prefix: BoolArray) -> None:
    """Keep one neighbour of each label that no path reaches yet: to such a label every allowed one looks good.

    Parameters
    ----------
    hits : bool (sources, targets)
        Changed in place.
    costs : float64 (sources, targets)
    no_suffix, no_prefix : bool (sources,), bool (targets,)
        Sources whose message from the right, and targets whose message from the left, are at the floor.
    """
    if not (no_suffix.any() or no_prefix.any()):
        return
    kept = np.zeros_like(hits)
    rows, columns = no_suffix.nonzero()[0], no_prefix.nonzero()[0]
    kept[rows, costs[rows].argmax(axis=1)] = True
    kept[costs[:, columns].argmax(axis=0), columns] = True
    hits &= ~(no_suffix[:, None] | no_prefix) | kept


def _tolerance(view: ChainView) -> float:
    """Reduced costs below this are rounding: ties need no new labels. The slack counts them all the same."""
    return _ULPS * max(abs(view.value), float(np.abs(view.alpha[-1]).max()), float(np.abs(view.beta[0]).max()))


def _columns(keys: IntArray, local: FloatArray) -> Columns:
    if not keys.size:
        return Columns.none()
    uses = Sparse(np.arange(keys.size + 1), keys, np.ones(keys.size))
    return Columns(keys, local.ravel()[keys], Sparse.empty(keys.size), uses)
