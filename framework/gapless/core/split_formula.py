"""Arc weights and the constant that multipliers give, written for checking: plain, and apart from the solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.configuration_bound import best_configuration
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.work import kept_meanwhile
from gapless.roles import Factor, Fixings, spend_work
from gapless_dependency import ParsingProblem
from gapless_dependency.proofs.rounding import ULP, raised

LOWER_IS_SECOND, LOWER_IS_FIRST = 1, 2

Worth = list[tuple[IntArray, IntArray, FloatArray]]
"""Upper arcs, lower arcs, and what the first are worth beside the second; pairs may come again."""


@attrs.frozen(eq=False)
class Weighed:
    """Arc weights that bound every tree under fixings.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        Raised by what float64 may have rounded away on the way to them.
    lost : float
        Rounding of the constant, at most.
    floor : float
        No allowed tree scores less.
    """

    weights: FloatArray
    constant: float
    lost: float
    floor: float


class _Sums:
    """Sums for each arc, their sizes and counts."""

    def __init__(self, first: FloatArray) -> None:
        self.total, self.size, self.terms = first.copy(), np.abs(first), np.ones(first.size)
        self.constant, self.constant_size, self.constant_terms = 0.0, 0.0, 1.0

    def add(self, arcs: IntArray, values: Any) -> None:
        spread = np.broadcast_to(values, arcs.shape)
        np.add.at(self.total, arcs, spread)
        np.add.at(self.size, arcs, np.where(np.isfinite(spread), np.abs(spread), 0.0))
        np.add.at(self.terms, arcs, 1.0)

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
        Scopes that some tree might hold.
    grouped : bool (k,)
    first : int64 (k,)
        The first multiplier of each.
    """

    scopes: IntArray
    scores: FloatArray
    fine: BoolArray
    grouped: BoolArray
    first: IntArray


@attrs.frozen(eq=False)
class _LaidOut:
    """The conjunctions of a problem, how many multipliers they take, and what no allowed tree scores less than."""

    problem: ParsingProblem
    asked: Any
    blocks: Sequence[_Block]
    multipliers: int
    floor: float


def _laid_out(
    problem: ParsingProblem, orientation: tuple[int, ...], alone: IntArray, counted: Sequence[Any]
) -> _LaidOut:
    """Made once a verification: the certificates of a tree all ask for the same."""
    elsewhere = frozenset(map(id, counted))
    asked = orientation, alone.tobytes(), elsewhere
    kept = kept_meanwhile()
    known: _LaidOut | None = kept.get(_LaidOut)
    if known is not None and known.problem is problem and known.asked == asked:
        return known
    if len(orientation) != len(problem.conjunctions):
        raise InvalidProblem(f"{len(orientation)} orientations for {len(problem.conjunctions)} factors")
    blocks: list[_Block] = []
    at = seen = 0
    for factor, way in zip(problem.conjunctions, orientation, strict=True):
        left_out = id(factor.factor) in elsewhere
        scopes = factor.scopes[:0] if left_out else factor.scopes
        scores = np.zeros(0) if left_out else factor.all_scores()
        spend_work(20 * scopes.size, 40)
        if scopes.size:
            grouped = grouped_pairs(problem, scopes, way) & ~np.isin(seen + np.arange(len(scopes)), alone)
            counts = np.where(grouped | (scores < 0), 1, scopes.shape[1])
            fine = _compatible(problem, scopes)
        else:
            grouped = fine = np.zeros(len(scopes), bool)
            counts = np.zeros(len(scopes), np.int64)
        blocks.append(_Block(scopes, scores, fine, grouped, at + np.cumsum(counts) - counts))
        at, seen = at + int(counts.sum()), seen + len(scopes)
    floor = -np.inf if counted else _floor(problem, [(block.scopes, block.scores) for block in blocks])
    kept[_LaidOut] = made = _LaidOut(problem, asked, blocks, at, floor)
    return made


def weigh(
    problem: ParsingProblem,
    orientation: tuple[int, ...],
    alone: IntArray,
    multipliers: FloatArray,
    loss: float,
    fixings: Fixings,
    counted: Sequence[Any] = (),
) -> Weighed | None:
    """Evaluate the split bound's formula; None when the fixings leave a word without a head.

    Whatever the multipliers hold is turned into allowed ones: NaN to 0, charges clipped at 0, shares clipped and
    divided by their sum, parts of negative scores clipped to [0, 1], a loss that is
    no number or negative to 0. The docstring of `SplitMultipliers` states the
    formula. Factors of `counted` are left to whoever bounds the trees under these weights. Raises `InvalidProblem`:
    too few or too many multipliers, or an orientation that does not fit.
    """
    implied = fixings.implied(problem.decisions)
    if implied is None:
        return None
    arcs, state = problem.decisions, implied.state
    if not arcs.count:
        return None
    open_arcs, on = state != 0, state == 1
    laid = _laid_out(problem, orientation, alone, counted)
    given = np.nan_to_num(np.asarray(multipliers, np.float64), nan=0.0, posinf=1e150, neginf=-1e150)
    given = np.clip(given, -1e150, 1e150)
    sums = _Sums(problem.arc_weights)
    loss = min(loss, 1e150) if loss > 0 else 0.0
    at = laid.multipliers
    if at > given.size:
        raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
    worth: Worth = []
    for block, way in zip(laid.blocks, orientation, strict=True):
        scopes, scores, grouped, first = block.scopes, block.scores, block.grouped, block.first
        if not scopes.size:
            continue
        spend_work(8 * scopes.size, 40)
        alive = block.fine & open_arcs[scopes].all(axis=1)
        free = open_arcs[scopes] & ~on[scopes]
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
    _add_groups(problem, open_arcs, sums, worth)
    for factor, scope in problem.configurations:
        prices = given[at : at + scope.size]
        at += scope.size
        if prices.size < scope.size:
            raise InvalidProblem(f"{given.size} multipliers are too few for the factors")
        spend_work(scope.size, 20)
        if np.all(~open_arcs[scope] | on[scope]):
            sums.add_constant(np.array([factor.value(on[scope])]))
            continue
        sums.add(scope, prices)
        sums.add_constant(np.array([best_configuration(factor, np.where(open_arcs[scope], -prices, -np.inf))]))
        sums.constant_size += float(np.abs(prices).sum())
        sums.constant_terms += scope.size
    if at != given.size:
        raise InvalidProblem(f"{given.size} multipliers, the factors take {at}")
    weights = np.full(problem.scores.shape, -np.inf)
    higher = sums.total + ULP * sums.size * (sums.terms + problem.length + 4)
    weights[arcs.heads[open_arcs], arcs.modifiers[open_arcs]] = higher[open_arcs]
    return Weighed(weights, sums.constant, ULP * sums.constant_size * (sums.constant_terms + 4), laid.floor)


def _add_groups(problem: ParsingProblem, open_arcs: BoolArray, sums: _Sums, worth: Worth) -> None:
    """For each lower arc and word, over all factors: the best that an arc into the word is worth beside it."""
    if not worth:
        return
    arcs = problem.decisions
    upper, lower, values = (np.concatenate(column) for column in zip(*worth, strict=True))
    # Pairs of several factors first, then the pairs of a group.
    pair = (lower * (arcs.length + 1) + arcs.modifiers[upper]) * arcs.count + upper
    order = np.argsort(pair, kind="stable")
    pair, values = pair[order], values[order]
    fresh = np.flatnonzero(np.append(True, np.diff(pair) > 0))
    pair, values = pair[fresh], np.add.reduceat(values, fresh)
    group = pair // arcs.count
    starts = np.flatnonzero(np.append(True, np.diff(group) > 0))
    best = np.maximum.reduceat(values, starts)
    lower, word = np.divmod(group[starts], arcs.length + 1)
    # An open arc into the word that is in no pair is worth 0; the reverse of the lower arc is never beside it.
    into = np.bincount(arcs.modifiers[open_arcs], minlength=arcs.length + 1)[word]
    back = arcs.index[arcs.modifiers[lower], arcs.heads[lower]]
    into -= (back >= 0) & open_arcs[back] & (arcs.modifiers[back] == word)
    covered = np.diff(np.append(starts, pair.size))
    sums.add(lower, np.where(into > covered, np.maximum(best, 0.0), best))


def grouped_pairs(problem: ParsingProblem, scopes: IntArray, way: int) -> BoolArray:
    """Pairs, of those that can fire, that share lower arc and word of the upper arc with another."""
    if way not in (LOWER_IS_SECOND, LOWER_IS_FIRST):
        return np.zeros(len(scopes), bool)
    if scopes.shape[1] != 2:
        raise InvalidProblem("only pairs of arcs can be grouped")
    lower = 1 if way == LOWER_IS_SECOND else 0
    group = scopes[:, lower] * (problem.length + 1) + problem.decisions.modifiers[scopes[:, 1 - lower]]
    fine = _compatible(problem, scopes)
    size = np.bincount(group[fine], minlength=int(group.max(initial=0)) + 1)
    shared: BoolArray = fine & (size[group] > 1)
    return shared


def _compatible(problem: ParsingProblem, scopes: IntArray) -> BoolArray:
    """Scopes that some tree might hold: one head for each word, no arc with its reverse."""
    heads, words = problem.decisions.heads[scopes], problem.decisions.modifiers[scopes]
    fine = np.ones(len(scopes), bool)
    for a in range(scopes.shape[1]):
        for b in range(a + 1, scopes.shape[1]):
            fine &= (words[:, a] != words[:, b]) & ~((words[:, a] == heads[:, b]) & (heads[:, a] == words[:, b]))
    return fine


def _floor(problem: ParsingProblem, blocks: list[tuple[IntArray, FloatArray]]) -> float:
    """No allowed tree scores less; -inf beside factors that are no conjunctions, which may score anything."""
    if not all(isinstance(factor, Factor) for factor in problem.factors):
        return -np.inf
    low = size = 0.0
    terms = 4 + problem.length
    for word in range(1, problem.length + 1):
        into = problem.arc_weights[problem.decisions.first[word] : problem.decisions.first[word + 1]]
        if into.size:
            low, size = low + float(into.min()), size + abs(float(into.min()))
    for scopes, scores in blocks:
        counted = scores[np.isfinite(scores) & _compatible(problem, scopes)]
        below = float(np.minimum(counted, 0.0).sum())
        low, size, terms = low + below, size - below, terms + counted.size
    return low - ULP * terms * size
