"""Weights and the constant of a split bound, from its multipliers: written for checking, apart from the search."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np

from gapless.core.configuration_bound import configuration_bound
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.factors.factor_set import FactorSet
from gapless.core.proofs.felt_by_factors import Bounded, felt_flips
from gapless.core.proofs.raised import ULP, raised
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.work import kept_meanwhile, spend_work

LOWER_IS_SECOND, LOWER_IS_FIRST = 1, 2

Worth = list[tuple[IntArray, IntArray, FloatArray]]
"""Upper decisions, lower ones, and what the first are worth beside the second; pairs may come again."""


@attrs.frozen(eq=False)
class Splittable:
    """A problem as the formula reads it.

    Parameters
    ----------
    problem : Problem
    decisions : Decisions
    factors : FactorSet
    weights : float64 (decisions,)
        Of the backbone; -inf where a decision cannot be on.
    constant : float
    opposite : int64 (decisions,), optional
        For each decision one that is never on beside it, -1 for none; beyond what choice groups say.
    excludes : callable, optional
        Whether no structure holds both decisions, pair by pair, which is all that lifted charges stand on; None
        where that is not known.
    length : int
        Additions that a weight goes through, beyond those of the formula.
    unseen : float
        No structure's own scores and values of factors that are no conjunctions sum to less than minus this;
        infinity where that is not known.
    """

    problem: Any
    decisions: Decisions
    factors: FactorSet
    weights: FloatArray
    constant: float = 0.0
    opposite: IntArray | None = None
    excludes: Callable[[IntArray, IntArray], BoolArray] | None = None
    length: int = 0
    unseen: float = math.inf

    @property
    def group_of(self) -> IntArray:
        """Number of each decision's choice group, -1 for none."""
        return self.decisions.group_of()

    def compatible(self, scopes: IntArray) -> BoolArray:
        """Scopes that some structure might hold, bool (m,)."""
        fine = self.factors.possible(scopes)
        if self.opposite is not None:
            facing = self.opposite[scopes]
            for a in range(scopes.shape[1]):
                for b in range(a + 1, scopes.shape[1]):
                    fine &= facing[:, a] != scopes[:, b]
        return fine


@attrs.frozen(eq=False)
class Weighed:
    """Weights of decisions that, with a constant, bound every structure under fixings.

    Parameters
    ----------
    weights : float64 (decisions,)
        Raised by what float64 may have rounded away on the way to them; -inf for those that are off.
    fixings : Fixings
        With what they imply.
    lost : float
        Rounding of the constant, at most.
    floor : float
        No allowed structure scores less.
    felt : callable
        To what the constant loses at least with each decision on, and with each off: float64 (decisions,) both, at
        most 0; raised by what float64 may have rounded away.
    """

    weights: FloatArray
    fixings: Fixings
    constant: float
    lost: float
    floor: float
    felt: Callable[[], tuple[FloatArray, FloatArray]]

    def bound(self, best: float, felt: float = 0.0) -> float:
        """The bound on scores, where no structure weighs more than `best` and the constant changes by `felt`."""
        if best == -math.inf or self.constant == -math.inf or felt == -math.inf:
            return -math.inf
        total = math.fsum([best, self.constant, self.lost, felt])
        bound = math.nextafter(total, math.inf)
        return -math.inf if bound < self.floor else bound


class _Sums:
    """Sums for each decision, their sizes and counts."""

    def __init__(self, first: FloatArray) -> None:
        self.total, self.size, self.terms = first.copy(), np.abs(first), np.ones(first.size)
        self.constant, self.constant_size, self.constant_terms = 0.0, 0.0, 1.0

    def add(self, at: IntArray, values: Any) -> None:
        spread = np.broadcast_to(values, at.shape)
        np.add.at(self.total, at, spread)
        np.add.at(self.size, at, np.where(np.isfinite(spread), np.abs(spread), 0.0))
        np.add.at(self.terms, at, 1.0)

    def add_constant(self, values: FloatArray) -> None:
        self.constant += float(values.sum())
        self.constant_size += float(np.abs(values[np.isfinite(values)]).sum())
        self.constant_terms += values.size


@attrs.frozen(eq=False)
class _Block:
    """A conjunctive factor: all that the fixings do not change.

    Parameters
    ----------
    scopes : int64 (k, width)
    scores : float64 (k,)
    fine : bool (k,)
        Scopes that some structure might hold.
    grouped : bool (k,)
    first : int64 (k,)
        The first multiplier of each.
    lifted : int64 (m,), int64 (m,)
        Scopes, and decisions that their charges take in besides.
    """

    scopes: IntArray
    scores: FloatArray
    fine: BoolArray
    grouped: BoolArray
    first: IntArray
    lifted: tuple[IntArray, IntArray]


@attrs.frozen(eq=False)
class _LaidOut:
    """The conjunctions of a problem, the number of their multipliers, and the least that is allowed to score.

    `first`: for each scope the sum of the widths of those before it, and of all at the end; int64 (scopes + 1,).
    """

    problem: Any
    asked: Any
    blocks: Sequence[_Block]
    multipliers: int
    floor: float
    first: IntArray


def _laid_out(
    split: Splittable, orientation: tuple[int, ...], alone: IntArray, counted: Sequence[Any], lifted: bool
) -> _LaidOut:
    """Made once a verification: the certificates of a tree all ask for the same."""
    elsewhere = frozenset(map(id, counted))
    asked = orientation, alone.tobytes(), elsewhere, lifted
    kept = kept_meanwhile()
    known: _LaidOut | None = kept.get(_LaidOut)
    if known is not None and known.problem is split.problem and known.asked == asked:
        return known
    conjunctions = split.factors.conjunctions
    if len(orientation) != len(conjunctions):
        raise InvalidProblem(f"{len(orientation)} orientations for {len(conjunctions)} factors")
    blocks: list[_Block] = []
    at = seen = 0
    for factor, way in zip(conjunctions, orientation, strict=True):
        left_out = id(factor.factor) in elsewhere
        scopes = factor.scopes[:0] if left_out else factor.scopes
        scores = np.zeros(0) if left_out else factor.all_scores()
        spend_work(20 * scopes.size, 40)
        if scopes.size:
            grouped = grouped_pairs(split, scopes, way) & ~np.isin(seen + np.arange(len(scopes)), alone)
            counts = np.where(grouped | (scores < 0), 1, scopes.shape[1])
            fine = split.compatible(scopes)
        else:
            grouped = fine = np.zeros(len(scopes), bool)
            counts = np.zeros(len(scopes), np.int64)
        charged = fine & ~grouped & (scores < 0) & (lifted and scopes.shape[1:] == (2,))
        lifts = lifted_decisions(split, scopes, np.flatnonzero(charged))
        blocks.append(_Block(scopes, scores, fine, grouped, at + np.cumsum(counts) - counts, lifts))
        at, seen = at + int(counts.sum()), seen + len(scopes)
    widths = [np.full(len(block.scopes), block.scopes.shape[1]) for block in blocks if block.scopes.size]
    first = np.concatenate([np.zeros(1, np.int64), *widths]).cumsum()
    kept[_LaidOut] = made = _LaidOut(split.problem, asked, blocks, at, _floor(split, blocks), first)
    return made


def multiplier_count(
    split: Splittable, orientation: tuple[int, ...], alone: IntArray, counted: Sequence[Any] = ()
) -> int:
    """Number of multipliers that the formula takes."""
    return _laid_out(split, orientation, alone, counted, False).multipliers + sum(
        s.size for _, s in split.factors.configurations
    )


def weigh(
    split: Splittable,
    orientation: tuple[int, ...],
    alone: IntArray,
    multipliers: FloatArray,
    loss: float,
    fixings: Fixings,
    counted: Sequence[Any] = (),
    *,
    lifted: bool = False,
    places: IntArray | None = None,
    flipped: Fixings | None = None,
) -> Weighed | None:
    """Evaluate the split bound's formula; None when the fixings leave a choice group empty.

    Whatever the multipliers hold is turned into allowed ones: NaN to 0, charges clipped at 0, shares clipped and
    divided by their sum, parts of negative scores clipped to [0, 1], a loss that is
    no number or negative to 0. The docstring of `SplitCertificate` states the formula, and what the multipliers are
    with `places`; all others are then 0. Factors of `counted` are left to
    whoever bounds the backbone under these weights. With `flipped`, factors that are no conjunctions are bounded
    under these tighter fixings, and all else under `fixings`. Raises `InvalidProblem`: too few or too many
    multipliers, an orientation that does not fit, or lifted charges where it is not known what excludes what.
    """
    barred = np.flatnonzero((split.weights == -np.inf) & (fixings.state != 0))
    possible = fixings.fix(off=barred) if barred.size else fixings
    implied = None if possible is None else possible.implied(split.decisions)
    if implied is None:
        return None
    state = implied.state
    open_ones, on = state != 0, state == 1
    laid = _laid_out(split, orientation, alone, counted, lifted)
    given = np.nan_to_num(np.asarray(multipliers, np.float64), nan=0.0, posinf=1e150, neginf=-1e150)
    given = np.clip(given, -1e150, 1e150)
    loss = min(loss, 1e150) if loss > 0 else 0.0
    if places is not None:
        given = _from_units_of_scores(split, laid, given, places, loss)
    sums = _Sums(np.where(split.weights > -np.inf, split.weights, 0.0))
    sums.add_constant(np.array([split.constant]))
    at = laid.multipliers
    if at > given.size:
        raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
    worth: Worth = []
    for block, way in zip(laid.blocks, orientation, strict=True):
        scopes, scores, grouped, first = block.scopes, block.scores, block.grouped, block.first
        if not scopes.size:
            continue
        spend_work(8 * scopes.size, 40)
        alive = block.fine & open_ones[scopes].all(axis=1)
        free = open_ones[scopes] & ~on[scopes]
        left = free.sum(axis=1)
        sums.add_constant(scores[alive & (left == 0)])
        rows = np.flatnonzero(alive & (left == 1))
        sums.add(scopes[rows, free[rows].argmax(axis=1)], scores[rows])
        wide = alive & (left > 1)
        rows = np.flatnonzero(wide & grouped)
        if rows.size:
            lower = 1 if way == LOWER_IS_SECOND else 0
            charge = np.maximum(given[first[rows]], 0.0)
            # Rounding counts pair by pair, so that only the pair which is chosen pays for its own.
            worths = raised(scores[rows], len(laid.blocks)) + raised(-charge, len(laid.blocks))
            worth.append((scopes[rows, 1 - lower], scopes[rows, lower], worths))
            sums.add(scopes[rows, 1 - lower], charge)
        rows = np.flatnonzero(wide & ~grouped & (scores > 0))
        shares = np.clip(given[first[rows][:, None] + np.arange(scopes.shape[1])], 0.0, None) * free[rows]
        whole = shares.sum(axis=1, keepdims=True)
        even = free[rows] / left[rows][:, None]
        shares = np.where(whole > 0, shares / np.where(whole > 0, whole, 1.0), even)
        sums.add(scopes[rows], scores[rows][:, None] * shares)
        rows = np.flatnonzero(wide & ~grouped & (scores < 0))
        part = np.clip(given[first[rows]], 0.0, 1.0) * np.maximum(scores[rows], -loss)
        sums.add(scopes[rows], part[:, None] * free[rows])
        sums.add_constant(-part * (left[rows] - 1))
        owners, taken = block.lifted
        charges = np.zeros(len(scopes))
        charges[rows] = part
        sums.add(taken, charges[owners])
    _add_groups(split, open_ones, sums, worth)
    bounded: list[Bounded] = []
    for factor, scope in split.factors.configurations:
        prices = given[at : at + scope.size]
        at += scope.size
        if prices.size < scope.size:
            raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
        spend_work(scope.size, 20)
        if np.all(~open_ones[scope] | on[scope]):
            sums.add_constant(np.array([split.factors.value_of(factor, on[scope])]))
            continue
        sums.add(scope, prices)
        seen = state[scope] if flipped is None else np.where(state[scope] < 0, flipped.state[scope], state[scope])
        most = configuration_bound(factor, split.decisions, -prices, seen)
        sums.add_constant(np.array([most]))
        bounded.append(Bounded(factor, scope, -prices, seen, most))
    if at != given.size:
        raise InvalidProblem(f"{given.size} multipliers, the factors take {at}")
    higher = sums.total + ULP * sums.size * (sums.terms + split.length + 4)
    weights = np.where(open_ones, higher, -np.inf)
    shut = np.flatnonzero(open_ones & (weights == -np.inf))  # a conjunction forbids them beside what is on
    if shut.size:
        left = implied.fix(off=shut)
        implied = None if left is None else left.implied(split.decisions)
        if implied is None:
            return None
    lost = ULP * sums.constant_size * (sums.constant_terms + 4)
    felt = lru_cache(1)(partial(felt_flips, split.decisions, bounded, open_ones))
    return Weighed(weights, implied, sums.constant, lost, laid.floor, felt)


def _add_groups(split: Splittable, open_ones: BoolArray, sums: _Sums, worth: Worth) -> None:
    """For each lower decision and group, over all factors: the best that one of the group is worth beside it."""
    if not worth:
        return
    group_of, count = split.group_of, split.decisions.count
    most = int(group_of.max()) + 1
    upper, lower, values = (np.concatenate(column) for column in zip(*worth, strict=True))
    # Pairs of several factors first, then the pairs of a group.
    pair = (lower * most + group_of[upper]) * count + upper
    order = np.argsort(pair, kind="stable")
    pair, values = pair[order], values[order]
    fresh = np.flatnonzero(np.append(True, np.diff(pair) > 0))
    pair, values = pair[fresh], np.add.reduceat(values, fresh)
    group = pair // count
    starts = np.flatnonzero(np.append(True, np.diff(group) > 0))
    best = np.maximum.reduceat(values, starts)
    lower, chosen = np.divmod(group[starts], most)
    # One of the group that is open and in no pair is worth 0; the opposite of the lower one is never beside it.
    beside = np.bincount(group_of[open_ones & (group_of >= 0)], minlength=most)[chosen]
    if split.opposite is not None:
        back = split.opposite[lower]
        beside -= (back >= 0) & open_ones[back] & (group_of[back] == chosen)
    covered = np.diff(np.append(starts, pair.size))
    sums.add(lower, np.where(beside > covered, np.maximum(best, 0.0), best))


def _from_units_of_scores(
    split: Splittable, laid: _LaidOut, given: FloatArray, places: IntArray, loss: float
) -> FloatArray:
    """All multipliers, from those that are not 0: the units and places of a search that may not know all scores.

    The search had an upper bound where it did not know the score. With a lower score, a charge of the same size and
    the same proportions of shares give no higher bound; a share of a score that is negative is nothing.
    """
    size, conjunctive = sum(scope.size for _, scope in split.factors.configurations), int(laid.first[-1])
    if places.shape != given.shape or (places.size and not 0 <= places.min() <= places.max() < conjunctive + size):
        raise InvalidProblem(f"{places.size} places among {conjunctive + size} for {given.size} multipliers")
    spend_work(10 * places.size, 50)
    everything = np.zeros(laid.multipliers + size)
    prices = places >= conjunctive
    everything[laid.multipliers - conjunctive + places[prices]] = given[prices]
    scopes = np.searchsorted(laid.first, places, side="right") - 1
    begin = 0
    for block in laid.blocks:
        mine = np.flatnonzero((begin <= scopes) & (scopes < begin + len(block.scopes)))
        rows, values, place = scopes[mine] - begin, given[mine], places[mine] - laid.first[scopes[mine]]
        begin += len(block.scopes)
        scores, grouped, at = np.maximum(block.scores[rows], -loss), block.grouped[rows], block.first[rows]
        charges = np.flatnonzero(~grouped & (scores < 0) & (values < 0) & (place == 0))
        everything[at[charges]] = np.maximum(values[charges], scores[charges]) / scores[charges]
        pairs, shares = grouped & (place == 0), ~grouped & (block.scores[rows] > 0)
        everything[at[pairs]] = values[pairs]
        everything[at[shares] + place[shares]] = values[shares]
    return everything


def lifted_decisions(split: Splittable, scopes: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Of these pairs (e, f), the decisions that their charges take in: a row for each, and the decision.

    They are those of the choice group of e that no structure has beside f, and those of the group of f that none
    has beside e or any of these. So of the pair and these, a structure has two for e and f alone. A pair one of
    whose decisions is in no group takes in nothing. Raises `InvalidProblem`: it is not known what excludes what.
    """
    group_of = split.group_of
    rows = rows[(group_of[scopes[rows]] >= 0).all(axis=1)] if rows.size else rows
    if not rows.size:
        return rows, rows
    if split.excludes is None:
        raise InvalidProblem("charges are lifted, but which decisions exclude each other is not known here")
    groups = split.decisions.choice_groups()
    most = max(group.size for group in groups)
    table = np.full((len(groups), most), -1, np.int64)
    for number, group in enumerate(groups):
        table[number, : group.size] = group
    spend_work(30 * rows.size * most * most, 100 * most)
    e, f = scopes[rows, 0, None], scopes[rows, 1, None]
    beside_e, beside_f = table[group_of[f[:, 0]]], table[group_of[e[:, 0]]]
    of_e = (beside_f >= 0) & (beside_f != e) & split.excludes(beside_f, f)
    of_f = (beside_e >= 0) & (beside_e != f) & split.excludes(beside_e, e)
    for column in range(most):
        of_f &= ~of_e[:, column, None] | split.excludes(beside_e, beside_f[:, column, None])
    return (
        np.concatenate([rows[np.nonzero(mask)[0]] for mask in (of_e, of_f)]),
        np.concatenate([beside_f[of_e], beside_e[of_f]]),
    )


def grouped_pairs(split: Splittable, scopes: IntArray, way: int) -> BoolArray:
    """Pairs, of those that can fire, that share lower decision and group of the upper one with another."""
    if way not in (LOWER_IS_SECOND, LOWER_IS_FIRST):
        return np.zeros(len(scopes), bool)
    if scopes.shape[1] != 2:
        raise InvalidProblem("only pairs of decisions can be grouped")
    lower = 1 if way == LOWER_IS_SECOND else 0
    chosen = split.group_of[scopes[:, 1 - lower]]
    most = int(chosen.max(initial=-1)) + 1
    fine = split.compatible(scopes) & (chosen >= 0)
    group = np.where(fine, scopes[:, lower] * most + chosen, 0)
    size = np.bincount(group[fine], minlength=1)
    shared: BoolArray = fine.copy()
    shared[fine] = size[group[fine]] > 1
    return shared


def _floor(split: Splittable, blocks: list[_Block]) -> float:
    """No allowed structure scores less; -inf where that is not known."""
    weights, group_of = split.weights, split.group_of
    allowed = weights > -np.inf
    least = np.zeros(int(group_of.max(initial=-1)) + 1)
    chosen = allowed & (group_of >= 0)
    least[np.unique(group_of[chosen])] = np.inf
    np.minimum.at(least, group_of[chosen], weights[chosen])
    low = [*least.tolist(), *np.minimum(weights[allowed & (group_of < 0)], 0.0).tolist()]
    low += [split.constant, -split.unseen]
    for block in blocks:
        counted = block.scores[np.isfinite(block.scores) & block.fine]
        low.append(float(np.minimum(counted, 0.0).sum()))
    if not all(map(math.isfinite, low)):
        return -math.inf
    terms = len(low) + sum(block.scores.size for block in blocks)
    return math.fsum(low) - ULP * terms * math.fsum(map(abs, low))
