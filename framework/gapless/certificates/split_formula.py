"""The split bound's formula: weights and a constant from multipliers, computed by the verifier without the search.

Qian and Liu (2013) split scores over decisions; decision 008 adds grouped pairs and lifted charges. In a pair, the
*lower* decision carries the best score of the *upper* decisions of a choice group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np

from gapless.arrays.round_up import ULP, round_up_for_sum
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.certificates.factor_flip_losses import BoundedFactor, factor_flip_losses
from gapless.certificates.split_input import LOWER_IS_SECOND, SplitInput, grouped_pairs, lifted_decisions
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.factors.configuration_bound import configuration_bound
from gapless.limits.work import charge_work, verification_cache

PairScores = list[tuple[IntArray, IntArray, FloatArray]]
"""Upper decisions, lower decisions and the scores of these pairs; a pair may occur more than once."""


@attrs.frozen(eq=False)
class SplitWeights:
    """Weights of decisions that, with a constant, bound every structure under fixings.

    Parameters
    ----------
    weights : float64 (decisions,)
        Rounded up; -inf for decisions that are off.
    fixings : Fixings
        With their implications.
    lost : float
        Limit on the rounding error of the constant.
    floor : float
        No allowed structure scores less than this.
    factor_losses : callable
        Return the change of the constant with each decision on, and with each off: float64 (decisions,) both, at
        most 0, rounded up.
    """

    weights: FloatArray
    fixings: Fixings
    constant: float
    lost: float
    floor: float
    factor_losses: Callable[[], tuple[FloatArray, FloatArray]]

    def bound(self, best: float, factor_losses: float = 0.0) -> float:
        """Bound the scores, from a bound `best` on the weights and a change of the constant, at most 0."""
        if -math.inf in (best, self.constant, factor_losses):  # fsum of -inf and inf would raise
            return -math.inf
        total = math.fsum([best, self.constant, self.lost, factor_losses])
        bound = math.nextafter(total, math.inf)
        # A bound below every allowed score proves that there is no structure (decision 008).
        return -math.inf if bound < self.floor else bound


class _Sums:
    """Sum for each decision, with the magnitude and number of its terms, which limit the rounding error."""

    def __init__(self, first: FloatArray) -> None:
        self.total, self.size, self.terms = first.copy(), np.abs(first), np.ones(first.size)
        self.constant, self.constant_size, self.constant_terms = 0.0, 0.0, 1.0

    def add(self, ids: IntArray, values: Any) -> None:
        terms = np.broadcast_to(values, ids.shape)
        np.add.at(self.total, ids, terms)
        # -inf absorbs everything: its sum is exact.
        np.add.at(self.size, ids, np.where(np.isfinite(terms), np.abs(terms), 0.0))
        np.add.at(self.terms, ids, 1.0)

    def add_constant(self, values: FloatArray) -> None:
        self.constant += float(values.sum())
        self.constant_size += float(np.abs(values[np.isfinite(values)]).sum())
        self.constant_terms += values.size


@attrs.frozen(eq=False)
class _Block:
    """Data of a conjunctive factor that does not depend on the fixings.

    Parameters
    ----------
    scopes : int64 (k, width)
    scores : float64 (k,)
    possible : bool (k,)
        Scopes that no known exclusion forbids.
    grouped : bool (k,)
    first : int64 (k,)
        Index of the first multiplier of each scope.
    lifted : int64 (m,), int64 (m,)
        Scopes, and the additional decisions that their charges cover.
    """

    scopes: IntArray
    scores: FloatArray
    possible: BoolArray
    grouped: BoolArray
    first: IntArray
    lifted: tuple[IntArray, IntArray]


@attrs.frozen(eq=False)
class _FormulaLayout:
    """Conjunctions of a problem, the number of their multipliers, and a score that no allowed structure is below.

    `first`: for each scope the sum of the previous widths, and the total at the end; int64 (scopes + 1,).
    """

    problem: Any
    options: Any
    blocks: Sequence[_Block]
    multipliers: int
    floor: float
    first: IntArray


def _formula_layout(split: SplitInput, orientation: tuple[int, ...], ungrouped: IntArray) -> _FormulaLayout:
    """Lay out the conjunctions, once per verification."""
    counted = frozenset(map(id, split.counted))
    options = orientation, ungrouped.tobytes(), counted, split.lifted
    # The certificates of a tree share their options, so the last layout suffices. The account of the verification
    # stores it, not the process: a second verification must charge the same work (decision 028).
    cache = verification_cache()
    cached: _FormulaLayout | None = cache.get(_FormulaLayout)
    if cached is not None and cached.problem is split.problem and cached.options == options:
        return cached
    conjunctions = split.factors.conjunctions
    if len(orientation) != len(conjunctions):
        raise InvalidProblem(f"{len(orientation)} orientations for {len(conjunctions)} factors")
    blocks: list[_Block] = []
    multipliers = scope_count = 0
    for factor, way in zip(conjunctions, orientation, strict=True):
        is_counted = id(factor.factor) in counted
        scopes = factor.scopes[:0] if is_counted else factor.scopes
        scores = np.zeros(0) if is_counted else factor.all_scores()
        charge_work(20 * scopes.size, 40)
        if scopes.size:
            grouped = grouped_pairs(split, scopes, way) & ~np.isin(scope_count + np.arange(len(scopes)), ungrouped)
            # One multiplier for a charge, one for each decision that shares a score.
            counts = np.where(grouped | (scores < 0), 1, scopes.shape[1])
            possible = split.compatible(scopes)
        else:
            grouped = possible = np.zeros(len(scopes), bool)
            counts = np.zeros(len(scopes), np.int64)
        charged = possible & ~grouped & (scores < 0) & (split.lifted and scopes.shape[1:] == (2,))
        lifts = lifted_decisions(split, scopes, np.flatnonzero(charged))
        first = multipliers + np.cumsum(counts) - counts
        blocks.append(_Block(scopes, scores, possible, grouped, first, lifts))
        multipliers, scope_count = multipliers + int(counts.sum()), scope_count + len(scopes)
    widths = [np.full(len(block.scopes), block.scopes.shape[1]) for block in blocks if block.scopes.size]
    starts = np.concatenate([np.zeros(1, np.int64), *widths]).cumsum()
    layout = _FormulaLayout(split.problem, options, blocks, multipliers, _floor(split, blocks), starts)
    cache[_FormulaLayout] = layout
    return layout


def multiplier_count(split: SplitInput, orientation: tuple[int, ...]) -> int:
    """Count the multipliers of the formula if every scope that can be grouped is."""
    conjunctive = _formula_layout(split, orientation, np.zeros(0, np.int64)).multipliers
    return conjunctive + sum(scope.size for _, scope in split.factors.configurations)


def split_weights(
    split: SplitInput,
    orientation: tuple[int, ...],
    alone: IntArray,
    multipliers: FloatArray,
    loss: float,
    fixings: Fixings,
    *,
    places: IntArray | None = None,
    flipped: Fixings | None = None,
) -> SplitWeights | None:
    """Evaluate the split bound's formula; return None if the fixings leave a choice group empty.

    The docstring of `SplitCertificate` states the formula and the meaning of multipliers with `places`; all others
    are then 0. Any values are converted to allowed ones: NaN to 0, charges clipped at 0, shares clipped and divided
    by their sum, parts of negative scores clipped to [0, 1], a loss that is NaN or negative to 0. With `flipped`,
    configuration factors are bounded under these tighter fixings, everything else under `fixings`.

    Raises
    ------
    InvalidProblem
        Too few or too many multipliers, an orientation that does not fit, or lifted charges without exclusions.
    """
    forbidden = np.flatnonzero((split.weights == -np.inf) & (fixings.state != 0))
    possible = fixings.fix(off=forbidden) if forbidden.size else fixings
    implied = None if possible is None else possible.implied(split.decisions)
    if implied is None:
        return None
    state = implied.state
    open_ones, on = state != 0, state == 1
    laid_out = _formula_layout(split, orientation, alone)
    # Decision 004: any values must give a valid bound. 1e150 leaves room for a product before float64 overflows.
    given = np.nan_to_num(np.asarray(multipliers, np.float64), nan=0.0, posinf=1e150, neginf=-1e150)
    given = np.clip(given, -1e150, 1e150)
    loss = min(loss, 1e150) if loss > 0 else 0.0
    if places is not None:
        given = _from_units_of_scores(split, laid_out, given, places, loss)
    sums = _Sums(np.where(split.weights > -np.inf, split.weights, 0.0))
    sums.add_constant(np.array([split.constant]))
    at = laid_out.multipliers
    if at > given.size:
        raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
    pair_scores: PairScores = []
    for block, way in zip(laid_out.blocks, orientation, strict=True):
        scopes, scores, grouped, first = block.scopes, block.scores, block.grouped, block.first
        if not scopes.size:
            continue
        charge_work(8 * scopes.size, 40)
        alive = block.possible & open_ones[scopes].all(axis=1)
        free = open_ones[scopes] & ~on[scopes]
        remaining = free.sum(axis=1)
        # Scopes that are on, or depend on one decision, are exact for any multipliers (decision 008).
        sums.add_constant(scores[alive & (remaining == 0)])
        rows = np.flatnonzero(alive & (remaining == 1))
        sums.add(scopes[rows, free[rows].argmax(axis=1)], scores[rows])
        wide = alive & (remaining > 1)
        rows = np.flatnonzero(wide & grouped)
        if rows.size:
            lower = 1 if way == LOWER_IS_SECOND else 0
            charge = np.maximum(given[first[rows]], 0.0)
            # Each pair is rounded up by its own magnitude, so that a large pair outside the maximum costs nothing.
            count = len(laid_out.blocks)
            values = round_up_for_sum(scores[rows], count) + round_up_for_sum(-charge, count)
            pair_scores.append((scopes[rows, 1 - lower], scopes[rows, lower], values))
            sums.add(scopes[rows, 1 - lower], charge)
        rows = np.flatnonzero(wide & ~grouped & (scores > 0))
        shares = np.clip(given[first[rows][:, None] + np.arange(scopes.shape[1])], 0.0, None) * free[rows]
        total = shares.sum(axis=1, keepdims=True)
        # Shares that are all 0 after clipping, as in an initial or forged certificate, become even ones.
        even = free[rows] / remaining[rows][:, None]
        shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), even)
        sums.add(scopes[rows], scores[rows][:, None] * shares)
        rows = np.flatnonzero(wide & ~grouped & (scores < 0))
        # -inf times a share has no difference with the constant below: charge the finite loss instead.
        part = np.clip(given[first[rows]], 0.0, 1.0) * np.maximum(scores[rows], -loss)
        sums.add(scopes[rows], part[:, None] * free[rows])
        sums.add_constant(-part * (remaining[rows] - 1))
        owners, lifted = block.lifted
        charges = np.zeros(len(scopes))
        charges[rows] = part
        sums.add(lifted, charges[owners])
    _add_groups(split, open_ones, sums, pair_scores)
    bounded: list[BoundedFactor] = []
    for factor, scope in split.factors.configurations:
        prices = given[at : at + scope.size]
        at += scope.size
        if prices.size < scope.size:
            raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
        charge_work(scope.size, 20)
        if np.all(~open_ones[scope] | on[scope]):  # a single configuration remains: exact without prices
            sums.add_constant(np.array([split.factors.value_of(factor, on[scope])]))
            continue
        sums.add(scope, prices)
        scope_state = state[scope]
        if flipped is not None:
            scope_state = np.where(scope_state < 0, flipped.state[scope], scope_state)
        bound = configuration_bound(factor, split.decisions, -prices, scope_state)
        sums.add_constant(np.array([bound]))
        bounded.append(BoundedFactor(factor, scope, -prices, scope_state, bound))
    if at != given.size:
        raise InvalidProblem(f"{given.size} multipliers, the factors take {at}")
    higher = sums.total + ULP * sums.size * (sums.terms + split.length + 4)
    weights = np.where(open_ones, higher, -np.inf)
    # A conjunction of score -inf whose other decisions are on forbids the last one.
    forbidden = np.flatnonzero(open_ones & (weights == -np.inf))
    if forbidden.size:
        tightened = implied.fix(off=forbidden)
        implied = None if tightened is None else tightened.implied(split.decisions)
        if implied is None:
            return None
    lost = ULP * sums.constant_size * (sums.constant_terms + 4)
    # Deferred: most bounds need no losses, and they cost a pass over each diagram.
    losses = lru_cache(1)(partial(factor_flip_losses, split.decisions, bounded, open_ones))
    return SplitWeights(weights, implied, sums.constant, lost, laid_out.floor, losses)


def _add_groups(split: SplitInput, open_ones: BoolArray, sums: _Sums, pair_scores: PairScores) -> None:
    """Add to each lower decision the best score of each group's members with it, over all factors."""
    if not pair_scores:
        return
    group_index, count = split.group_index, split.decisions.count
    groups = int(group_index.max()) + 1
    upper, lower, values = (np.concatenate(column) for column in zip(*pair_scores, strict=True))
    # Sum the scores of a pair over factors before the maximum over a group: groups span factors (decision 008).
    pair = (lower * groups + group_index[upper]) * count + upper
    order = np.argsort(pair, kind="stable")
    pair, values = pair[order], values[order]
    starts = np.flatnonzero(np.append(True, np.diff(pair) > 0))
    pair, values = pair[starts], np.add.reduceat(values, starts)
    group = pair // count
    starts = np.flatnonzero(np.append(True, np.diff(group) > 0))
    best = np.maximum.reduceat(values, starts)
    lower, upper_group = np.divmod(group[starts], groups)
    # A possible member of the group without a pair scores 0, so the maximum is at least 0 if there is one. The
    # opposite of the lower decision is never on with it and does not count.
    members = np.bincount(group_index[open_ones & (group_index >= 0)], minlength=groups)[upper_group]
    if split.opposite is not None:
        opposite = split.opposite[lower]
        members -= (opposite >= 0) & open_ones[opposite] & (group_index[opposite] == upper_group)
    paired = np.diff(np.append(starts, pair.size))
    sums.add(lower, np.where(members > paired, np.maximum(best, 0.0), best))


def _from_units_of_scores(
    split: SplitInput, laid_out: _FormulaLayout, given: FloatArray, places: IntArray, loss: float
) -> FloatArray:
    """Convert the search's multipliers, in units of scores and without zeros, to the formula's (decision 057).

    The search used an upper bound of each score that it did not compute. With a lower score, a charge of the same
    size and the same proportions of shares give no higher bound; shares of a negative score are dropped.
    """
    size, conjunctive = sum(scope.size for _, scope in split.factors.configurations), int(laid_out.first[-1])
    if places.shape != given.shape or (places.size and not 0 <= places.min() <= places.max() < conjunctive + size):
        raise InvalidProblem(f"{places.size} places among {conjunctive + size} for {given.size} multipliers")
    charge_work(10 * places.size, 50)
    dense = np.zeros(laid_out.multipliers + size)
    prices = places >= conjunctive
    dense[laid_out.multipliers - conjunctive + places[prices]] = given[prices]
    scopes = np.searchsorted(laid_out.first, places, side="right") - 1
    begin = 0
    for block in laid_out.blocks:
        entries = np.flatnonzero((begin <= scopes) & (scopes < begin + len(block.scopes)))
        rows, values, index = (
            scopes[entries] - begin,
            given[entries],
            places[entries] - laid_out.first[scopes[entries]],
        )
        begin += len(block.scopes)
        scores, grouped, at = np.maximum(block.scores[rows], -loss), block.grouped[rows], block.first[rows]
        # Only a negative charge on a negative score: the score's sign may differ from that of the search's bound.
        charges = np.flatnonzero(~grouped & (scores < 0) & (values < 0) & (index == 0))
        dense[at[charges]] = np.maximum(values[charges], scores[charges]) / scores[charges]
        pairs, shares = grouped & (index == 0), ~grouped & (block.scores[rows] > 0)
        dense[at[pairs]] = values[pairs]
        dense[at[shares] + index[shares]] = values[shares]
    return dense


def _floor(split: SplitInput, blocks: list[_Block]) -> float:
    """Return a score that no allowed structure is below; -inf if unknown."""
    weights, group_index = split.weights, split.group_index
    allowed = weights > -np.inf
    minimum = np.zeros(int(group_index.max(initial=-1)) + 1)
    grouped = allowed & (group_index >= 0)
    minimum[np.unique(group_index[grouped])] = np.inf
    np.minimum.at(minimum, group_index[grouped], weights[grouped])
    low = [*minimum.tolist(), *np.minimum(weights[allowed & (group_index < 0)], 0.0).tolist()]
    low += [split.constant, -split.unseen]
    for block in blocks:
        # An allowed structure contains no scope of score -inf.
        counted = block.scores[np.isfinite(block.scores) & block.possible]
        low.append(float(np.minimum(counted, 0.0).sum()))
    if not all(map(math.isfinite, low)):
        return -math.inf
    terms = len(low) + sum(block.scores.size for block in blocks)
    return math.fsum(low) - ULP * terms * math.fsum(map(abs, low))
