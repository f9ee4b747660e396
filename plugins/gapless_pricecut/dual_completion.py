"""Prices of a restricted program completed to all that is absent, each allowance spent once."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_pricecut.pricing_tables import Parts, Scopes

PASSES = 4
"""Rounds in which overspent arcs ask for more room."""


@attrs.frozen(eq=False)
class Open:
    """The parts that some alive arcs leave.

    Parameters
    ----------
    arcs : bool (arcs,)
    rows : int64 (m,)
        Numbers of rows with both arcs alive.
    upper, group : int64 (m,)
        Groups are numbered among those that are left.
    groups : int64 (g,)
        Their numbers among all.
    lower : int64 (g,)
    starts : int64 (g,)
        First row of each group.
    offers_none : bool (g,)
        Whether an arc into the group's word is in no pair of the group: then a tree may have the lower arc at no
        gain.
    groups_of : int64 (arcs,)
    scopes : int64 (k,)
        Scopes outside of groups with all arcs alive.
    entries, entry_arc, entry_scope : int64 (e,)
        Places among the entries of `Parts.scopes`, with their arcs and scopes.
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
    def of(cls, parts: Parts, alive: BoolArray) -> Open:
        """The rows and scopes of `parts` under alive arcs."""
        left = alive[parts.upper] & alive[parts.group_lower][parts.group]
        rows = np.flatnonzero(left)
        of = parts.group[rows]
        first = np.append(True, of[1:] != of[:-1])[: of.size]
        groups, starts = of[first], np.flatnonzero(first)
        group = np.cumsum(first) - 1
        lower, word = parts.group_lower[groups], parts.group_word[groups]
        arcs = parts.arcs
        candidates = np.bincount(arcs.modifiers[alive], minlength=arcs.length + 1)[word]
        reverse = arcs.index[arcs.modifiers[lower], arcs.heads[lower]]
        candidates -= (reverse >= 0) & (arcs.modifiers[reverse] == word) & alive[reverse]
        covered = np.diff(np.append(starts, of.size))
        listed = parts.scopes.arcs
        dead = ~alive[listed.indices]
        whole = np.bincount(parts.scopes.entry_scope, dead, len(parts.scopes)) == 0
        entries = np.flatnonzero(whole[parts.scopes.entry_scope])
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
            np.flatnonzero(whole),
            entries,
            listed.indices[entries],
            parts.scopes.entry_scope[entries],
        )

    def best(self, values: FloatArray) -> FloatArray:
        """The largest value of the rows of each group."""
        return np.maximum.reduceat(values, self.starts) if self.starts.size else np.zeros(0)


@attrs.frozen(eq=False)
class Prices:
    """Prices of a restricted program for its own arcs, rows and scopes.

    Parameters
    ----------
    tree : float64 (arcs,)
        Payments of each arc to the rows that make a tree, absent arcs too.
    level : float64 (groups,)
        Prices of the groups' rows, NaN where the lower arc is absent.
    shares : float64 (entries of scopes,)
        For each arc of a positive scope, what the arc's row charges; 0 where the scope is absent.
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
    def unknown(cls, parts: Parts) -> Prices:
        """Before any program is solved: nothing is present, and no arc is too dear."""
        return cls(
            np.full(parts.arcs.count, np.inf),
            np.full(parts.group_lower.size, np.nan),
            np.zeros(parts.scopes.entry_scope.size),
            np.zeros(len(parts.scopes)),
            np.zeros(len(parts.scopes), bool),
        )


@attrs.frozen(eq=False)
class Completion:
    """Prices for everything, and what of it the restricted program cannot pay.

    Parameters
    ----------
    level : float64 (groups of the `Open`,)
    shares, taken : float64
        As in `Prices`, now of all scopes.
    weights : float64 (arcs,)
        Arc weights under which no tree is worth less than it scores, but for `constant`.
    constant : float
    short : float64 (arcs,)
        Overspending of the allowance of each arc by absent parts; 0 where there is none.
    excess : float64 (rows of the `Open`,)
        Score of each row above the level of its group.
    """

    level: FloatArray
    shares: FloatArray
    taken: FloatArray
    weights: FloatArray
    constant: float
    short: FloatArray
    excess: FloatArray


def complete(parts: Parts, left: Open, prices: Prices) -> Completion:
    """Spend the allowances of arcs on what is absent.

    An arc may be charged until it pays more than the tree's rows ask for it: that is its allowance (its reduced
    cost). It is spent on levels of groups below the arc (section 4.3.3 raises them for arcs that are off), on
    charges of pairs above their group's level, and on shares of absent scopes. **All absent parts that share an arc
    share its allowance**: counting it once for each certifies wrong optima. Arcs that are absent themselves have
    their groups' levels set to what their word can pay.

    Parameters
    ----------
    parts : Parts
    left : Open
    prices : Prices
    """
    tolerance = parts.tolerance
    scopes = parts.scopes
    estimate = parts.estimate[left.rows]
    positive = scopes.scores > 0
    held = np.bincount(scopes.entry_scope, prices.shares, len(scopes))
    present = prices.present & (held > 0)
    scale = np.divide(scopes.scores, held, out=np.zeros(len(scopes)), where=present & positive)
    shares = prices.shares * scale[scopes.entry_scope]
    taken = np.where(positive, 0.0, np.clip(prices.taken, 0.0, np.minimum(-scopes.scores, parts.loss)))
    own = parts.problem.arc_weights + np.bincount(scopes.arcs.indices, shares, parts.arcs.count)
    own -= np.bincount(scopes.arcs.indices, taken[scopes.entry_scope], parts.arcs.count)
    level, allowance = _levels(left, prices, np.maximum(estimate, -parts.loss), own)
    level, allowance, excess, charge = spend(left, estimate, level, allowance, tolerance)
    absent = left.entries[positive[left.entry_scope] & ~present[left.entry_scope]]
    shares[absent] = spread(scopes, absent, np.clip(allowance - charge, 0.0, parts.loss), tolerance)
    charge = charge + np.bincount(scopes.arcs.indices[absent], shares[absent], parts.arcs.count)
    weights = own + charge + np.bincount(left.lower, level, parts.arcs.count)
    short = np.where(left.arcs, np.maximum(charge - allowance, 0.0), 0.0)
    constant = float((taken * (scopes.width - 1)).sum())
    return Completion(level, shares, taken, weights, constant, np.where(short > tolerance, short, 0.0), excess)


def spend(
    left: Open, estimate: FloatArray, level: FloatArray, allowance: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Raise levels of groups where arcs cannot pay for what exceeds them, out of the lower arcs' allowances.

    Parameters
    ----------
    left : Open
    estimate : float64 (rows of the `Open`,)
    level : float64 (groups of the `Open`,)
    allowance : float64 (arcs,)
        Limit on the charge of each arc, by pairs above it or by levels below.
    tolerance : float

    Returns
    -------
    level, allowance : float64
        After what was raised.
    excess : float64 (rows of the `Open`,)
    charge : float64 (arcs,)
        The sum of the excesses of each upper arc: what exceeds its allowance is not paid for.
    """
    level, allowance = level.copy(), allowance.copy()
    for step in range(PASSES + 1):
        excess = np.maximum(estimate - level[left.group], 0.0)
        charge = np.bincount(left.upper, excess, allowance.size).astype(np.float64)
        over = charge > allowance + tolerance
        if step == PASSES or not over.any():
            break
        need = left.best(np.where(over[left.upper], excess, 0.0))
        give = np.maximum(allowance - charge, 0.0)[left.lower] / left.groups_of[left.lower]
        more = np.minimum(need, give)
        if not np.any(more > tolerance):
            break
        level += more
        allowance -= np.bincount(left.lower, more, allowance.size)
    return level, allowance, excess, charge


def _levels(left: Open, prices: Prices, estimate: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Levels of all groups before anything is raised, and what each arc may still be charged."""
    level = prices.level[left.groups].copy()
    absent = np.isnan(level)
    top = left.best(estimate)
    top = np.where(left.offers_none, np.maximum(top, 0.0), top)
    level[absent] = top[absent]
    level = np.where(left.offers_none, np.maximum(level, 0.0), level)
    allowance = prices.tree - own - np.bincount(left.lower, level, own.size)
    lacking = np.maximum(-allowance, 0.0)[left.lower] / np.maximum(left.groups_of[left.lower], 1)
    lowered = np.where(absent, level - lacking, level)
    lowered = np.where(absent & left.offers_none, np.maximum(lowered, 0.0), lowered)
    allowance += np.bincount(left.lower, level - lowered, own.size)
    return lowered, allowance


def spread(scopes: Scopes, entries: IntArray, room: FloatArray, tolerance: float) -> FloatArray:
    """Shares of absent positive scopes for their arcs, by what room the arcs have; each room is for all of them."""
    arc, scope = scopes.arcs.indices[entries], scopes.entry_scope[entries]
    weight = room[arc] + tolerance
    for _ in range(PASSES):
        whole = np.bincount(scope, weight, len(scopes))[scope]
        share: FloatArray = scopes.scores[scope] * weight / whole
        asked = np.bincount(arc, share, room.size)
        if not np.any(asked > room + tolerance):
            break
        weight = weight * np.minimum((room + tolerance) / np.maximum(asked, tolerance), 1e6)[arc]
        weight = np.maximum(weight, 1e-300)
    return share
