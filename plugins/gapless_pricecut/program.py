"""The restricted linear program over some arcs, rows of groups and scopes: each part enters with its rows."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.column_generation.master import LinearProgram
from gapless.roles import SolveBudget
from gapless_pricecut.dual_completion import Prices
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.tree_rows import TreeRows


@attrs.frozen
class RowSet:
    """The rows of section 3.2 that tie a pair (u, l) of a group to its arcs.

    Parameters
    ----------
    one : bool
        OneGP: the pairs of a group are on as often as its lower arc; at most as often where an arc into the group's
        word is in no pair.
    upper, lower : bool
        GPArc: a pair is at most its upper arc, at most its lower arc.
    both : bool
        ArcGP: a pair is at least the sum of its arcs less 1.
    none : bool
        NoGP: the pairs of an upper arc are on at most n times as often as the arc.
    """

    one: bool = False
    upper: bool = False
    lower: bool = False
    both: bool = False
    none: bool = False


ROW_SETS: Mapping[str, RowSet] = {
    "lean": RowSet(one=True, upper=True),
    "all": RowSet(one=True, upper=True, lower=True, both=True),
    "arcgp-gparc": RowSet(upper=True, lower=True, both=True),
    "onegp-nogp": RowSet(one=True, none=True),
}
"""OneHead, OneGP and ``z_gpc <= z_gp`` imply ArcGP, ``z_gpc <= z_pc`` and NoGP: "lean" is as tight as "all".

Riedel et al. (2012, section 3.2) note only that GPArc implies NoGP.
"""

PAPER = RowSet(one=True, upper=True, lower=True, both=True, none=True)
"""All that section 3.2 lists."""

NONE = np.zeros(0, np.int64)


class PartsProgram:
    """The restricted program.

    Parameters
    ----------
    offers_none : bool (groups,)
        Groups whose OneGP row is an inequality.

    Attributes
    ----------
    row_column : int64 (rows,)
        The column of each row of a group; -1 where it is absent.
    scope_column : int64 (scopes,)
    """

    def __init__(self, parts: PricingTables, rows: RowSet, offers_none: BoolArray) -> None:
        self.parts, self.rows, self.offers_none = parts, rows, offers_none
        self.program = LinearProgram("parse, price and cut")
        self.tree = TreeRows(self.program, parts.problem)
        count, groups = parts.upper.size, parts.group_lower.size
        self.row_column: IntArray = np.full(count, -1)
        self.both_row: IntArray = np.full(count, -1)
        self.upper_row: IntArray = np.full(count, -1)
        self.lower_row: IntArray = np.full(count, -1)
        self.group_row: IntArray = np.full(groups, -1)
        self.none_row: IntArray = np.full(parts.arcs.count, -1)
        self.scope_column: IntArray = np.full(len(parts.scopes), -1)
        self.scope_row: IntArray = np.full(parts.scopes.entry_scope.size, -1)
        self._point = np.zeros(0)
        self._price = np.zeros(0)
        self.objective = -np.inf

    # --- growing

    def add_arcs(self, arcs: IntArray) -> int:
        """Add the absent ones of these arcs, with the rows of their groups; return their number."""
        arcs = arcs[self.tree.column[arcs] < 0]
        if not arcs.size:
            return 0
        parts, program = self.parts, self.program
        number = np.full(parts.arcs.count, -1)
        number[arcs] = np.arange(arcs.size)
        column, row, value = [], [], []
        if self.rows.one:
            groups = np.flatnonzero(number[parts.group_lower] >= 0)
            # An inequality where the lower arc may be on without any pair of the group.
            lower = np.where(self.offers_none[groups], -np.inf, 0.0)
            first = program.add_rows(NONE, NONE, np.zeros(0), lower, np.zeros(groups.size))
            self.group_row[groups] = first + np.arange(groups.size)
            column.append(number[parts.group_lower[groups]])
            row.append(self.group_row[groups])
            value.append(np.full(groups.size, -1.0))
        if self.rows.none:
            first = program.add_rows(NONE, NONE, np.zeros(0), np.full(arcs.size, -np.inf), np.zeros(arcs.size))
            self.none_row[arcs] = first + np.arange(arcs.size)
            column.append(np.arange(arcs.size))
            row.append(self.none_row[arcs])
            value.append(np.full(arcs.size, -float(parts.arcs.length)))
        others = (
            np.concatenate([NONE, *column]),
            np.concatenate([NONE, *row]),
            np.concatenate([np.zeros(0), *value]),
        )
        self.tree.add(arcs, others, parts.problem.arc_weights[arcs])
        return arcs.size

    def add_rows(self, rows: IntArray) -> int:
        """Score and add the absent ones of these rows of groups, with their arcs; return their number."""
        parts = self.parts
        rows = rows[self.row_column[rows] < 0]
        if not rows.size:
            return 0
        parts.score(rows)
        upper, lower = parts.upper[rows], parts.group_lower[parts.group[rows]]
        # The arcs first: rows of pairs refer to their columns.
        self.add_arcs(np.unique(np.concatenate([upper, lower])))
        score = parts.estimate[rows]
        every = np.arange(rows.size)
        at_upper, at_lower = self.tree.column[upper], self.tree.column[lower]
        column, row, value = [], [], []

        def enter(numbers: IntArray, coefficient: float) -> None:
            column.append(every)
            row.append(numbers)
            value.append(np.full(rows.size, coefficient))

        if self.rows.one:
            enter(self.group_row[parts.group[rows]], 1.0)
        if self.rows.none:
            enter(self.none_row[upper], 1.0)
        if self.rows.upper:
            self.upper_row[rows] = self._rows([at_upper], -1.0, 0.0)
            enter(self.upper_row[rows], 1.0)
        if self.rows.lower:
            self.lower_row[rows] = self._rows([at_lower], -1.0, 0.0)
            enter(self.lower_row[rows], 1.0)
        if self.rows.both:
            self.both_row[rows] = self._rows([at_upper, at_lower], 1.0, 1.0)
            enter(self.both_row[rows], -1.0)
        first = self.program.add_columns(
            np.concatenate(column),
            np.concatenate(row),
            np.concatenate(value),
            # The solver needs finite numbers; `forced` tells whether an optimum paid this stand-in for -inf.
            np.maximum(score, -parts.loss),
            np.full(rows.size, np.inf),
        )
        self.row_column[rows] = first + every
        return rows.size

    def _rows(self, columns: list[IntArray], value: float, upper: float) -> IntArray:
        """Add rows with one entry of a value in each of some columns, at most `upper`; return their numbers."""
        count = columns[0].size
        first = self.program.add_rows(
            np.tile(np.arange(count), len(columns)),
            np.concatenate(columns),
            np.full(count * len(columns), value),
            np.full(count, -np.inf),
            np.full(count, upper),
        )
        return first + np.arange(count)

    def add_scopes(self, scopes: IntArray) -> int:
        """Add the absent ones of these scopes outside of groups, with their arcs; return their number.

        A positive one is at most each of its arcs; a negative one at least their sum less the number of arcs but
        one. A score of -inf counts as `PricingTables.loss`.
        """
        scopes = scopes[self.scope_column[scopes] < 0]
        if not scopes.size:
            return 0
        listed, scores = self.parts.scopes, self.parts.scopes.scores
        entering = np.zeros(len(listed), bool)
        entering[scopes] = True
        entries = np.flatnonzero(entering[listed.entry_scope])
        arcs = listed.arcs.indices[entries]
        self.add_arcs(np.unique(arcs))
        positive = scores[listed.entry_scope[entries]] > 0
        up = entries[positive]
        self.scope_row[up] = self._rows([self.tree.column[arcs[positive]]], -1.0, 0.0)
        down = entries[~positive]
        # A negative score needs one row: the column is at least the sum of the arcs less their number but one. Rows
        # from above would never bind, since the objective pushes the column down.
        below = scopes[scores[scopes] < 0]
        rank = np.full(len(listed), -1)
        rank[below] = np.arange(below.size)
        first = self.program.add_rows(
            rank[listed.entry_scope[down]],
            self.tree.column[arcs[~positive]],
            np.ones(down.size),
            np.full(below.size, -np.inf),
            listed.width[below].astype(np.float64) - 1.0,
        )
        self.scope_row[down] = first + rank[listed.entry_scope[down]]
        rank[scopes] = np.arange(scopes.size)
        # The single row of a negative scope is stored at its first entry.
        once = listed.arcs.indptr[below]
        first = self.program.add_columns(
            rank[listed.entry_scope[np.concatenate([up, once])]],
            self.scope_row[np.concatenate([up, once])],
            np.append(np.ones(up.size), -np.ones(once.size)),
            np.maximum(scores[scopes], -self.parts.loss),
            np.full(scopes.size, np.inf),
        )
        self.scope_column[scopes] = first + np.arange(scopes.size)
        return scopes.size

    def drop_arcs(self, arcs: IntArray) -> None:
        """Fix arcs off."""
        for column in self.tree.column[arcs[self.tree.column[arcs] >= 0]].tolist():
            self.program.limit(column, 0.0)

    @property
    def added(self) -> int:
        """Number of rows of groups and other scopes that are present."""
        return int(np.count_nonzero(self.row_column >= 0) + np.count_nonzero(self.scope_column >= 0))

    # --- solving

    def solve(self, budget: SolveBudget) -> bool:
        """Solve the program as it is and set `objective`; return whether an optimum was found."""
        self.program.counts_cpu = budget.counts_cpu
        # A warm start sometimes fails numerically where a start from scratch succeeds.
        if not self.program.optimise(budget.time_left) and (
            budget.stop_reason() is not None or not self.program.optimise_plainly(budget.time_left)
        ):
            return False
        self._point, self._price = self.program.point(), self.program.prices()
        self.objective = self.program.objective
        return True

    @property
    def point(self) -> FloatArray:
        """Value of each arc, from 0 to 1, float64 (arcs,)."""
        return self._of(self.tree.column)

    def arc_reduced_costs(self) -> FloatArray:
        """Return the reduced costs of the arcs at the last optimum, at most 0 up to noise, float64 (arcs,)."""
        parts, count = self.parts, self.parts.arcs.count
        lower = parts.group_lower[parts.group]
        gains: FloatArray = parts.problem.arc_weights - self.tree.prices(_padded(self._price, self.program.rows))
        gains += np.bincount(parts.group_lower, self.group_prices(), count) + parts.arcs.length * self.none_prices()
        both, scopes = self._price_of(self.both_row), self._price_of(self.scope_row)
        gains += np.bincount(parts.upper, self._price_of(self.upper_row) - both, count)
        gains += np.bincount(lower, self._price_of(self.lower_row) - both, count)
        positive = (parts.scopes.scores > 0)[parts.scopes.entry_scope]
        return gains + np.bincount(parts.scopes.arcs.indices, np.where(positive, scopes, -scopes), count)

    def group_prices(self) -> FloatArray:
        """Return the prices of OneGP, float64 (groups,)."""
        return self._price_of(self.group_row)

    def none_prices(self) -> FloatArray:
        """Return the prices of NoGP, float64 (arcs,)."""
        return self._price_of(self.none_row)

    def _of(self, columns: IntArray) -> FloatArray:
        return _padded(self._point, self.program.columns)[columns]

    def _price_of(self, rows: IntArray) -> FloatArray:
        """Return the prices of rows by number; 0 for -1 and for rows added after the last optimum."""
        return _padded(self._price, self.program.rows)[rows]

    def prices(self) -> Prices:
        """Translate the prices of the last optimum to levels of groups.

        A pair that scores more than the level of its group charges its upper arc the difference. With lean rows the
        level is the price of OneGP. ArcGP of one pair follows from OneHead and the left GPArc of the others in its
        group, so its price is moved to these; the right GPArc is paid by the lower arc. What this loses, if
        anything, only raises the bound that is made of it.
        """
        parts = self.parts
        positive = parts.scopes.scores > 0
        # A price of another sign is noise.
        price = np.maximum(self._price_of(self.scope_row), 0.0)
        charges = np.zeros(len(parts.scopes))
        charges[~positive] = price[parts.scopes.arcs.indptr[:-1][~positive]]
        price_of_both = np.maximum(self._price_of(self.both_row), 0.0)
        both: FloatArray = np.bincount(parts.group, price_of_both, parts.group_lower.size).astype(np.float64)
        # OneHead of the word takes what the prices of ArcGP were moved to, see above.
        of_word = np.bincount(parts.group_word, both, parts.arcs.length + 1)
        return Prices(
            self.tree.prices(_padded(self._price, self.program.rows)) + of_word[parts.arcs.modifiers],
            self._levels(both),
            np.where(positive[parts.scopes.entry_scope], price, 0.0),
            charges,
            self.scope_column >= 0,
        )

    def _levels(self, both: FloatArray) -> FloatArray:
        """Return levels: prices of OneGP if it has rows, otherwise the best score of a pair after its charge."""
        parts = self.parts
        groups = parts.group_lower.size
        if self.rows.one:
            level = self.group_prices() - both
            level += np.bincount(parts.group, np.maximum(self._price_of(self.lower_row), 0.0), groups)
        else:
            charge = both[parts.group] - np.maximum(self._price_of(self.both_row), 0.0)
            charge += np.maximum(self._price_of(self.upper_row), 0.0)
            level = np.full(groups, -np.inf)
            np.maximum.at(level, parts.group, np.where(self.row_column >= 0, parts.estimate - charge, -np.inf))
            level = np.maximum(level, -parts.loss)
        return np.where(self.tree.column[parts.group_lower] >= 0, level, np.nan)

    def violated_scopes(self, tolerance: float) -> IntArray:
        """Find absent scopes of a negative score whose arcs are on together at the last optimum."""
        listed = self.parts.scopes
        total = np.bincount(listed.entry_scope, self.point[listed.arcs.indices], len(listed))
        return np.flatnonzero(
            (total > listed.width - 1 + tolerance) & (listed.scores < 0) & (self.scope_column < 0)
        )

    def forced(self, tolerance: float) -> bool:
        """Return whether the last optimum uses a part that scores -inf, at the loss that stands for it."""
        present = self.row_column >= 0
        rows = present & (self.parts.estimate == -np.inf)
        scopes = (self.scope_column >= 0) & (self.parts.scopes.scores == -np.inf)
        values = np.append(self._of(self.row_column[rows]), self._of(self.scope_column[scopes]))
        return bool(np.any(values > tolerance))

    def raise_loss(self, limit: float) -> bool:
        """Raise the loss that stands for -inf, up to `most` times the first one; return whether it was raised."""
        parts = self.parts
        if parts.loss >= limit * parts.first_loss:
            return False
        parts.loss *= 10.0
        rows = (self.row_column >= 0) & (parts.estimate == -np.inf)
        scopes = (self.scope_column >= 0) & (parts.scopes.scores == -np.inf)
        for column in np.append(self.row_column[rows], self.scope_column[scopes]).tolist():
            self.program.set_objective(column, -parts.loss)
        return True


def _padded(values: FloatArray, count: int) -> FloatArray:
    """Extend values by zeros, for numbers assigned later and for the index -1."""
    return np.append(values, np.zeros(count + 1 - values.size))
