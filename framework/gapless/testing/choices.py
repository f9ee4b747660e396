"""Independent choices: the simplest problem with a backbone, whose maximiser is compiled or written in Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, bool_array, float_array
from gapless.decisions.decisions import Decisions
from gapless.oracles.group_maximiser import GroupMaximiser
from gapless.problems.backbone import Backbone
from gapless.problems.problem import Problem
from gapless.testing.random_factors import SCORES, ListedStructures, random_scores


@serialisable("gapless.testing.Choices")
@attrs.frozen(eq=False, slots=False)
class Choices(Problem[IntArray]):
    """One decision of each group and any ungrouped ones; or one of the listed structures, by a maximiser in Python.

    Parameters
    ----------
    weights : float64 (decisions,)
    groups : tuple of tuples of int
        Disjoint.
    listed : bool (structures, decisions), optional
    own : float64 (structures,), optional
        Their internal scores.
    factors : tuple of factors
    """

    weights: FloatArray = attrs.field(converter=float_array)
    groups: tuple[tuple[int, ...], ...] = ()
    listed: BoolArray | None = attrs.field(default=None, converter=attrs.converters.optional(bool_array))
    own: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(float_array))
    factors: Sequence[Any] = attrs.field(default=(), converter=tuple)

    @property
    def decisions(self) -> Decisions:
        """The choice groups, and the ungrouped decisions."""
        kept: Decisions | None = self.__dict__.get("_decisions")
        if kept is None:
            kept = self.__dict__["_decisions"] = Decisions(self.weights.size, exactly_one=self.groups)
        return kept

    def value(self, structure: IntArray) -> float:
        """Sum weights, internal scores and factors."""
        own = 0.0 if self.own is None else float(self.own[self._row(structure)])
        return float(self.weights[structure].sum()) + own + self.factor_value(structure)

    def _row(self, structure: IntArray) -> int:
        assert self.listed is not None
        on = np.isin(np.arange(self.weights.size), structure)
        rows = np.flatnonzero((self.listed == on).all(axis=1))
        return int(rows[0]) if rows.size else -1

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Name what is wrong: a group, an unlisted structure, a score of -inf, or a factor that forbids it."""
        for group in self.groups:
            if np.isin(structure, group).sum() != 1:
                return [f"not exactly one of {group}"]
        if self.listed is not None and self._row(structure) < 0:
            return ["not listed"]
        if self.weights[structure].min(initial=0.0) == -np.inf:
            return ["a decision scores -inf"]
        return self.factor_violations(structure)

    def encode(self, structure: IntArray) -> IntArray:
        """Return the structure, which is the decisions that are on."""
        return np.sort(np.asarray(structure, np.int64))

    def decode(self, on_ids: IntArray) -> IntArray:
        """Return the decisions, which are the structure."""
        return np.sort(np.asarray(on_ids, np.int64))

    def backbone(self) -> Backbone[IntArray]:
        """Return independent choices, or the list."""
        if self.listed is None or self.own is None:
            return Backbone(GroupMaximiser(self.decisions), self.weights, 0.0)
        return Backbone(ListedStructures(self.listed, self.own), self.weights, 0.0)


def all_choices(problem: Choices) -> Iterator[IntArray]:
    """Yield every feasible structure, in lexicographic order of the groups."""
    grouped = set(itertools.chain(*problem.groups))
    ungrouped = [(-1, d) for d in range(problem.weights.size) if d not in grouped]  # -1: off
    for selected in itertools.product(*problem.groups, *ungrouped):
        structure = np.array(sorted(d for d in selected if d >= 0), np.int64)
        if not problem.violations(structure):
            yield structure


def random_choices(rng: np.random.Generator) -> Choices:
    """Draw up to three groups and three ungrouped decisions; a third of the problems are lists of structures."""
    sizes = rng.integers(1, 4, int(rng.integers(0, 4))).tolist()
    ungrouped = int(rng.integers(0 if sizes else 1, 4))
    ends = np.cumsum([0, *sizes]).tolist()
    groups = tuple(tuple(range(a, b)) for a, b in itertools.pairwise(ends))
    kind = SCORES[int(rng.integers(len(SCORES)))]
    bare = Choices(random_scores(rng, ends[-1] + ungrouped, kind), groups)
    if rng.random() > 1 / 3:
        return bare
    every = list(all_choices(attrs.evolve(bare, weights=np.zeros(bare.weights.size))))
    kept = [one for one in every if rng.random() < 0.6] or every[:1]
    listed = np.array([np.isin(np.arange(bare.weights.size), one) for one in kept])
    return attrs.evolve(bare, listed=listed, own=random_scores(rng, len(kept), kind, 0.0))


def named(problem: Choices) -> str:
    """Return the name of the backbone."""
    return "choice groups" if problem.listed is None else "a maximiser in Python"
