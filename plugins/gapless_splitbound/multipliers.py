"""The split bound: scores of scopes spread over their arcs by multipliers (Qian and Liu 2013, section 3.2)."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin
from gapless.roles import Fixings, InconsistentBound
from gapless_dependency import ParsingProblem
from gapless_dependency.backbones import Backbone
from gapless_splitbound.scopes import SPLIT, Scopes, penalty
from gapless_splitbound.subproblem import OpenScopes, Subproblem, is_on, subproblem_of


class Split:
    r"""Multipliers of all scopes of a problem, and the arc weights and the constant that they give.

    Write z for the 0/1 arcs of a tree. For any multipliers, ``max_z weights @ z + constant`` bounds all trees:

    - a score s >= 0 of a scope c is spread: :math:`s \prod z_e \le \sum_e q_e z_e` with :math:`q \ge 0, \sum q = s`
      (eq. 5);
    - of a score s < 0 a part is taken seriously: :math:`s \prod z_e \le -q (\sum_e z_e - (|c| - 1))` with
      :math:`0 \le q \le -s` (eq. 6 to 8);
    - pairs (u, l) of one lower arc l with arcs u into one word, of which a tree has exactly one, are joined:
      :math:`\sum_u s_u z_u z_l \le z_l \max_u (s_u - d_u) + \sum_u d_u z_u` with :math:`d \ge 0`. This keeps one
      choice for each lower arc inside the score and is much tighter than splitting pair by pair;
    - any other factor, by value v(on), is copied: :math:`v(z) \le \sum \lambda z + \max_{on} (v(on) - \lambda on)`.

    Multipliers are in units of scores, or, with ``shares=True``, the paper's p in [0, 1].

    Parameters
    ----------
    problem : ParsingProblem
    group : bool
        Whether pairs are bounded in groups.
    shares : bool
    backbone : Backbone, optional
        The bound on trees under the weights; the factors that it counts itself are left out. By default none.
    """

    def __init__(
        self,
        problem: ParsingProblem,
        *,
        group: bool = True,
        shares: bool = False,
        backbone: Backbone | None = None,
    ) -> None:
        self.problem = problem
        self.arcs = problem.decisions
        self.blocks: list[Scopes] = []
        end = 0
        absorbed = () if backbone is None else backbone.absorbed
        self.backbone = "first" if backbone is None else backbone.name
        skipped = set(map(id, absorbed))
        ways = []
        for scored in problem.conjunctions:
            ways.append(SPLIT)
            if scored.scopes.size and id(scored.factor) not in skipped:
                self.blocks.append(Scopes(scored, self.arcs, end, group=group))
                end, ways[-1] = self.blocks[-1].end, self.blocks[-1].orientation
        self.orientation = tuple(ways)
        self.copies = [(factor, scope, end) for factor, scope in problem.configurations]
        for number, (factor, scope, _) in enumerate(self.copies):
            self.copies[number] = (factor, scope, end)
            end += scope.size
        self.size = end
        self.loss, self.floor = penalty(problem, self.blocks)
        if absorbed:
            # Scores that are not looked at here may take an allowed tree below any floor.
            self.floor = -np.inf
        self.shares = shares
        self.scale = np.ones(end)
        for block in self.blocks:
            size = np.maximum(np.abs(np.maximum(block.scores, -self.loss)), 1e-300)
            width = block.arcs.shape[1]
            for rows, count in ((block.scores < 0, 1), (block.scores >= 0, width)):
                chosen = np.flatnonzero(rows & ~block.grouped)
                self.scale[block.offset[chosen][:, None] + np.arange(count)] = size[chosen][:, None]
        self._subproblem: tuple[Fixings | None, Subproblem | None] = (None, None)

    def start(self) -> FloatArray:
        """Nothing charged, scores spread evenly, negative scores taken as 0."""
        first = np.zeros(self.size)
        for block in self.blocks:
            rows = np.flatnonzero((block.scores >= 0) & ~block.grouped)
            width = block.arcs.shape[1]
            even = 1.0 / width if self.shares else block.scores[rows] / width
            first[block.offset[rows][:, None] + np.arange(width)] = np.reshape(even, (-1, 1))
        return first

    def subproblem(self, fixings: Fixings) -> Subproblem | None:
        """The scopes that `fixings` leave; the last answer is remembered."""
        if self._subproblem[0] is not fixings:
            weights = self.problem.arc_weights
            self._subproblem = (fixings, subproblem_of(self.arcs, weights, self.blocks, self.loss, fixings))
        return self._subproblem[1]

    # --- the formula

    def weights(self, multipliers: FloatArray, fixings: Fixings) -> tuple[FloatArray, float]:
        """Arc weights and the constant."""
        left = self.subproblem(fixings)
        if left is None:
            return self.problem.arc_weights, -np.inf
        weights, constant = left.weights.copy(), left.constant
        groups = left.groups
        if groups.index.size:
            charge = np.maximum(multipliers[groups.index], 0.0)
            np.add.at(weights, groups.group_lower, np.maximum(self._group_values(left, charge)[1], groups.floor))
            np.add.at(weights, groups.upper, charge)
        for scopes in left.positive:
            np.add.at(weights, scopes.arcs, self._spread(multipliers, scopes))
        for scopes in left.negative:
            taken = self._taken(multipliers, scopes)
            np.add.at(weights, scopes.arcs, -taken[:, None] * scopes.free)
            constant += float((taken * (scopes.free.sum(axis=1) - 1)).sum())
        for factor, scope, first in self.copies:
            state = left.state[scope]
            if np.all(state >= 0):
                constant += factor.value(state == 1)
                continue
            price = multipliers[first : first + scope.size]
            np.add.at(weights, scope, price)
            constant += factor.best(np.where(state == 0, -np.inf, -price))[0]
        return weights, constant

    def _group_values(self, left: Subproblem, charge: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each row (group, upper arc) what it is worth, and for each group the best."""
        groups = left.groups
        rows: FloatArray = np.bincount(groups.member, groups.scores - charge, groups.row_group.size).astype(float)
        return rows, np.maximum.reduceat(rows, groups.starts)

    def _places(self, scopes: OpenScopes) -> IntArray:
        return scopes.index[:, None] + np.arange(scopes.arcs.shape[1])

    def _spread(self, multipliers: FloatArray, scopes: OpenScopes) -> FloatArray:
        """The share of each free arc of each scope in a positive score, (m, width)."""
        held = np.where(scopes.free, np.maximum(multipliers[self._places(scopes)], 0.0), 0.0)
        total = held.sum(axis=1, keepdims=True)
        even = scopes.free / scopes.free.sum(axis=1, keepdims=True)
        spread: FloatArray = scopes.scores[:, None] * np.divide(held, total, out=even, where=total > 0)
        return spread

    def _taken(self, multipliers: FloatArray, scopes: OpenScopes) -> FloatArray:
        """The part of each negative score that counts, (m,), in units of scores."""
        held = multipliers[scopes.index] * (-scopes.scores if self.shares else 1.0)
        return np.clip(held, 0.0, -scopes.scores)

    # --- descent

    def subgradient(self, multipliers: FloatArray, on_ids: IntArray) -> FloatArray:
        """A subgradient of the bound under the fixings of the last `weights`, less what the projection undoes."""
        gradient = np.zeros(self.size)
        left = self._subproblem[1]
        if left is None:
            return gradient
        on = is_on(left, on_ids)
        groups = left.groups
        if groups.index.size:
            charge = np.maximum(multipliers[groups.index], 0.0)
            best = self._best_rows(left, charge)
            slope = on[groups.upper].astype(np.float64)
            slope -= on[groups.lower] & (best[groups.row_group[groups.member]] == groups.member)
            gradient[groups.index] = np.where((charge <= 0.0) & (slope > 0.0), 0.0, slope)
        for scopes in left.positive:
            held = on[scopes.arcs] & scopes.free
            mean = held.sum(axis=1, keepdims=True) / scopes.free.sum(axis=1, keepdims=True)
            slope = np.where(scopes.free, held - mean, 0.0)
            gradient[self._places(scopes)] = slope * (scopes.scores[:, None] if self.shares else 1.0)
        for scopes in left.negative:
            slope = (scopes.free.sum(axis=1) - 1.0) - (on[scopes.arcs] & scopes.free).sum(axis=1)
            taken = self._taken(multipliers, scopes)
            stuck = ((taken <= 0.0) & (slope > 0.0)) | ((taken >= -scopes.scores) & (slope < 0.0))
            gradient[scopes.index] = np.where(stuck, 0.0, slope * (-scopes.scores if self.shares else 1.0))
        for factor, scope, first in self.copies:
            state = left.state[scope]
            if np.any(state < 0):
                price = multipliers[first : first + scope.size]
                most, copy = factor.best(np.where(state == 0, -np.inf, -price))
                here = factor.value(on[scope]) - float(price[on[scope]].sum())
                if here > most + margin(max(float(np.abs(price).sum()), abs(here))):
                    raise InconsistentBound(
                        f"factor {factor.name}: best() promises that no configuration is worth more than "
                        f"{most:.12g}, but by value() that of a tree is worth {here:.12g}"
                    )
                gradient[first : first + scope.size] = on[scope].astype(np.float64) - copy
        return gradient

    def _best_rows(self, left: Subproblem, charge: FloatArray) -> IntArray:
        """For each group its best row; -1 where an arc in no pair is better."""
        groups = left.groups
        rows, best = self._group_values(left, charge)
        chosen = np.full(groups.starts.size, -1, np.int64)
        hits = np.flatnonzero((rows >= best[groups.row_group]) & (rows >= groups.floor[groups.row_group]))
        chosen[groups.row_group[hits[::-1]]] = hits[::-1]
        return chosen

    def project(self, multipliers: FloatArray) -> FloatArray:
        """The nearest allowed multipliers."""
        nearest = multipliers.copy()
        left = self._subproblem[1]
        if left is None:
            return nearest
        nearest[left.groups.index] = np.maximum(nearest[left.groups.index], 0.0)
        for scopes in left.positive:
            places = self._places(scopes)
            total = np.ones(len(places)) if self.shares else scopes.scores
            nearest[places] = project_rows(nearest[places], total, scopes.free)
        for scopes in left.negative:
            nearest[scopes.index] = np.clip(nearest[scopes.index], 0.0, 1.0 if self.shares else -scopes.scores)
        return nearest

    # --- what is undecided

    def gaps(self, multipliers: FloatArray, on_ids: IntArray, fixings: Fixings) -> FloatArray:
        """For each arc, the gaps of the scopes that contain it, at a tree (section 3.3), float64 (arcs,)."""
        gaps = np.zeros(self.arcs.count)
        left = self.subproblem(fixings)
        if left is None:
            return gaps
        on = is_on(left, on_ids)
        groups = left.groups
        if groups.index.size:
            charge = np.maximum(multipliers[groups.index], 0.0)
            best = np.maximum(self._group_values(left, charge)[1], groups.floor)
            lower_on = on[groups.group_lower]
            group_of = groups.row_group[groups.member]
            paid = np.where(on[groups.upper], charge - np.where(on[groups.lower], groups.scores, 0.0), 0.0)
            gap = np.where(lower_on, best, 0.0) + np.bincount(group_of, paid, lower_on.size)
            gap = np.clip(gap, 0.0, self.loss)
            np.add.at(gaps, groups.group_lower, gap)
            rows = self._best_rows(left, charge)
            disputed = (rows[group_of] == groups.member) & on[groups.lower]
            np.maximum.at(gaps, groups.upper[disputed], gap[group_of[disputed]])
        for scopes in left.positive:
            held = on[scopes.arcs] & scopes.free
            gap = (self._spread(multipliers, scopes) * held).sum(axis=1)
            gap -= np.where(_all_on(held, scopes.free), scopes.scores, 0.0)
            np.add.at(gaps, scopes.arcs, gap[:, None] * scopes.free)
        for scopes in left.negative:
            held = on[scopes.arcs] & scopes.free
            gap = -self._taken(multipliers, scopes) * (held.sum(axis=1) - scopes.free.sum(axis=1) + 1)
            gap -= np.where(_all_on(held, scopes.free), scopes.scores, 0.0)
            np.add.at(gaps, scopes.arcs, gap[:, None] * scopes.free)
        for factor, scope, first in self.copies:
            if np.any(left.state[scope] < 0):
                price = multipliers[first : first + scope.size]
                best_copy = factor.best(np.where(left.state[scope] == 0, -np.inf, -price))[0]
                real = max(factor.value(on[scope]), -self.loss) - float(price[on[scope]].sum())
                gaps[scope] += max(best_copy - real, 0.0) if np.isfinite(best_copy) else 0.0
        return gaps


def _all_on(held: BoolArray, free: BoolArray) -> BoolArray:
    all_on: BoolArray = np.all(held | ~free, axis=1)
    return all_on


def project_rows(values: FloatArray, total: FloatArray, used: BoolArray) -> FloatArray:
    """The nearest rows that are not negative and sum to `total`.

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
