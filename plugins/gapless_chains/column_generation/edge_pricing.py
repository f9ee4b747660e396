"""Pricing in chains and trees: missing labels of edges of positive reduced cost, without looking at most edges."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Batch, Columns, Fixings, Generator, GeneratorResult, Sparse
from gapless_chains.column_generation.label_domains import V
from gapless_chains.node_labelling import NodeLabelling

ULPS = 2.0**-48
"""The rounding of a reduced cost of zero, as a share of the messages."""

PAIRS_TO_STOP = 10_000_000
"""Pairs of labels between two checks of the limits: a tenth of a second. Most pricing takes less, and its bound
justifies the wait."""


@attrs.frozen(eq=False)
class PricedEdges:
    """The result of `EdgePricing.price`.

    `sources`, `targets` (bool (edges, K)): labels at either end that take part in a setting of positive reduced
    cost. `maxima` (float64 (edges,)): largest positive reduced cost of each edge.
    """

    sources: BoolArray
    targets: BoolArray
    maxima: FloatArray


class EdgePricing:
    """Search for settings (x, y) of edges with ``left(x) + scale * pair(x, y) + right(y) > 0``.

    Source: Belanger, Passos, Riedel, McCallum 2012, section 4.3 and Figure 1. Bounding the other end and the pair
    by their maxima leaves few candidates at either end; only their pairs are looked at. An edge is skipped when all
    its candidates are in the domains already, and when nothing was missing there at the last call and its reduced
    costs have not changed since.

    Parameters
    ----------
    pairs : callable
        ``pairs(edge)`` is the (K, K) array of its pair scores, source first.
    into, out_of : float64 (K,) or (edges, K)
        Maxima of the pair scores into each target, and out of each source.

    Attributes
    ----------
    candidates : int
        Settings looked at so far.
    """

    def __init__(
        self, pairs: Callable[[int], FloatArray], into: FloatArray, out_of: FloatArray, scale: float
    ) -> None:
        self.pairs = pairs
        self.into = into
        self.out_of = out_of
        self.scale = scale
        self.candidates = 0
        self._last: _Seen | None = None

    def price(
        self,
        fixings: Fixings,
        left: FloatArray,
        right: FloatArray,
        domains: tuple[BoolArray, BoolArray],
        tolerance: float,
        lost: tuple[BoolArray, BoolArray] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> PricedEdges:
        """Price all edges.

        Parameters
        ----------
        fixings : Fixings
            A memory of other fixings is not used.
        left, right : float64 (edges, K)
            Finite or minus infinity.
        domains : pair of bool (edges, K)
            Labels that the restricted relaxation has at the source and at the target of each edge.
        tolerance : float
            Reduced costs up to this add no label; `PricedEdges.maxima` counts them all the same.
        lost : pair of bool (edges, K), optional
            Sources without an allowed target in the target's domain, and the other way round: to such a label every
            allowed one looks good, and the best is enough.
        stop : callable
            Called every `PAIRS_TO_STOP`. True ends the pricing: the maxima mean nothing then, and are not
            remembered.
        """
        scale = self.scale
        # Figure 1: bound source and pair by their maxima to select targets, then use the best of these for the
        # sources.
        best_source = left.max(axis=1)
        targets = right + (best_source[:, None] + scale * self.into) > 0
        best_target = np.max(right, axis=1, where=targets, initial=-np.inf)
        sources = left + (best_target[:, None] + scale * self.out_of) > 0
        missing = (sources & ~domains[0]).any(axis=1) | (targets & ~domains[1]).any(axis=1)
        priced = PricedEdges(np.zeros(left.shape, bool), np.zeros(left.shape, bool), np.zeros(len(left)))
        if self._last is not None and self._last.fixings is fixings:
            same = self._last.unchanged(left, right, tolerance)
            missing &= ~same
            # Both ends may have moved by the tolerance since these maxima were computed.
            priced.maxima[same] = self._last.maxima[same] + 2.0 * tolerance
        last_check = self.candidates
        for i in np.flatnonzero(missing).tolist():
            if self.candidates - last_check > PAIRS_TO_STOP:
                last_check = self.candidates
                if stop():
                    # Edges that were not priced have no maxima, so the next call must not build on these.
                    self._last = None
                    return priced
            xs, ys = sources[i].nonzero()[0], targets[i].nonzero()[0]
            # No candidate on one side: every setting of the edge has a reduced cost of at most 0.
            if not (xs.size and ys.size):
                continue
            costs = left[i, xs, None] + scale * self.pairs(i)[xs[:, None], ys] + right[i, ys]
            self.candidates += costs.size
            priced.maxima[i] = max(0.0, float(costs.max()))
            hits = costs > tolerance
            if lost is not None:
                _one_neighbour(hits, costs, lost[0][i, xs], lost[1][i, ys])
            priced.sources[i, xs[hits.any(axis=1)]] = True
            priced.targets[i, ys[hits.any(axis=0)]] = True
        self._last = _Seen(fixings, left, right, priced.maxima)
        return priced


@attrs.frozen(eq=False)
class _Seen:
    """Reduced costs of the last call."""

    fixings: Fixings
    left: FloatArray
    right: FloatArray
    maxima: FloatArray

    def unchanged(self, left: FloatArray, right: FloatArray, tolerance: float) -> BoolArray:
        """Select edges that added no label and whose reduced costs have changed by at most the tolerance.

        By the tolerance of now: while messages stand in for forbidden pairs, rounding allows much more.
        """
        finite_left, finite_right = left > -np.inf, right > -np.inf
        moved_left = np.subtract(left, self.left, where=finite_left, out=np.zeros_like(left))
        moved_right = np.subtract(right, self.right, where=finite_right, out=np.zeros_like(right))
        rise = np.max(moved_left, axis=1, where=finite_left, initial=-np.inf)
        rise += np.max(moved_right, axis=1, where=finite_right, initial=-np.inf)
        fall = np.min(moved_left, axis=1, where=finite_left, initial=np.inf)
        fall += np.min(moved_right, axis=1, where=finite_right, initial=np.inf)
        unmoved: BoolArray = (self.maxima <= 4.0 * tolerance) & (rise <= tolerance) & (fall >= -tolerance)
        return unmoved


def _one_neighbour(hits: BoolArray, costs: FloatArray, no_target: BoolArray, no_source: BoolArray) -> None:
    """Keep one neighbour of each label that has none yet.

    Parameters
    ----------
    hits : bool (sources, targets)
        Changed in place.
    costs : float64 (sources, targets)
    no_target, no_source : bool (sources,), bool (targets,)
    """
    if not (no_target.any() or no_source.any()):
        return
    keep_mask = np.zeros_like(hits)
    rows, columns = no_target.nonzero()[0], no_source.nonzero()[0]
    keep_mask[rows, costs[rows].argmax(axis=1)] = True
    keep_mask[costs[:, columns].argmax(axis=0), columns] = True
    hits &= ~(no_target[:, None] | no_source) | keep_mask


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
