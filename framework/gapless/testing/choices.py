"""Independent choices: the plainest problem with a backbone, compiled or a user's own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.core.backbone import Backbone
from gapless.core.decisions import Decisions
from gapless.core.group_maximiser import GroupMaximiser
from gapless.core.problem import Problem
from gapless.core.serial import serialisable
from gapless.core.sparse import BoolArray, FloatArray, IntArray, bool_array, float_array
from gapless.testing.random_factors import SCORES, ListedStructures, random_scores


@serialisable("gapless.testing.Choices")
@attrs.frozen(eq=False, slots=False)
class Choices(Problem[IntArray]):
    """One decision of each group and any of the others; or only what is listed, which a maximiser in Python finds.

    Parameters
    ----------
    weights : float64 (decisions,)
    groups : tuple of tuples of int
        Disjoint.
    listed : bool (structures, decisions), optional
    own : float64 (structures,), optional
        Their own scores.
    factors : tuple of factors
    """

    weights: FloatArray = attrs.field(converter=float_array)
    groups: tuple[tuple[int, ...], ...] = ()
    listed: BoolArray | None = attrs.field(default=None, converter=attrs.converters.optional(bool_array))
    own: FloatArray | None = attrs.field(default=None, converter=attrs.converters.optional(float_array))
    factors: Sequence[Any] = attrs.field(default=(), converter=tuple)

    @property
    def decisions(self) -> Decisions:
        """The groups, and those in none."""
        kept: Decisions | None = self.__dict__.get("_decisions")
        if kept is None:
            kept = self.__dict__["_decisions"] = Decisions(self.weights.size, exactly_one=self.groups)
        return kept

    def value(self, structure: IntArray) -> float:
        """Weights, own scores and factors."""
        own = 0.0 if self.own is None else float(self.own[self._row(structure)])
        return float(self.weights[structure].sum()) + own + self.factor_value(structure)

    def _row(self, structure: IntArray) -> int:
        assert self.listed is not None
        on = np.isin(np.arange(self.weights.size), structure)
        rows = np.flatnonzero((self.listed == on).all(axis=1))
        return int(rows[0]) if rows.size else -1

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Groups without exactly one, what is not listed, what scores -inf, and what factors forbid."""
        for group in self.groups:
            if np.isin(structure, group).sum() != 1:
                return [f"not exactly one of {group}"]
        if self.listed is not None and self._row(structure) < 0:
            return ["not listed"]
        if self.weights[structure].min(initial=0.0) == -np.inf:
            return ["a decision scores -inf"]
        return self.factor_violations(structure)

    def encode(self, structure: IntArray) -> IntArray:
        """The structure is the decisions."""
        return np.sort(np.asarray(structure, np.int64))

    def decode(self, on_ids: IntArray) -> IntArray:
        """As `encode`."""
        return np.sort(np.asarray(on_ids, np.int64))

    def backbone(self) -> Backbone[IntArray]:
        """Independent choices, or the list."""
        if self.listed is None or self.own is None:
            return Backbone(GroupMaximiser(self.decisions), self.weights, 0.0)
        return Backbone(ListedStructures(self.listed, self.own), self.weights, 0.0)


def all_choices(problem: Choices) -> Iterator[IntArray]:
    """Every structure that is allowed."""
    grouped = set(itertools.chain(*problem.groups))
    loose = [(-1, d) for d in range(problem.weights.size) if d not in grouped]
    for chosen in itertools.product(*problem.groups, *loose):
        structure = np.array(sorted(d for d in chosen if d >= 0), np.int64)
        if not problem.violations(structure):
            yield structure


def random_choices(rng: np.random.Generator) -> Choices:
    """Up to three groups and three decisions in none; every third is a list."""
    sizes = rng.integers(1, 4, int(rng.integers(0, 4))).tolist()
    loose = int(rng.integers(0 if sizes else 1, 4))
    ends = np.cumsum([0, *sizes]).tolist()
    groups = tuple(tuple(range(a, b)) for a, b in itertools.pairwise(ends))
    kind = SCORES[int(rng.integers(len(SCORES)))]
    bare = Choices(random_scores(rng, ends[-1] + loose, kind), groups)
    if rng.random() > 1 / 3:
        return bare
    every = list(all_choices(attrs.evolve(bare, weights=np.zeros(bare.weights.size))))
    kept = [one for one in every if rng.random() < 0.6] or every[:1]
    listed = np.array([np.isin(np.arange(bare.weights.size), one) for one in kept])
    return attrs.evolve(bare, listed=listed, own=random_scores(rng, len(kept), kind, 0.0))


def named(problem: Choices) -> str:
    """Name of the backbone."""
    return "choice groups" if problem.listed is None else "a maximiser in Python"
