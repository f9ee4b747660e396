"""The generator of columns and rows of parsing problems for any master: pricing by allowances of arcs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.arrays.tolerance import INTEGRAL
from gapless.roles import (
    Batch,
    BoolArray,
    Columns,
    FloatArray,
    Generator,
    GeneratorResult,
    IntArray,
    LinearView,
    Rows,
    Sparse,
)
from gapless_pricecut.dual_completion import OpenParts, spend, spread
from gapless_pricecut.pricing_tables import NOISE, PricingTables
from gapless_pricecut.tree_rows import crossed_rows, violated_sets

R = TypeVar("R", Columns, Rows)


class Keys:
    """Keys of columns and rows of the lean program.

    Columns: arcs, then rows of groups, then other scopes. Rows: one head for each word and the root's, OneGP of
    each group, the left GPArc of each row of a group, rows of scopes by entry, and what is separated, in order.

    Parameters
    ----------
    parts : PricingTables
    """

    def __init__(self, parts: PricingTables) -> None:
        self.pair_column = parts.arcs.count
        self.scope_column = self.pair_column + parts.upper.size
        self.root = parts.arcs.length
        self.group = self.root + 1
        self.link = self.group + parts.group_lower.size
        self.scope = self.link + parts.upper.size
        self._next = self.scope + parts.scopes.entry_scope.size
        self._separated: dict[bytes, int] = {}

    def separated(self, row: bytes) -> int:
        """Return the key of a separated row."""
        return self._separated.setdefault(row, self._next + len(self._separated))


MOST = 20_000
"""Limit on the rows, each with its column, that enter in one round: SCIP takes some 20 microseconds for each."""


class JointPricing(Generator[LinearView]):
    """Pricing of pairs and scopes beyond the allowances of arcs, and separation of rows that the point violates.

    Absent parts that share an arc spend one allowance between them, see `complete`. The excess over the allowances
    is the pricing gap: for each word the largest of its arcs, since a tree has one of these. The result depends on
    the view alone: the price of its row distinguishes a pair that the master has from an absent one.

    Parameters
    ----------
    parts : PricingTables
        With whole groups.
    """

    def __init__(self, parts: PricingTables) -> None:
        self.parts, self.problem, self.arcs = parts, parts.problem, parts.arcs
        self.keys = Keys(parts)
        self._open: tuple[bytes, OpenParts] | None = None

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        """Price and separate. Allowances and the pricing gap count all missing rows, returned or not.

        At most `limit` rows are returned, or `MOST`: those of the largest reduced cost.
        """
        scored = self.parts.scored
        open_parts = self._left(view)
        weight = view.objective_weight
        scopes = self.parts.scopes
        level = view.prices(self.keys.group + open_parts.groups)
        link_prices = np.maximum(view.prices(self.keys.link + open_parts.rows), 0.0)
        scope_prices = np.maximum(view.prices(self.keys.scope + np.arange(scopes.entry_scope.size)), 0.0)
        allowance = np.where(open_parts.arcs, view.allowances(), 0.0)
        # Farkas prices have a scale of their own, so the tolerance follows them.
        sizes = np.concatenate([level, link_prices, scope_prices, allowance])
        tolerance = self.parts.tolerance if weight else NOISE * float(np.abs(sizes).max(initial=0.0))
        # The price of a present pair is already charged to its arc: it is part of what the arc can pay.
        allowance += np.bincount(open_parts.upper, link_prices, self.arcs.count)
        # Scoring replaces bounds by lower scores, which frees allowances: repeat until all rows that matter are
        # known.
        while True:
            estimate = self._weighed(open_parts, weight)
            levels, remaining, excess, charge = spend(open_parts, estimate, level, allowance, tolerance)
            rows = open_parts.rows[(excess > tolerance) & (charge > remaining + tolerance)[open_parts.upper]]
            if self.parts.known[rows].all():
                break
            self.parts.score(rows)
        positive = scopes.scores > 0
        present = np.bincount(scopes.entry_scope, scope_prices, len(scopes)) > 0
        shares, missing = np.where(positive[scopes.entry_scope], scope_prices, 0.0), np.zeros(0, np.int64)
        absent = open_parts.entries[positive[open_parts.entry_scope] & ~present[open_parts.entry_scope]]
        # Scopes score 0 in Farkas pricing, so absent ones cannot help there.
        if weight and absent.size:
            free = np.clip(remaining - charge, 0.0, self.parts.loss)
            shares[absent] = spread(scopes, absent, free, tolerance)
            charge = charge + np.bincount(scopes.arcs.indices[absent], shares[absent], self.arcs.count)
            over = charge > remaining + tolerance
            missing = np.unique(scopes.entry_scope[absent[over[scopes.arcs.indices[absent]]]])
        charges = np.zeros(len(scopes))
        charges[~positive] = scope_prices[scopes.arcs.indptr[:-1][~positive]]
        short = np.where(open_parts.arcs, np.maximum(charge - remaining, 0.0), 0.0)
        worst = np.zeros(self.arcs.length + 1)
        np.maximum.at(worst, self.arcs.modifiers, np.where(short > tolerance, short, 0.0))
        all_levels = np.full(self.parts.group_lower.size, np.inf)
        all_levels[open_parts.groups] = levels
        return GeneratorResult(
            self._batch(view, self._most(rows, open_parts, excess - link_prices, limit or MOST), missing),
            math.fsum(worst.tolist()),
            {"level": all_levels, "shares": shares, "taken": charges, "weight": np.array(weight)},
            self.parts.scored - scored,
        )

    def _most(self, rows: IntArray, open_parts: OpenParts, gain: FloatArray, count: int) -> IntArray:
        """Select the rows of the largest reduced cost; rows that the master has come last, since theirs is 0."""
        if rows.size <= count:
            return rows
        over = np.zeros(self.parts.upper.size)
        over[open_parts.rows] = gain
        return np.sort(rows[np.argpartition(-over[rows], count)[:count]])

    def _left(self, view: LinearView) -> OpenParts:
        state = view.fixings.state.tobytes()
        if self._open is None or self._open[0] != state:
            self._open = state, OpenParts.of(self.parts, view.fixings.state != 0)
        return self._open[1]

    def _weighed(self, open_parts: OpenParts, weight: float) -> FloatArray:
        """Weight the estimates of rows; -inf stays -inf in Farkas pricing, where the weight of scores is 0."""
        estimate = self.parts.estimate[open_parts.rows]
        # 0 times -inf would be NaN.
        return np.where(estimate == -np.inf, estimate, weight * np.where(estimate == -np.inf, 0.0, estimate))

    # --- columns and rows

    def _batch(self, view: LinearView, rows: IntArray, missing: IntArray) -> Batch:
        """Make columns with the rows that come with them, and separated rows."""
        scopes = self.parts.scopes
        together = np.zeros(0, np.int64)
        separated = Rows.none()
        if view.point is not None:
            total = np.bincount(scopes.entry_scope, view.point[scopes.arcs.indices], len(scopes))
            together = np.flatnonzero((total > scopes.width - 1 + INTEGRAL) & (scopes.scores < 0))
            separated = self._separated(view.point)
        # A forbidden scope needs its row only: without a column, the row says that its arcs are not on together.
        finite = together[scopes.scores[together] > -np.inf]
        entering = np.append(missing, finite)
        columns = join([self.pair_columns(rows), self.scope_columns(entering)])
        # A column may be in the master although its row has no price.
        if (in_master := view.has_columns(columns.keys)).any():
            columns = columns.take(np.flatnonzero(~in_master))
        return Batch(
            columns, join([self.link_rows(rows), self.scope_rows(np.append(missing, together)), separated])
        )

    def _separated(self, point: FloatArray) -> Rows:
        """Separate cut-sets and rows of projective trees that a point violates."""
        arcs, keys = self.arcs, self.keys
        sets = violated_sets(arcs, point)
        entering: list[IntArray] = [np.flatnonzero(s[arcs.modifiers] & ~s[arcs.heads]) for s in sets]
        numbers = [keys.separated(s.tobytes()) for s in sets]
        lower, upper = np.ones(len(sets)), np.full(len(sets), np.inf)
        if self.problem.projective and not len(sets):
            spans = crossed_rows(arcs, point)
            for start, stop, word, arc in spans.tolist():
                outside = (arcs.modifiers == word) & ((arcs.heads < start) | (arcs.heads > stop))
                entering.append(np.append(np.flatnonzero(outside), arc))
                numbers.append(keys.separated(f"{arc} over {word}".encode()))
            lower, upper = np.full(len(spans), -np.inf), np.ones(len(spans))
        return Rows(numbers, lower, upper, Sparse.from_rows([row.tolist() for row in entering]))

    def arc_columns(self, rows: IntArray) -> Columns:
        """Make columns of all arcs, each the quantity of its decision, with entries for some rows of groups."""
        parts, arcs, keys = self.parts, self.arcs, self.keys
        every = np.arange(arcs.count)
        root = every[arcs.heads == 0]
        groups = np.arange(parts.group_lower.size)
        arc = np.concatenate([every, root, parts.group_lower, parts.upper[rows]])
        row = np.concatenate(
            [arcs.modifiers - 1, np.full(root.size, keys.root), keys.group + groups, keys.link + rows]
        )
        value = np.concatenate([np.ones(arcs.count + root.size), -np.ones(groups.size + rows.size)])
        uses = Sparse(np.arange(arcs.count + 1), every, np.ones(arcs.count))
        return Columns(every, self.problem.arc_weights, Sparse.from_entries(arc, row, value, arcs.count), uses)

    def first_rows(self, rows: IntArray) -> Rows:
        """Make rows: a head for each word, the root's, OneGP of all groups, the left GPArc of some of these."""
        n, groups = self.arcs.length, self.parts.group_lower.size
        lower = np.concatenate([np.ones(n + 1), np.zeros(groups), np.full(rows.size, -np.inf)])
        upper = np.append(np.ones(n + 1), np.zeros(groups + rows.size))
        upper[n] = 1.0 if self.problem.single_root else float(n)
        return Rows(np.append(np.arange(n + 1 + groups), self.keys.link + rows), lower, upper)

    def pair_columns(self, rows: IntArray) -> Columns:
        """Make columns of rows of groups: in OneGP and in the row that ties them to their upper arc."""
        parts, keys = self.parts, self.keys
        every = np.arange(rows.size)
        entries = Sparse.from_entries(
            np.append(every, every),
            np.append(keys.group + parts.group[rows], keys.link + rows),
            np.ones(2 * rows.size),
            rows.size,
        )
        return _without_use(keys.pair_column + rows, parts.estimate[rows], entries)

    def link_rows(self, rows: IntArray) -> Rows:
        """Make the left GPArc of rows of groups."""
        entries = Sparse(np.arange(rows.size + 1), self.parts.upper[rows], -np.ones(rows.size))
        return Rows(self.keys.link + rows, np.full(rows.size, -np.inf), np.zeros(rows.size), entries)

    def scope_columns(self, numbers: IntArray) -> Columns:
        """Make columns of scopes outside of groups: positive ones in a row for each arc, negative ones in one."""
        scopes = self.parts.scopes
        entries, index, up = self._entries(numbers)
        first = entries == scopes.arcs.indptr[:-1][scopes.entry_scope[entries]]
        mine = up | first
        return _without_use(
            self.keys.scope_column + numbers,
            scopes.scores[numbers],
            Sparse.from_entries(
                index[mine], self.keys.scope + entries[mine], np.where(up[mine], 1.0, -1.0), numbers.size
            ),
        )

    def scope_rows(self, numbers: IntArray) -> Rows:
        """Make the rows of scopes outside of groups."""
        scopes, keys = self.parts.scopes, self.keys
        entries, index, up = self._entries(numbers)
        below = np.flatnonzero(scopes.scores[numbers] < 0)
        each = Rows(
            keys.scope + entries[up],
            np.full(int(up.sum()), -np.inf),
            np.zeros(int(up.sum())),
            Sparse(np.arange(int(up.sum()) + 1), scopes.arcs.indices[entries[up]], -np.ones(int(up.sum()))),
        )
        rank = np.full(numbers.size, -1)
        rank[below] = np.arange(below.size)
        together = Rows(
            keys.scope + scopes.arcs.indptr[numbers[below]],
            np.full(below.size, -np.inf),
            scopes.width[numbers[below]] - 1.0,
            Sparse.from_entries(
                rank[index[~up]], scopes.arcs.indices[entries[~up]], np.ones(int((~up).sum())), below.size
            ),
        )
        return join([each, together])

    def _entries(self, numbers: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """List the entries of scopes, each with its scope's index in `numbers` and whether it scores above 0."""
        scopes = self.parts.scopes
        counts = scopes.width[numbers]
        index = np.repeat(np.arange(numbers.size), counts)
        ends = np.cumsum(counts)
        within = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
        entries = scopes.arcs.indptr[numbers][index] + within
        return entries, index, scopes.scores[numbers][index] > 0


def _without_use(keys: IntArray, objective: FloatArray, entries: Sparse) -> Columns:
    """Return columns that are no decisions: they are integral whenever the decisions are."""
    return Columns(keys, objective, entries, Sparse.empty(keys.size), integer=np.zeros(keys.size, bool))


def _stacked(matrices: Sequence[Sparse]) -> Sparse:
    ends = np.cumsum([0, *(m.indices.size for m in matrices)])
    indptr = [np.zeros(1, np.int64), *(m.indptr[1:] + end for m, end in zip(matrices, ends, strict=False))]
    return Sparse(
        np.concatenate(indptr),
        np.concatenate([m.indices for m in matrices]),
        np.concatenate([m.values for m in matrices]),
    )


def join(parts: list[R]) -> R:
    """Concatenate columns, or rows."""
    fields = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
    joined: list[Any] = [_stacked(f) if isinstance(f[0], Sparse) else np.concatenate(f) for f in fields]
    return type(parts[0])(*joined)
