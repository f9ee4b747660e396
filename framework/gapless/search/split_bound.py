"""The split bound: scores of factors spread over decisions by multipliers (Qian and Liu 2013, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.column_generation.priced_factor import PricedFactor
from gapless.decisions.decisions import OFF, ON, Fixings
from gapless.oracles.maximiser import Optimum
from gapless.search.dual_descent import LagrangianDual
from gapless.search.split_layout import UNSCOPED, PairTable, SplitLayout, SplitScopes

S = TypeVar("S")

GUIDED_REACH = 64.0
"""Largest move of a price along a guide, as a multiple of the expected gain of the step."""


@attrs.frozen(eq=False)
class OpenPairTable:
    """A star under fixings.

    Parameters
    ----------
    rows, columns : bool
        Whether each upper and lower decision is not off.
    choice : bool
        Whether more than one upper decision remains.
    """

    star: PairTable
    rows: BoolArray
    columns: BoolArray
    choice: bool


@attrs.frozen(eq=False)
class OpenSplitScopes:
    """The shared scopes of one width none of whose decisions is off.

    Parameters
    ----------
    rows : int64 (m,)
        Their rows in `shared`.
    free : bool (m, width)
        Whether each decision is not on yet.
    left : int64 (m,)
        Number of free decisions; with at most one the scope is linear, and its bound exact.
    """

    shared: SplitScopes
    rows: IntArray
    free: BoolArray
    left: IntArray

    @property
    def decisions(self) -> IntArray:
        """(m, width)."""
        return self.shared.decisions[self.rows]

    @property
    def slots(self) -> IntArray:
        """(m, width)."""
        return self.shared.slots[self.rows]

    @property
    def scores(self) -> FloatArray:
        """(m,)."""
        return self.shared.scores[self.rows]

    def lifted(self, on: BoolArray) -> IntArray:
        """Count the decisions on among those that lifted charges include in addition, (m,)."""
        owners, members = self.shared.lifts
        counts = np.bincount(owners[on[members]], minlength=len(self.shared.scores))
        return counts[self.rows].astype(np.int64)


class SplitBound(LagrangianDual[S]):
    r"""Multipliers of all factors of a problem, and the weights and the constant that they give.

    Write z for the 0/1 decisions of a structure. For any multipliers, ``max_z weights @ z + own(z) + constant``
    bounds all structures:

    - a score s >= 0 of a scope c is spread: :math:`s \prod z_e \le \sum_e q_e z_e` with :math:`q \ge 0, \sum q = s`
      (eq. 5);
    - of a score s < 0 a part is charged: :math:`s \prod z_e \le -q (\sum_e z_e - (|c| - 1))` with
      :math:`0 \le q \le -s` (eq. 6 to 8); a lifted charge includes decisions that exclude one of a pair;
    - pairs (u, l) of one lower decision l with decisions u of one choice group are joined:
      :math:`\sum_u s_u z_u z_l \le z_l \max_u (s_u - d_u) + \sum_u d_u z_u` with :math:`d \ge 0`. This keeps one
      choice for each lower decision inside the score and is much tighter than splitting pair by pair;
    - any other factor, by value v(y), is copied: :math:`v(z) \le \sum \lambda z + \max_y (v(y) - \lambda y)`.

    Fixings are part of every formula: the maximum ignores decisions that are off, and a single remaining decision
    gets the total score, so that the bound is exact once everything is decided.

    Parameters
    ----------
    layout : SplitLayout
    factors : sequence of PricedFactor
        Their slots follow those of the conjunctions.
    shares : bool
        Whether to take the paper's steps. Its multipliers are shares of the scores, so a step of one unit moves
        s^2.

    Attributes
    ----------
    guided : bool
        Whether prices of factors with a guide move along the guide only (decision 041).
    """

    def __init__(self, layout: SplitLayout, factors: Sequence[PricedFactor] = (), *, shares: bool = False) -> None:
        self.layout, self.factors, self.shares = layout, tuple(factors), shares
        self.groups = layout.groups
        self.guided = False
        self.size = layout.slots + sum(factor.scope.size for factor in factors)
        self._open: tuple[Fixings | None, list[OpenPairTable], list[OpenSplitScopes]] = (None, [], [])

    def start(self) -> FloatArray:
        """Return evenly spread scores, with no charges and no multipliers of pairs."""
        first = np.zeros(self.size)
        for shared in self.layout.shared:
            first[shared.slots] = np.maximum(shared.scores, 0.0)[:, None] / shared.slots.shape[1]
        return first

    def prices(self, slots: FloatArray) -> Iterator[tuple[PricedFactor, FloatArray]]:
        """Yield each configuration factor with its part of `slots`, a view."""
        first = self.layout.slots
        for factor in self.factors:
            yield factor, slots[first : first + factor.scope.size]
            first += factor.scope.size

    # --- scopes under fixings

    def open(self, fixings: Fixings) -> tuple[list[OpenPairTable], list[OpenSplitScopes]]:
        """Return the scopes that are possible under `fixings`; the last result is cached."""
        # Fixings are immutable, and a descent evaluates the same ones in every step.
        if self._open[0] is not fixings:
            alive, on = fixings.state != OFF, fixings.state == ON
            stars = []
            for star in self.layout.stars:
                rows = alive[star.row_decisions]
                stars.append(OpenPairTable(star, rows, alive[star.column_decisions], bool(rows.sum() > 1)))
            shared = []
            for block in self.layout.shared:
                possible = np.flatnonzero(alive[block.decisions].all(axis=1))
                free = ~on[block.decisions[possible]]
                shared.append(OpenSplitScopes(block, possible, free, free.sum(axis=1)))
            self._open = (fixings, stars, shared)
        return self._open[1], self._open[2]

    def settled(self, multipliers: FloatArray, fixings: Fixings) -> FloatArray:
        """Return multipliers that are exact wherever `fixings` have made a score linear."""
        settled = multipliers.copy()
        stars, shared = self.open(fixings)
        for open_star in stars:
            star, paid = open_star.star, open_star.star.of(settled)
            if not open_star.choice:
                paid[np.ix_(open_star.rows, open_star.columns)] = 0.0
                continue
            lowest = self._lowest(open_star)
            linear = (star.scopes >= 0) & self._linear(open_star, fixings)
            paid[linear] = np.maximum(star.scores - lowest, 0.0)[linear]
        for block in shared:
            shares, scores = settled[block.slots], block.scores[:, None]
            # Shares of decisions that are on are constants: the free decisions take them over.
            freed = np.where(block.free, 0.0, shares).sum(axis=1, keepdims=True)
            receivers = np.maximum(block.left, 1)[:, None]
            spread = np.where(block.free, np.where(receivers == 1, scores, shares + freed / receivers), 0.0)
            is_partial = (block.left > 0) & (block.left < shares.shape[1])
            shares = np.where((is_partial & (block.scores > 0))[:, None], spread, shares)
            is_linear = (block.scores <= 0) & (block.left <= 1)
            shares[is_linear, 0] = -block.scores[is_linear]
            settled[block.slots] = shares
        return settled

    def _linear(self, open_star: OpenPairTable, fixings: Fixings) -> BoolArray:
        """Mark the columns whose pairs are plain weights of the upper decisions, (columns,).

        These have a lower decision that is on, unless some upper decision has a negative score and another no pair:
        multipliers d >= 0 cannot express both.
        """
        star, rows = open_star.star, open_star.rows
        stuck = (star.scopes[rows] == UNSCOPED).any(axis=0) & (self._lowest(open_star) < 0.0)
        linear: BoolArray = (fixings.state[star.column_decisions] == ON) & open_star.columns & ~stuck
        return linear

    def _lowest(self, open_star: OpenPairTable) -> FloatArray:
        """The lowest score of each column's possible pairs, at most 0, (columns,)."""
        scopes, scores = open_star.star.scopes[open_star.rows], open_star.star.scores[open_star.rows]
        lowest: FloatArray = np.where(scopes >= 0, scores, 0.0).min(axis=0, initial=0.0)
        return lowest

    # --- the formula

    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Return the weights of the decisions, and the constant."""
        weights, constant = self.layout.base.copy(), 0.0
        stars, shared = self.open(fixings)
        for open_star in stars:
            star, paid = open_star.star, open_star.star.of(multipliers)
            weights[star.row_decisions] += np.where(open_star.columns, paid, 0.0).sum(axis=1)
            weights[star.column_decisions] += np.where(
                open_star.columns, self._offers(open_star, multipliers).max(axis=0), 0.0
            )
        for block in shared:
            held, charges = multipliers[block.slots], block.scores <= 0
            spread = np.where(charges[:, None], -held[:, :1], held)
            np.add.at(weights, block.decisions, spread)
            # The constant term q (|c| - 1) of a charge, equations 6 to 8.
            constant += float(held[charges, 0].sum()) * (held.shape[1] - 1)
            owners, members = block.shared.lifts
            if owners.size:
                # With at most one free decision the plain charge is exact already.
                charged = np.zeros(len(block.shared.scores))
                charged[block.rows] = np.where(charges & (block.left > 1), held[:, 0], 0.0)
                np.subtract.at(weights, members, charged[owners])
        for factor, price in self.prices(multipliers):
            weights[factor.scope] += price
            constant += factor.maximise(price, fixings.state)[0]
        return weights, constant

    def _offers(self, open_star: OpenPairTable, multipliers: FloatArray) -> FloatArray:
        """Scores of pairs less their multipliers, (rows, columns); -inf for upper decisions that are off."""
        star = open_star.star
        offers: FloatArray = np.where(open_star.rows[:, None], star.scores - star.of(multipliers), -np.inf)
        return offers

    # --- descent

    def subgradient(self, multipliers: FloatArray, found: Optimum[S]) -> FloatArray:
        """Return a subgradient under the fixings of the last `weights`; components that leave the range are 0."""
        gradient = np.zeros(self.size)
        fixings, stars, shared = self._open
        assert fixings is not None
        on = self.mask(found.on_ids)
        for open_star in stars:
            if not open_star.choice:
                continue
            star, paid, slope = open_star.star, open_star.star.of(multipliers), open_star.star.of(gradient)
            # A structure has exactly one decision of the group on.
            row = int(np.flatnonzero(on[star.row_decisions])[0])
            best = self._offers(open_star, multipliers).argmax(axis=0)
            active = open_star.columns & ~self._linear(open_star, fixings)
            lower = on[star.column_decisions]
            wrong = active & lower & (best != row)
            columns = np.flatnonzero(wrong)
            slope[best[columns], columns] = np.where(star.scopes[best[columns], columns] >= 0, -1.0, 0.0)
            slope[row] = np.where((wrong | (active & ~lower)) & (paid[row] > 0.0), 1.0, 0.0)
        for block in shared:
            # Scopes with at most one free decision are linear: their multipliers stay.
            rows = np.flatnonzero(block.left > 1)
            if not rows.size:
                continue
            width = block.slots.shape[1]
            inside, held, scores = on[block.decisions[rows]], multipliers[block.slots[rows]], block.scores[rows]
            hits = inside.sum(axis=1)
            over = hits - (width - 1.0) + block.lifted(on)[rows]
            charged = np.where(over > 0, held[:, 0] < -scores, held[:, 0] > 0.0) & (scores <= 0)
            slope = np.zeros(held.shape)
            slope[:, 0] = np.where(charged, -over, 0.0)
            movable = (inside & block.free[rows] & (held > 0.0)).any(axis=1) & (hits < width) & (scores > 0)
            slope += movable[:, None] * (inside - (hits / width)[:, None])
            gradient[block.slots[rows]] = slope * (np.abs(scores)[:, None] if self.shares else 1.0)
        for factor, price in self.prices(multipliers):
            y, inside = factor.maximise(price, fixings.state)[1], on[factor.scope]
            # If the structure attains the maximum, its configuration counts as the chosen one, whatever `maximise`
            # returns: a satisfied factor changes no price (decision 034).
            if factor.misses(price, inside, fixings.state) > 0.0:
                slope = inside.astype(np.float64) - y
                if self.guided and factor.guide is not None:
                    slope = factor.guide * (factor.guide @ slope / (factor.guide @ factor.guide))
                gradient[factor.first : factor.first + y.size] = slope
        return gradient

    def differs(self, multipliers: FloatArray, found: Optimum[S]) -> bool:
        """Return whether a factor scores more at another configuration, under the fixings of the last `weights`."""
        fixings, on = self._open[0], self.mask(found.on_ids)
        assert fixings is not None
        return any(
            factor.misses(price, on[factor.scope], fixings.state) > 0.0
            for factor, price in self.prices(multipliers)
        )

    def follows_guides(self, multipliers: FloatArray, found: Optimum[S]) -> bool:
        """Return whether prices along guides of factors still move, under the fixings of the last `weights`."""
        fixings, on = self._open[0], self.mask(found.on_ids)
        assert fixings is not None
        for factor, price in self.prices(multipliers):
            if factor.guide is None:
                continue
            y, inside = factor.maximise(price, fixings.state)[1], on[factor.scope]
            if factor.misses(price, inside, fixings.state) > 0.0 and factor.guide @ (inside.astype(np.float64) - y):
                return True
        return False

    def moved(self, multipliers: FloatArray, gradient: FloatArray, step: float) -> FloatArray:
        """Take a step against the gradient and return the nearest allowed multipliers."""
        moved = multipliers - step * self._within_reach(gradient)
        for star in self.layout.stars:
            np.maximum(star.of(moved), 0.0, out=star.of(moved))
        for block in self.open_shared():
            rows = np.flatnonzero(gradient[block.slots].any(axis=1))
            slots, scores = block.slots[rows], block.scores[rows]
            held = moved[slots]
            if self.shares:  # the gradient is in units of shares: times the score it is in units of scores
                held = multipliers[slots] - step * gradient[slots] * np.abs(scores)[:, None]
            spread = project_rows(held, np.maximum(scores, 0.0), block.free[rows])
            charge = np.clip(held, 0.0, np.maximum(-scores, 0.0)[:, None])
            moved[slots] = np.where((scores > 0)[:, None], np.where(block.free[rows], spread, 0.0), charge)
        return moved

    def _within_reach(self, gradient: FloatArray) -> FloatArray:
        """The gradient, with moves along guides limited by the expected gain of the step.

        If the entries of a guide differ much in size, some prices would grow so far that float64 loses the others,
        as with a budget of weights 1e6 and 1e-3 that the latter exceeds.
        """
        if not self.guided:
            return gradient
        limited = gradient.copy()
        for factor, slope in self.prices(limited):
            if factor.guide is not None:
                reach = GUIDED_REACH * float(slope @ slope)
                np.clip(slope, -reach, reach, out=slope)
        return limited

    def open_shared(self) -> list[OpenSplitScopes]:
        """Return the shared scopes that are possible under the last fixings."""
        return self._open[2]

    def fitted(self, multipliers: FloatArray) -> FloatArray:
        """Turn any numbers into multipliers that the scores allow."""
        fitted = np.maximum(multipliers, 0.0)
        for star in self.layout.stars:
            star.of(fitted)[star.scopes < 0] = 0.0
        for shared in self.layout.shared:
            held, scores = fitted[shared.slots], shared.scores[:, None]
            total = held.sum(axis=1, keepdims=True)
            even = np.broadcast_to(scores / held.shape[1], held.shape)
            spread = np.divide(held * scores, total, out=even.copy(), where=total > 0)
            charge = held.copy()
            # A charge lies in the first slot of its scope only.
            charge[:, :1] = np.minimum(held[:, :1], -scores)
            fitted[shared.slots] = np.where(scores < 0, charge, spread)
        return np.concatenate([fitted[: self.layout.slots], multipliers[self.layout.slots :]])

    # --- structures

    def mask(self, on_ids: IntArray) -> BoolArray:
        """Return decisions as booleans, (decisions,)."""
        on = np.zeros(self.layout.base.size, bool)
        on[on_ids] = True
        return on

    def value(self, on_ids: IntArray, own: float = 0.0) -> float:
        """Return the score of a structure with all factors; `own` is its internal score."""
        on = self.mask(on_ids)
        total = float(self.layout.base[on_ids].sum()) + own
        for star in self.layout.stars:
            total += float(star.scores[np.ix_(on[star.row_decisions], on[star.column_decisions])].sum())
        for shared in self.layout.shared:
            total += float(shared.scores[on[shared.decisions].all(axis=1)].sum())
        return total + sum(factor.value(on[factor.scope]) for factor in self.factors)

    def gaps(self, multipliers: FloatArray, on_ids: IntArray, fixings: Fixings, forbidden: float) -> FloatArray:
        """Sum, for each decision, the gaps between bound and score of its factors at a structure (section 3.3).

        `forbidden` stands for the gap of a factor that forbids the structure.
        """
        gaps = np.zeros(self.layout.base.size)
        on = self.mask(on_ids)
        stars, shared = self.open(fixings)
        for open_star in stars:
            if not open_star.choice:
                continue
            star, paid = open_star.star, open_star.star.of(multipliers)
            row = int(np.flatnonzero(on[star.row_decisions])[0])
            offers = self._offers(open_star, multipliers)
            with np.errstate(invalid="ignore"):
                short = offers.max(axis=0) - offers[row]
            # A pair that no structure contains has a score of -inf: an infinite gap would hide all others.
            gap = np.where(on[star.column_decisions], np.where(np.isfinite(short), short, 0.0), paid[row])
            gap = np.where(open_star.columns & ~self._linear(open_star, fixings), gap, 0.0)
            gaps[star.column_decisions] += gap
            gaps[star.row_decisions[row]] += gap.sum()
        for block in shared:
            rows = np.flatnonzero(block.left > 1)
            inside, held, scores = on[block.decisions[rows]], multipliers[block.slots[rows]], block.scores[rows]
            hits, width = inside.sum(axis=1), held.shape[1]
            over = hits - (width - 1.0) + block.lifted(on)[rows]
            spread = np.where(hits < width, np.where(inside, held, 0.0).sum(axis=1), 0.0)
            charged = np.where(over > 0, -scores - held[:, 0], -over * held[:, 0])
            gap = np.where(scores > 0, spread, charged)
            np.add.at(gaps, block.decisions[rows], np.broadcast_to(gap[:, None], held.shape))
        for factor, price in self.prices(multipliers):
            y, inside = factor.maximise(price, fixings.state)[1], on[factor.scope]
            regret = factor.misses(price, inside, fixings.state)
            gap_of_factor = regret if np.isfinite(regret) else forbidden
            gaps[factor.scope] += np.where(y != inside, gap_of_factor, 0.0)
        return gaps

    def assumed_gap(self, best: float) -> float:
        """Return the range of the weights of decisions that are not off."""
        fixings = self._open[0]
        assert fixings is not None
        base = self.layout.base[fixings.state != OFF]
        # Positive, so that the first step moves even if all weights are equal.
        return max(1e-3, float(base.max(initial=-np.inf) - base.min(initial=np.inf)))


def project_rows(values: FloatArray, total: FloatArray, used: BoolArray) -> FloatArray:
    """Project rows onto the simplices of sum `total` (Duchi et al. 2008).

    Returns float64 (m, w).

    Parameters
    ----------
    values : float64 (m, w)
    total : float64 (m,)
        Not negative.
    used : bool (m, w)
        Entries that take part, at least one in each row; the others stay unchanged.
    """
    descending = -np.sort(-np.where(used, values, -np.inf), axis=1)
    partial = np.cumsum(np.where(np.isfinite(descending), descending, 0.0), axis=1) - total[:, None]
    ranks = np.arange(1, values.shape[1] + 1)
    # The last rank at which the entry stays above the threshold; the first always does when total > 0.
    rank = np.maximum((descending * ranks > partial).sum(axis=1), 1)
    threshold = partial[np.arange(len(values)), rank - 1] / rank
    return np.where(used, np.maximum(values - threshold[:, None], 0.0), values)
