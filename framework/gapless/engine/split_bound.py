"""The split bound: scores of factors spread over decisions by multipliers (Qian and Liu 2013, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import attrs
import numpy as np

from gapless.core.decisions import OFF, ON, Fixings
from gapless.core.oracle import Maximised
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.ascent import Dualized
from gapless.engine.forms import UNSCOPED, Layout, Shared, Star
from gapless.engine.priced_factor import PricedFactor

S = TypeVar("S")

GUIDED_REACH = 64.0
"""No price moves along a guide by more than this times what the step is to gain."""


@attrs.frozen(eq=False)
class OpenStar:
    """A star under fixings.

    Parameters
    ----------
    rows, columns : bool
        Flags of the upper and lower decisions that are not off.
    choice : bool
        Whether more than one upper decision is left.
    """

    star: Star
    rows: BoolArray
    columns: BoolArray
    choice: bool


@attrs.frozen(eq=False)
class OpenShared:
    """The shared scopes of one width none of whose decisions is off.

    Parameters
    ----------
    rows : int64 (m,)
        Their places in `shared`.
    free : bool (m, width)
        Decisions that are not on yet.
    left : int64 (m,)
        Their number; with one or none the scope is linear, which is exact.
    """

    shared: Shared
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
        """Number of decisions that are on among those that its charge takes in besides, (m,)."""
        owners, taken = self.shared.lifts
        counts = np.bincount(owners[on[taken]], minlength=len(self.shared.scores))
        return counts[self.rows].astype(np.int64)


class SplitBound(Dualized[S]):
    r"""Multipliers of all factors of a problem, and the weights and the constant that they give.

    Write z for the 0/1 decisions of a structure. For any multipliers, ``max_z weights @ z + own(z) + constant``
    bounds all structures:

    - a score s >= 0 of a scope c is spread: :math:`s \prod z_e \le \sum_e q_e z_e` with :math:`q \ge 0, \sum q = s`
      (eq. 5);
    - of a score s < 0 a part is charged: :math:`s \prod z_e \le -q (\sum_e z_e - (|c| - 1))` with
      :math:`0 \le q \le -s` (eq. 6 to 8); a lifted charge takes in decisions that exclude one of a pair;
    - pairs (u, l) of one lower decision l with decisions u of one choice group are joined:
      :math:`\sum_u s_u z_u z_l \le z_l \max_u (s_u - d_u) + \sum_u d_u z_u` with :math:`d \ge 0`. This keeps one
      choice for each lower decision inside the score and is much tighter than splitting pair by pair;
    - any other factor, by value v(y), is copied: :math:`v(z) \le \sum \lambda z + \max_y (v(y) - \lambda y)`.

    Fixings are part of every formula: a dead choice leaves the maximum, a lone choice takes its score whole, so
    that the bound is exact once everything is decided.

    Parameters
    ----------
    layout : Layout
    factors : sequence of PricedFactor
        Their slots follow those of the conjunctions.
    shares : bool
        Whether the steps are the paper's, whose multipliers are shares of the scores: a step of one unit moves s^2.

    Attributes
    ----------
    guided : bool
        Whether prices of factors with a guide move along it only.
    """

    def __init__(self, layout: Layout, factors: Sequence[PricedFactor] = (), *, shares: bool = False) -> None:
        self.layout, self.factors, self.shares = layout, tuple(factors), shares
        self.groups = layout.groups
        self.guided = False
        self.size = layout.slots + sum(factor.scope.size for factor in factors)
        self._open: tuple[Fixings | None, list[OpenStar], list[OpenShared]] = (None, [], [])

    def start(self) -> FloatArray:
        """Scores spread evenly, nothing charged and nothing paid."""
        first = np.zeros(self.size)
        for shared in self.layout.shared:
            first[shared.slots] = np.maximum(shared.scores, 0.0)[:, None] / shared.slots.shape[1]
        return first

    def prices(self, slots: FloatArray) -> Iterator[tuple[PricedFactor, FloatArray]]:
        """Each factor with its part of `slots`, a view."""
        at = self.layout.slots
        for factor in self.factors:
            yield factor, slots[at : at + factor.scope.size]
            at += factor.scope.size

    # --- what fixings leave

    def open(self, fixings: Fixings) -> tuple[list[OpenStar], list[OpenShared]]:
        """The scopes that `fixings`, and what they imply, leave; the last answer is remembered."""
        if self._open[0] is not fixings:
            alive, on = fixings.state != OFF, fixings.state == ON
            stars = []
            for star in self.layout.stars:
                rows = alive[star.uppers]
                stars.append(OpenStar(star, rows, alive[star.lowers], bool(rows.sum() > 1)))
            shared = []
            for block in self.layout.shared:
                whole = np.flatnonzero(alive[block.decisions].all(axis=1))
                free = ~on[block.decisions[whole]]
                shared.append(OpenShared(block, whole, free, free.sum(axis=1)))
            self._open = (fixings, stars, shared)
        return self._open[1], self._open[2]

    def settled(self, multipliers: FloatArray, fixings: Fixings) -> FloatArray:
        """Multipliers that lose nothing where `fixings` have made a score linear."""
        settled = multipliers.copy()
        stars, shared = self.open(fixings)
        for left in stars:
            star, paid = left.star, left.star.of(settled)
            if not left.choice:
                paid[np.ix_(left.rows, left.columns)] = 0.0
                continue
            lowest = self._lowest(left)
            linear = (star.scopes >= 0) & self._linear(left, fixings)
            paid[linear] = np.maximum(star.scores - lowest, 0.0)[linear]
        for block in shared:
            held, scores = settled[block.slots], block.scores[:, None]
            lost = np.where(block.free, 0.0, held).sum(axis=1, keepdims=True)
            left_to = np.maximum(block.left, 1)[:, None]
            spread = np.where(block.free, np.where(left_to == 1, scores, held + lost / left_to), 0.0)
            partly = (block.left > 0) & (block.left < held.shape[1])
            held = np.where((partly & (block.scores > 0))[:, None], spread, held)
            certain = (block.scores <= 0) & (block.left <= 1)
            held[certain, 0] = -block.scores[certain]
            settled[block.slots] = held
        return settled

    def _linear(self, left: OpenStar, fixings: Fixings) -> BoolArray:
        """Columns of lower decisions that are on: with multipliers put so, their pairs are weights of the uppers.

        Not where a negative score stands beside a choice without one, (columns,).
        """
        star = left.star
        stuck = (star.scopes[left.rows] == UNSCOPED).any(axis=0) & (self._lowest(left) < 0.0)
        linear: BoolArray = (fixings.state[star.lowers] == ON) & left.columns & ~stuck
        return linear

    def _lowest(self, left: OpenStar) -> FloatArray:
        """The lowest score of each column's possible pairs, at most 0, (columns,)."""
        scopes, scores = left.star.scopes[left.rows], left.star.scores[left.rows]
        lowest: FloatArray = np.where(scopes >= 0, scores, 0.0).min(axis=0, initial=0.0)
        return lowest

    # --- the formula

    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Weights of the decisions, and the constant."""
        weights, constant = self.layout.base.copy(), 0.0
        stars, shared = self.open(fixings)
        for left in stars:
            star, paid = left.star, left.star.of(multipliers)
            weights[star.uppers] += np.where(left.columns, paid, 0.0).sum(axis=1)
            weights[star.lowers] += np.where(left.columns, self._offers(left, multipliers).max(axis=0), 0.0)
        for block in shared:
            held, charges = multipliers[block.slots], block.scores <= 0
            spread = np.where(charges[:, None], -held[:, :1], held)
            np.add.at(weights, block.decisions, spread)
            constant += float(held[charges, 0].sum()) * (held.shape[1] - 1)
            owners, taken = block.shared.lifts
            if owners.size:
                charged = np.zeros(len(block.shared.scores))
                charged[block.rows] = np.where(charges & (block.left > 1), held[:, 0], 0.0)
                np.subtract.at(weights, taken, charged[owners])
        for factor, price in self.prices(multipliers):
            weights[factor.scope] += price
            constant += factor.maximise(price, fixings.state)[0]
        return weights, constant

    def _offers(self, left: OpenStar, multipliers: FloatArray) -> FloatArray:
        """Worth of each upper decision beside each lower one, less its payments; -inf for those off."""
        star = left.star
        offers: FloatArray = np.where(left.rows[:, None], star.scores - star.of(multipliers), -np.inf)
        return offers

    # --- descent

    def subgradient(self, multipliers: FloatArray, found: Maximised[S]) -> FloatArray:
        """A subgradient under the fixings of the last `weights`, without directions that a limit blocks."""
        gradient = np.zeros(self.size)
        fixings, stars, shared = self._open
        assert fixings is not None
        on = self.mask(found.on_ids)
        for left in stars:
            if not left.choice:
                continue
            star, paid, slope = left.star, left.star.of(multipliers), left.star.of(gradient)
            mine = int(np.flatnonzero(on[star.uppers])[0])
            best = self._offers(left, multipliers).argmax(axis=0)
            active = left.columns & ~self._linear(left, fixings)
            lower = on[star.lowers]
            wrong = active & lower & (best != mine)
            columns = np.flatnonzero(wrong)
            slope[best[columns], columns] = np.where(star.scopes[best[columns], columns] >= 0, -1.0, 0.0)
            slope[mine] = np.where((wrong | (active & ~lower)) & (paid[mine] > 0.0), 1.0, 0.0)
        for block in shared:
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
            if factor.misses(price, inside, fixings.state) > 0.0:
                slope = inside.astype(np.float64) - y
                if self.guided and factor.guide is not None:
                    slope = factor.guide * (factor.guide @ slope / (factor.guide @ factor.guide))
                gradient[factor.first : factor.first + y.size] = slope
        return gradient

    def differs(self, multipliers: FloatArray, found: Maximised[S]) -> bool:
        """Whether some factor is worth more elsewhere, under the fixings of the last `weights`."""
        fixings, on = self._open[0], self.mask(found.on_ids)
        assert fixings is not None
        return any(
            factor.misses(price, on[factor.scope], fixings.state) > 0.0
            for factor, price in self.prices(multipliers)
        )

    def follows_guides(self, multipliers: FloatArray, found: Maximised[S]) -> bool:
        """Whether prices along the guides of factors still move, under the fixings of the last `weights`."""
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
        """The multipliers after a step against the gradient, the nearest that are allowed."""
        moved = multipliers - step * self._within_reach(gradient)
        for star in self.layout.stars:
            np.maximum(star.of(moved), 0.0, out=star.of(moved))
        for block in self.open_shared():
            rows = np.flatnonzero(gradient[block.slots].any(axis=1))
            slots, scores = block.slots[rows], block.scores[rows]
            held = moved[slots]
            if self.shares:  # the gradient is in units of shares, as its length is; scores are a factor more
                held = multipliers[slots] - step * gradient[slots] * np.abs(scores)[:, None]
            spread = project_rows(held, np.maximum(scores, 0.0), block.free[rows])
            charge = np.clip(held, 0.0, np.maximum(-scores, 0.0)[:, None])
            moved[slots] = np.where((scores > 0)[:, None], np.where(block.free[rows], spread, 0.0), charge)
        return moved

    def _within_reach(self, gradient: FloatArray) -> FloatArray:
        """The gradient, with prices that go along a guide held near what the step is to gain.

        Where the numbers of a guide differ much, or sums of them almost agree, some would go so far that float64
        loses what the others say: a budget of weights 1e6 and 1e-3, exceeded by the latter.
        """
        if not self.guided:
            return gradient
        held = gradient.copy()
        for factor, slope in self.prices(held):
            if factor.guide is not None:
                reach = GUIDED_REACH * float(slope @ slope)
                np.clip(slope, -reach, reach, out=slope)
        return held

    def open_shared(self) -> list[OpenShared]:
        """Shared scopes that the last fixings leave."""
        return self._open[2]

    def fitted(self, multipliers: FloatArray) -> FloatArray:
        """Any numbers as multipliers that the scores allow."""
        fitted = np.maximum(multipliers, 0.0)
        for star in self.layout.stars:
            star.of(fitted)[star.scopes < 0] = 0.0
        for shared in self.layout.shared:
            held, scores = fitted[shared.slots], shared.scores[:, None]
            total = held.sum(axis=1, keepdims=True)
            even = np.broadcast_to(scores / held.shape[1], held.shape)
            spread = np.divide(held * scores, total, out=even.copy(), where=total > 0)
            charge = held.copy()
            charge[:, :1] = np.minimum(held[:, :1], -scores)
            fitted[shared.slots] = np.where(scores < 0, charge, spread)
        return np.concatenate([fitted[: self.layout.slots], multipliers[self.layout.slots :]])

    # --- structures

    def mask(self, on_ids: IntArray) -> BoolArray:
        """Decisions as booleans, (decisions,)."""
        on = np.zeros(self.layout.base.size, bool)
        on[on_ids] = True
        return on

    def value(self, on_ids: IntArray, own: float = 0.0) -> float:
        """Score of a structure, all factors counted."""
        on = self.mask(on_ids)
        total = float(self.layout.base[on_ids].sum()) + own
        for star in self.layout.stars:
            total += float(star.scores[np.ix_(on[star.uppers], on[star.lowers])].sum())
        for shared in self.layout.shared:
            total += float(shared.scores[on[shared.decisions].all(axis=1)].sum())
        return total + sum(factor.value(on[factor.scope]) for factor in self.factors)

    def gaps(self, multipliers: FloatArray, on_ids: IntArray, fixings: Fixings, forbidden: float) -> FloatArray:
        """For each decision, how wrong the bound is on the factors it is in, at a structure (section 3.3).

        `forbidden` stands for the gap of a factor that forbids the structure.
        """
        gaps = np.zeros(self.layout.base.size)
        on = self.mask(on_ids)
        stars, shared = self.open(fixings)
        for left in stars:
            if not left.choice:
                continue
            star, paid = left.star, left.star.of(multipliers)
            mine = int(np.flatnonzero(on[star.uppers])[0])
            offers = self._offers(left, multipliers)
            with np.errstate(invalid="ignore"):
                short = offers.max(axis=0) - offers[mine]
            gap = np.where(on[star.lowers], np.where(np.isfinite(short), short, 0.0), paid[mine])
            gap = np.where(left.columns & ~self._linear(left, fixings), gap, 0.0)
            gaps[star.lowers] += gap
            gaps[star.uppers[mine]] += gap.sum()
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
            missing = factor.misses(price, inside, fixings.state)
            doubt = missing if np.isfinite(missing) else forbidden
            gaps[factor.scope] += np.where(y != inside, doubt, 0.0)
        return gaps

    def assumed_gap(self, best: float) -> float:
        """Spread of the weights of decisions that are not off."""
        fixings = self._open[0]
        assert fixings is not None
        base = self.layout.base[fixings.state != OFF]
        return max(1e-3, float(base.max(initial=-np.inf) - base.min(initial=np.inf)))


def project_rows(values: FloatArray, total: FloatArray, used: BoolArray) -> FloatArray:
    """The nearest rows that are not negative and sum to `total` (Duchi et al. 2008).

    Returns float64 (m, w).

    Parameters
    ----------
    values : float64 (m, w)
    total : float64 (m,)
        Not negative.
    used : bool (m, w)
        Entries that take part, at least one in a row; the others stay as they are.
    """
    descending = -np.sort(-np.where(used, values, -np.inf), axis=1)
    partial = np.cumsum(np.where(np.isfinite(descending), descending, 0.0), axis=1) - total[:, None]
    ranks = np.arange(1, values.shape[1] + 1)
    # The last rank at which the entry stays above the threshold; the first always does when total > 0.
    kept = np.maximum((descending * ranks > partial).sum(axis=1), 1)
    threshold = partial[np.arange(len(values)), kept - 1] / kept
    return np.where(used, np.maximum(values - threshold[:, None], 0.0), values)
