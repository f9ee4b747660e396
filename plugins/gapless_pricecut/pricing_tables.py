"""The scopes of a problem for linear programs: pairs in groups, scored lazily, and all others."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.arrays.tolerance import score_tolerance
from gapless.roles import Factor, ScoredFactor
from gapless_dependency import Arcs, ParsingProblem
from gapless_splitbound import TreeSplitCertificate

SPLIT, LOWER_IS_SECOND, LOWER_IS_FIRST = 0, 1, 2
"""Bound on a pair (first arc, second arc): split, or in a group of the second or of the first arc."""


def orient(pairs: IntArray, possible: BoolArray, arcs: Arcs) -> tuple[int, BoolArray]:
    """Choose the lower arc of the pairs, and mark the pairs that share their group with another.

    A group is a lower arc and the word that the upper arcs enter. Of the two ways to read the pairs, the one with
    more pairs to a group is taken; a pair alone in its group is better split.
    """
    sizes = []
    for lower in (1, 0):
        key = pairs[:, lower] * (arcs.length + 1) + arcs.modifiers[pairs[:, 1 - lower]]
        size = np.bincount(key[possible], minlength=arcs.count * (arcs.length + 1))
        sizes.append((np.count_nonzero(size), size[key]))
    (second, of_second), (first, of_first) = sizes
    # Fewer groups for the same pairs mean more pairs to a group, and a tighter bound.
    orientation, size = (LOWER_IS_SECOND, of_second) if second <= first else (LOWER_IS_FIRST, of_first)
    grouped: BoolArray = (size > 1) & possible
    return (orientation if grouped.any() else SPLIT), grouped


def possible(scopes: IntArray, arcs: Arcs) -> BoolArray:
    """Mark the scopes without two arcs into one word and without an arc and its reverse, bool (m,)."""
    holds = np.ones(len(scopes), bool)
    heads, modifiers = arcs.heads[scopes], arcs.modifiers[scopes]
    for a in range(scopes.shape[1]):
        for b in range(a):
            holds &= modifiers[:, a] != modifiers[:, b]
            holds &= (modifiers[:, a] != heads[:, b]) | (heads[:, a] != modifiers[:, b])
    return holds


def penalty_of(problem: ParsingProblem, blocks: list[tuple[IntArray, FloatArray]]) -> tuple[float, float]:
    """Return a finite loss that stands for a score of -inf, and a floor under the scores of allowed trees.

    Any finite number above -inf keeps a bound true. This one is so large that a tree with one forbidden scope
    falls below every allowed tree; a bound below the floor says that no tree is allowed. Other factors than
    conjunctions may score anything, so with them there is no floor. `blocks` (list of (int64 (m, width), float64
    (m,))): scopes and their scores.
    """
    words = problem.decisions.modifiers
    low = np.full(problem.length + 1, np.inf)
    high = np.full(problem.length + 1, -np.inf)
    # Every tree has one arc into each word: the extreme arcs bound the first-order part of any tree.
    np.minimum.at(low, words, problem.arc_weights)
    np.maximum.at(high, words, problem.arc_weights)
    floor, ceiling = float(low[1:].sum()), float(high[1:].sum())
    for scopes, scores in blocks:
        finite = scores[np.isfinite(scores) & possible(scopes, problem.decisions)]
        floor += float(finite[finite < 0].sum())
        ceiling += float(finite[finite > 0].sum())
    # Far above the tolerance within which scores of the size of the floor count as equal.
    loss = 2.0 * (ceiling - floor) + 1.0 + 1e-6 * abs(floor) if np.isfinite(ceiling - floor) else 1.0
    return loss, (floor if all(isinstance(f, Factor) for f in problem.factors) else -np.inf)


NOISE, MOST = 1e-10, 10.0
"""Relative size of a price that counts as noise, and the largest score that sets this scale: a mask of 1e9 must not
hide the much smaller scores next to it."""


@attrs.frozen(eq=False)
class Block:
    """The scopes of one factor.

    Parameters
    ----------
    arcs : int64 (m, width)
    possible : bool (m,)
        False where no tree holds all arcs of a scope.
    grouped : bool (m,)
    orientation : int
        See `gapless_pricecut.pricing_tables`.
    scores : float64 (m,)
        Upper bounds, replaced by the scores as they become known. Scopes outside of groups are scored.
    """

    scored: ScoredFactor
    arcs: IntArray
    possible: BoolArray
    grouped: BoolArray
    orientation: int
    scores: FloatArray

    @classmethod
    def of(cls, scored: ScoredFactor, can_fire: BoolArray, grouped: BoolArray, orientation: int) -> Block:
        """Lay out the scopes of a factor and score those in no group: their sign decides which rows they have."""
        ungrouped = np.flatnonzero(~grouped)
        known = scored.scores(ungrouped)
        scores = scored.all_bounds().astype(np.float64)
        scores[ungrouped] = known
        return cls(scored, scored.scopes, can_fire, grouped, orientation, scores)


@attrs.frozen(eq=False)
class Scopes:
    """Scopes outside of groups that can fire and do not score 0, in the order of their factors.

    Parameters
    ----------
    arcs : Sparse
        The arcs of each scope.
    scores : float64 (scopes,)
        May be -inf.
    place : int64 (scopes,)
        Of the first multiplier in the layout of `gapless_splitbound.TreeSplitCertificate`.
    """

    arcs: Sparse
    scores: FloatArray
    place: IntArray

    def __len__(self) -> int:
        return self.scores.size

    @cached_property
    def width(self) -> IntArray:
        """Number of arcs of each scope."""
        return np.diff(self.arcs.indptr)

    @cached_property
    def entry_scope(self) -> IntArray:
        """For each entry of `arcs` the scope."""
        return self.arcs.row_numbers()


class PricingTables:
    """All parts for which linear programs over a problem may have columns.

    Pairs (u, l) of arcs in a *group* (a lower arc l and the word that the arcs u enter, see `TreeSplitCertificate`)
    are *rows* of a table: one for each (group, u), whatever number of factors score it. Rows are bounded first and
    scored when a program asks for it. Raises `InvalidProblem`: a factor is no conjunction.

    Parameters
    ----------
    whole_groups : bool
        Whether pairs of a group that lacks one of the arcs into its word are taken out of it. A program over groups
        alone then scores every tree exactly; with such groups it may not, as in `TreeSplitCertificate`.

    Attributes
    ----------
    upper, group : int64 (rows,)
        Sorted by group, then by upper arc.
    estimate : float64 (rows,)
        An upper bound on the score; the score itself where `known`.
    known : bool (rows,)
    group_lower, group_word : int64 (groups,)
    groups_of : int64 (arcs,)
        Number of groups of which each arc is the lower arc.
    tolerance : float
        Gains up to here are noise, and nothing enters a program for them.
    loss : float
        Finite loss for a score of -inf, where a program needs a number.
    """

    def __init__(self, problem: ParsingProblem, *, whole_groups: bool = False) -> None:
        refused = [f.name for f, _ in problem.configurations] + [f.name for f in problem.backbone_factors]
        if refused:
            raise InvalidProblem(
                f"factor {refused[0]} is no conjunction, and linear programs with delayed columns take no others; "
                "methods split-bound and ilp do"
            )
        self.problem, self.arcs = problem, problem.decisions
        self.alone = np.zeros(0, np.int64)
        self.blocks = self._blocks(whole_groups)
        # Prices are sums of scores, so tolerances follow the size of the scores; 1 avoids a tolerance of 0.
        self.largest = 1.0 + self._largest()
        self.tolerance = NOISE * min(self.largest, MOST)
        # A guess at a loss that no tree would pay; `PartsProgram.raise_loss` raises it where an optimum still pays
        # it.
        self.loss = self.first_loss = 4.0 * self.largest * (self.arcs.length + 1)
        self._place_multipliers()
        self._make_rows()
        self.scopes = self._other_scopes()

    def _blocks(self, whole_groups: bool) -> list[Block]:
        """Lay out the scopes of all factors, grouped as `orient` groups them."""
        problem = self.problem
        listed = [scored for scored in problem.conjunctions if scored.scopes.size]
        can_fire = [possible(scored.scopes, self.arcs) for scored in listed]
        ways = [
            orient(scored.scopes, fine, self.arcs)
            if scored.scopes.shape[1] == 2
            else (SPLIT, np.zeros(len(scored.scopes), bool))
            for scored, fine in zip(listed, can_fire, strict=True)
        ]
        if whole_groups:
            ways = self._whole(listed, ways)
        return [
            Block.of(scored, fine, grouped, orientation)
            for scored, fine, (orientation, grouped) in zip(listed, can_fire, ways, strict=True)
        ]

    def _whole(self, listed: list[ScoredFactor], ways: list[tuple[int, BoolArray]]) -> list[tuple[int, BoolArray]]:
        """Take pairs out of groups that lack an arc, and list them in `alone` for certificates."""
        arcs, size = self.arcs, self.arcs.length + 1
        keys = [_group_keys(scored.scopes, way, arcs) for scored, (way, _) in zip(listed, ways, strict=True)]
        pairs = [
            key[grouped] * arcs.count + upper[grouped]
            for (key, upper), (_, grouped) in zip(keys, ways, strict=True)
        ]
        keys_of_pairs = np.sort(
            np.concatenate([np.zeros(0, np.int64), *pairs])
        )  # np.unique would hash a million of them
        # Several factors may score one pair: the division leaves the group of each distinct pair.
        keys_of_pairs = keys_of_pairs[np.append(True, np.diff(keys_of_pairs) > 0)[: keys_of_pairs.size]] // max(
            arcs.count, 1
        )
        group, covered = np.unique(keys_of_pairs, return_counts=True)
        lower, word = group // size, group % size
        reverse = arcs.index[arcs.modifiers[lower], arcs.heads[lower]]
        # A group is whole when every arc into its word but the reverse of the lower arc is in one of its pairs.
        needed = np.diff(arcs.first)[word] - ((reverse >= 0) & (arcs.modifiers[reverse] == word))
        lacking = group[needed > covered]
        retained, ungrouped, scope_count = [], [], 0
        numbers = {id(scored): number for number, scored in enumerate(listed)}
        for scored in self.problem.conjunctions:
            if id(scored) in numbers:
                number = numbers[id(scored)]
                orientation, grouped = ways[number]
                out = grouped & np.isin(keys[number][0], lacking)
                ungrouped.append(scope_count + np.flatnonzero(out))
                retained.append((orientation, grouped & ~out))
            scope_count += len(scored.scopes)
        self.alone = np.concatenate([self.alone, *ungrouped])
        return retained

    def _largest(self) -> float:
        """Sum the largest absolute scores of the arcs and of each factor."""
        largest = float(np.abs(self.problem.arc_weights).max(initial=0.0))
        for block in self.blocks:
            largest += float(np.abs(block.scores[np.isfinite(block.scores)]).max(initial=0.0))
        return largest

    def _place_multipliers(self) -> None:
        """Places of the multipliers of each scope in the layout of `TreeSplitCertificate`."""
        self._first: list[IntArray] = []
        end = 0
        for block in self.blocks:
            # One charge for a grouped pair or a negative score, one share for each arc of a positive score.
            counts = np.where(block.grouped | (block.scores < 0), 1, block.arcs.shape[1])
            self._first.append(end + np.cumsum(counts) - counts)
            end += int(counts.sum())
        self.size = end

    def _make_rows(self) -> None:
        """List the rows of all groups; `_pair_*` hold the pairs of factors that each row sums."""
        arcs = self.arcs
        count, size = max(arcs.count, 1), arcs.length + 1
        keys, block_of, number = [], [], []
        for block_number, block in enumerate(self.blocks):
            members = np.flatnonzero(block.grouped)
            if not members.size:
                continue
            group_key, upper = _group_keys(block.arcs[members], block.orientation, arcs)
            keys.append(group_key * count + upper)
            block_of.append(np.full(members.size, block_number))
            number.append(members)
        key = np.concatenate([np.zeros(0, np.int64), *keys])
        self._pair_block = np.concatenate([np.zeros(0, np.int64), *block_of])
        self._pair_number = np.concatenate([np.zeros(0, np.int64), *number])
        # Often sorted already, and there may be a million of them.
        if np.any(key[1:] < key[:-1]):
            order = np.argsort(key, kind="stable")
            key, self._pair_block, self._pair_number = key[order], self._pair_block[order], self._pair_number[order]
        fresh = np.append(True, key[1:] != key[:-1])[: key.size]
        self._pair_start = np.append(np.flatnonzero(fresh), key.size)
        key = key[fresh]
        self.upper: IntArray = key % count
        group_key = key // count
        first = np.append(True, group_key[1:] != group_key[:-1])[: key.size]
        self.group: IntArray = np.cumsum(first) - 1
        self.group_lower: IntArray = group_key[first] // size
        self.group_word: IntArray = group_key[first] % size
        self.groups_of = np.bincount(self.group_lower, minlength=arcs.count)
        self.known = np.ones(key.size, bool)
        self.estimate = np.zeros(key.size)
        if key.size:
            pairs = np.concatenate([block.scores for block in self.blocks])
            firsts = np.cumsum([0, *(len(block.scores) for block in self.blocks)])
            self.estimate = np.add.reduceat(
                pairs[firsts[self._pair_block] + self._pair_number], self._pair_start[:-1]
            )
            # A row is known only if all factors that score its pair are: one bounded factor makes its estimate a
            # bound.
            lazy = np.array([block.scored.factor.bounded for block in self.blocks])
            self.known = ~np.logical_or.reduceat(lazy[self._pair_block], self._pair_start[:-1])

    def _other_scopes(self) -> Scopes:
        """Collect all scopes outside of groups."""
        arcs, width, scores, first_index = [], [], [], []
        for block, first in zip(self.blocks, self._first, strict=True):
            members = np.flatnonzero(~block.grouped & block.possible & (block.scores != 0))
            arcs.append(block.arcs[members].ravel())
            width.append(np.full(members.size, block.arcs.shape[1]))
            scores.append(block.scores[members])
            first_index.append(first[members])
        none = np.zeros(0, np.int64)
        indices = np.concatenate([none, *arcs])
        indptr = np.append(0, np.cumsum(np.concatenate([none, *width])))
        listed = Sparse(indptr, indices, np.ones(indices.size))
        return Scopes(listed, np.concatenate([np.zeros(0), *scores]), np.concatenate([none, *first_index]))

    # --- scores

    def score(self, rows: IntArray) -> None:
        """Ask for the scores of some rows that are not known yet."""
        rows = rows[~self.known[rows]]
        if not rows.size:
            return
        counts = self._pair_start[rows + 1] - self._pair_start[rows]
        starts = np.cumsum(counts) - counts
        pairs = np.repeat(self._pair_start[rows] - starts, counts) + np.arange(int(counts.sum()))
        scores = np.empty(pairs.size)
        for block_number, block in enumerate(self.blocks):
            mine = np.flatnonzero(self._pair_block[pairs] == block_number)
            if mine.size:
                numbers = self._pair_number[pairs[mine]]
                scores[mine] = block.scores[numbers] = block.scored.scores(numbers)
        self.estimate[rows] = np.add.reduceat(scores, starts)
        self.known[rows] = True

    @property
    def scored(self) -> int:
        """Number of scopes scored, of all factors."""
        return sum(scored.scored for scored in self.problem.conjunctions)

    @property
    def total(self) -> int:
        """Number of scopes of all factors."""
        return sum(len(scored.scopes) for scored in self.problem.conjunctions)

    def below_all(self, bound: float) -> bool:
        """Return whether a bound is below every allowed tree; ask for all scores only if it is very low."""
        low = np.full(self.arcs.length + 1, np.inf)
        np.minimum.at(low, self.arcs.modifiers, self.problem.arc_weights)
        return bound < float(low[1:].sum()) and bound < self._floor - score_tolerance(self._floor)

    @cached_property
    def _floor(self) -> float:
        """A score that no allowed tree falls below."""
        return penalty_of(self.problem, [(block.arcs, block.scored.all_scores()) for block in self.blocks])[1]

    # --- certificates

    @cached_property
    def _row_place(self) -> IntArray:
        """Index of the charge of each row: that of the first of its pairs."""
        if not self.estimate.size:
            return np.zeros(0, np.int64)
        pair = self._pair_start[:-1]
        starts = np.cumsum([0, *(len(block.scores) for block in self.blocks)])
        places: IntArray = np.concatenate(self._first)[starts[self._pair_block[pair]] + self._pair_number[pair]]
        return places

    def multipliers(self, level: FloatArray, shares: FloatArray, taken: FloatArray) -> FloatArray:
        """Lay out multipliers in units of scores, as `gapless_splitbound.TreeSplitCertificate` does.

        Parameters
        ----------
        level : float64 (groups,)
            Gain of a lower arc for its group; every pair that scores more charges its upper arc the difference.
        shares : float64 (entries of scopes,)
            For each arc of each scope of a positive score, what it carries.
        taken : float64 (scopes,)
            Of each negative score, how much is taken seriously.
        """
        values = np.zeros(self.size)
        values[self._row_place] = np.maximum(self.estimate - level[self.group], 0.0)
        scopes = self.scopes
        positive = scopes.scores > 0
        entries = np.flatnonzero(positive[scopes.entry_scope])
        within = entries - scopes.arcs.indptr[scopes.entry_scope[entries]]
        values[scopes.place[scopes.entry_scope[entries]] + within] = shares[entries]
        values[scopes.place[~positive]] = taken[~positive]
        return values

    def multipliers_at(self, multipliers: FloatArray, scopes: IntArray, places: IntArray) -> FloatArray:
        """Look up multipliers, laid out by `multipliers`, of some arcs of scopes; 0 where there is none.

        Parameters
        ----------
        multipliers : float64
        scopes : int64 (k,)
            Numbers over all factors; -1 for none.
        places : int64 (k,)
            Place of the arc in its scope. Charges of a pair, and of a negative score, stand at place 0.
        """
        if not self.blocks:
            return np.zeros(scopes.size)
        first = np.concatenate(self._first)
        single = np.concatenate([block.grouped | (block.scores < 0) for block in self.blocks])
        exists = (scopes >= 0) & ~(single[scopes] & (places > 0))
        return np.where(exists, multipliers[np.where(exists, first[scopes] + places, 0)], 0.0)

    def certificate(self, multipliers: FloatArray) -> TreeSplitCertificate:
        """Return the certificate of multipliers in units of scores."""
        shares = multipliers.copy()
        negative = np.flatnonzero(self.scopes.scores < 0)
        index = self.scopes.place[negative]
        # The verifier divides by scores cut off at -loss: the loss must cover the largest charge on a score of
        # -inf.
        loss = max(self.loss, float(shares[index].max(initial=0.0)))
        shares[index] /= -np.maximum(self.scopes.scores[negative], -loss)
        orientation = iter(block.orientation for block in self.blocks)
        ways = tuple(next(orientation) if s.scopes.size else SPLIT for s in self.problem.conjunctions)
        return TreeSplitCertificate(ways, shares, self.alone, loss=loss)


def _group_keys(scopes: IntArray, orientation: int, arcs: Arcs) -> tuple[IntArray, IntArray]:
    """Return for each pair a number of its group (lower arc, word of the upper arc), and the upper arc."""
    if orientation == SPLIT:
        return np.zeros(len(scopes), np.int64), np.zeros(len(scopes), np.int64)
    second = 1 if orientation == LOWER_IS_SECOND else 0
    upper, lower = scopes[:, 1 - second], scopes[:, second]
    key: IntArray = lower * (arcs.length + 1) + arcs.modifiers[upper]
    return key, upper
