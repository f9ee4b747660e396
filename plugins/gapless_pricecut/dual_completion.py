"""Prices of a restricted program, completed to all absent parts: each allowance is spent once."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless_pricecut.pricing_tables import PricingTables, Scopes

PASSES = 4
"""Number of rounds that redistribute allowances to overspent arcs."""


@attrs.frozen(eq=False)
class OpenParts:
    """The parts whose arcs are all alive.

    Parameters
    ----------
    arcs : bool (arcs,)
    rows : int64 (m,)
        Numbers of rows with both arcs alive.
    upper, group : int64 (m,)
        Groups are numbered among those that have a row.
    groups : int64 (g,)
        Their numbers among all.
    lower : int64 (g,)
    starts : int64 (g,)
        First row of each group.
    offers_none : bool (g,)
        Whether an arc into the group's word is in no pair of the group: then a tree may contain the lower arc
        without any pair of the group.
    groups_of : int64 (arcs,)
    scopes : int64 (k,)
        Scopes outside of groups with all arcs alive.
    entries, entry_arc, entry_scope : int64 (e,)
        Places among the entries of `PricingTables.scopes`, with their arcs and scopes.
    """

    arcs: BoolArray
    rows: IntArray
    upper: IntArray
    group: IntArray
    groups: IntArray
    lower: IntArray
    starts: IntArray
    offers_none: BoolArray
    groups_of: IntArray
    scopes: IntArray
    entries: IntArray
    entry_arc: IntArray
    entry_scope: IntArray

    @classmethod
    def of(cls, parts: PricingTables, alive: BoolArray) -> OpenParts:
        """Select the rows and scopes of `parts` under alive arcs."""
        rows = np.flatnonzero(alive[parts.upper] & alive[parts.group_lower][parts.group])
        of = parts.group[rows]
        # Rows are sorted by group: a group begins where the number changes.
        first = np.append(True, of[1:] != of[:-1])[: of.size]
        groups, starts = of[first], np.flatnonzero(first)
        group = np.cumsum(first) - 1
        lower, word = parts.group_lower[groups], parts.group_word[groups]
        arcs = parts.arcs
        candidates = np.bincount(arcs.modifiers[alive], minlength=arcs.length + 1)[word]
        # The reverse of the lower arc cannot occur with it, so it is no candidate for the pair.
        reverse = arcs.index[arcs.modifiers[lower], arcs.heads[lower]]
        candidates -= (reverse >= 0) & (arcs.modifiers[reverse] == word) & alive[reverse]
        covered = np.diff(np.append(starts, of.size))
        listed = parts.scopes.arcs
        dead = ~alive[listed.indices]
        alive_scopes = np.bincount(parts.scopes.entry_scope, dead, len(parts.scopes)) == 0
        entries = np.flatnonzero(alive_scopes[parts.scopes.entry_scope])
        return cls(
            alive,
            rows,
            parts.upper[rows],
            group,
            groups,
            lower,
            starts,
            candidates > covered,
            np.bincount(lower, minlength=arcs.count),
            np.flatnonzero(alive_scopes),
            entries,
            listed.indices[entries],
            parts.scopes.entry_scope[entries],
        )

    def best(self, values: FloatArray) -> FloatArray:
        """Return the largest value of the rows of each group."""
        return np.maximum.reduceat(values, self.starts) if self.starts.size else np.zeros(0)


@attrs.frozen(eq=False)
class Prices:
    """Prices of a restricted program for the arcs, rows and scopes that it contains.

    Parameters
    ----------
    tree : float64 (arcs,)
        Sum of the prices of the tree rows of each arc, absent arcs included.
    level : float64 (groups,)
        Prices of the groups' rows, NaN where the lower arc is absent.
    shares : float64 (entries of scopes,)
        For each arc of a positive scope the price of the arc's row; 0 where the scope is absent.
    taken : float64 (scopes,)
        Prices of the rows of negative scopes; 0 where absent.
    present : bool (scopes,)
    """

    tree: FloatArray
    level: FloatArray
    shares: FloatArray
    taken: FloatArray
    present: BoolArray

    @classmethod
    def unknown(cls, parts: PricingTables) -> Prices:
        """Return the prices before any program is solved: nothing is present, and every allowance is infinite."""
        return cls(
            np.full(parts.arcs.count, np.inf),
            np.full(parts.group_lower.size, np.nan),
            np.zeros(parts.scopes.entry_scope.size),
            np.zeros(len(parts.scopes)),
            np.zeros(len(parts.scopes), bool),
        )


@attrs.frozen(eq=False)
class DualCompletion:
    """Prices of all parts, and the charges that exceed the allowances of the restricted program.

    Parameters
    ----------
    level : float64 (groups of the `OpenParts`,)
    shares, taken : float64
        As in `Prices`, now of all scopes.
    weights : float64 (arcs,)
        Arc weights: no tree scores more than its weight and `constant`.
    constant : float
    short : float64 (arcs,)
        Overspending of the allowance of each arc by absent parts; 0 where there is none.
    excess : float64 (rows of the `OpenParts`,)
        Score of each row above the level of its group.
    """

    level: FloatArray
    shares: FloatArray
    taken: FloatArray
    weights: FloatArray
    constant: float
    short: FloatArray
    excess: FloatArray


def complete(parts: PricingTables, open_parts: OpenParts, prices: Prices) -> DualCompletion:
    """Spend the allowances of arcs on the absent parts.

    An arc may be charged until it pays more than the tree's rows ask for it: that is its allowance (its reduced
    cost). It is spent on levels of groups below the arc (section 4.3.3 raises them for arcs that are off), on
    charges of pairs above their group's level, and on shares of absent scopes. **All absent parts that share an arc
    share its allowance**: counting it once for each certifies wrong optima. Arcs that are absent themselves have
    their groups' levels set to what their word can pay.

    Parameters
    ----------
    parts : PricingTables
    open_parts : Open
    prices : Prices
    """
    # A bound holds whatever the prices are; this order only decides how tight it is and what enters the program.
    tolerance = parts.tolerance
    scopes = parts.scopes
    estimate = parts.estimate[open_parts.rows]
    positive = scopes.scores > 0
    price_sums = np.bincount(scopes.entry_scope, prices.shares, len(scopes))
    present = prices.present & (price_sums > 0)
    # Shares of a present scope add up to its score, which the prices of its rows do only at an exact optimum.
    scale = np.divide(scopes.scores, price_sums, out=np.zeros(len(scopes)), where=present & positive)
    shares = prices.shares * scale[scopes.entry_scope]
    # No more of a negative score can be charged than the score itself, or the finite loss that stands for -inf.
    taken = np.where(positive, 0.0, np.clip(prices.taken, 0.0, np.minimum(-scopes.scores, parts.loss)))
    weights_before = parts.problem.arc_weights + np.bincount(scopes.arcs.indices, shares, parts.arcs.count)
    weights_before -= np.bincount(scopes.arcs.indices, taken[scopes.entry_scope], parts.arcs.count)
    level, allowance = _levels(open_parts, prices, np.maximum(estimate, -parts.loss), weights_before)
    level, allowance, excess, charge = spend(open_parts, estimate, level, allowance, tolerance)
    absent = open_parts.entries[positive[open_parts.entry_scope] & ~present[open_parts.entry_scope]]
    shares[absent] = spread(scopes, absent, np.clip(allowance - charge, 0.0, parts.loss), tolerance)
    charge = charge + np.bincount(scopes.arcs.indices[absent], shares[absent], parts.arcs.count)
    weights = weights_before + charge + np.bincount(open_parts.lower, level, parts.arcs.count)
    # Charges up to the allowance keep the reduced cost of the arc at most 0; only the excess calls for columns.
    short = np.where(open_parts.arcs, np.maximum(charge - allowance, 0.0), 0.0)
    constant = float((taken * (scopes.width - 1)).sum())
    return DualCompletion(level, shares, taken, weights, constant, np.where(short > tolerance, short, 0.0), excess)


def spend(
    open_parts: OpenParts, estimate: FloatArray, level: FloatArray, allowance: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Raise the levels of groups whose pairs overspend an upper arc, out of the lower arc's allowance.

    Parameters
    ----------
    open_parts : Open
    estimate : float64 (rows of the `OpenParts`,)
    level : float64 (groups of the `OpenParts`,)
    allowance : float64 (arcs,)
        Limit on the charge of each arc, by pairs above it or by levels below.
    tolerance : float

    Returns
    -------
    level, allowance : float64
        After what was raised.
    excess : float64 (rows of the `OpenParts`,)
    charge : float64 (arcs,)
        The sum of the excesses of each upper arc: what exceeds its allowance is not paid for.
    """
    level, allowance = level.copy(), allowance.copy()
    for step in range(PASSES + 1):
        excess = np.maximum(estimate - level[open_parts.group], 0.0)
        charge = np.bincount(open_parts.upper, excess, allowance.size).astype(np.float64)
        # All rows of an upper arc share its allowance: their excesses are compared with it in sum, not one by one.
        over = charge > allowance + tolerance
        if step == PASSES or not over.any():
            break
        need = open_parts.best(np.where(over[open_parts.upper], excess, 0.0))
        # A lower arc has several groups, one for each word of the upper arcs: each gets an even share of its
        # allowance.
        give = np.maximum(allowance - charge, 0.0)[open_parts.lower] / open_parts.groups_of[open_parts.lower]
        more = np.minimum(need, give)
        if not np.any(more > tolerance):
            break
        level += more
        allowance -= np.bincount(open_parts.lower, more, allowance.size)
    return level, allowance, excess, charge


def _levels(
    open_parts: OpenParts, prices: Prices, estimate: FloatArray, own: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the levels of all groups before any is raised, and the allowance of each arc."""
    level = prices.level[open_parts.groups].copy()
    absent = np.isnan(level)
    top = open_parts.best(estimate)
    top = np.where(open_parts.offers_none, np.maximum(top, 0.0), top)
    level[absent] = top[absent]
    # The lower arc can be on without a pair, so its level cannot be negative (OneGP is then an inequality).
    level = np.where(open_parts.offers_none, np.maximum(level, 0.0), level)
    allowance = prices.tree - own - np.bincount(open_parts.lower, level, own.size)
    # An absent lower arc with a negative allowance cannot afford the level: lower it, and let upper arcs be
    # charged.
    lacking = np.maximum(-allowance, 0.0)[open_parts.lower] / np.maximum(open_parts.groups_of[open_parts.lower], 1)
    lowered = np.where(absent, level - lacking, level)
    lowered = np.where(absent & open_parts.offers_none, np.maximum(lowered, 0.0), lowered)
    allowance += np.bincount(open_parts.lower, level - lowered, own.size)
    return lowered, allowance


def spread(scopes: Scopes, entries: IntArray, free: FloatArray, tolerance: float) -> FloatArray:
    """Split the scores of absent positive scopes over their arcs, in proportion to the allowances still free."""
    arc, scope = scopes.arcs.indices[entries], scopes.entry_scope[entries]
    weight = free[arc] + tolerance
    for _ in range(PASSES):
        total = np.bincount(scope, weight, len(scopes))[scope]
        share: FloatArray = scopes.scores[scope] * weight / total
        requested = np.bincount(arc, share, free.size)
        if not np.any(requested > free + tolerance):
            break
        # Proportional scaling: arcs that would carry more than they can get less weight in each scope.
        # The cap on growth and the floor keep all weights positive and finite.
        weight = weight * np.minimum((free + tolerance) / np.maximum(requested, tolerance), 1e6)[arc]
        weight = np.maximum(weight, 1e-300)
    return share
