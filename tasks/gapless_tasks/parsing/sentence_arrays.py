"""A sentence as arrays of scores: the input of both sides of a comparison."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency import ParsingProblem
from gapless_dependency.factors.backbone_factor import BackboneFactor
from gapless_dependency.factors.part_factor import PartFactor

_WIDEST = 3
"""Axes of a dense array of parts, at most: four would be gigabytes."""


@attrs.frozen(eq=False)
class SentenceArrays:
    """Arrays of the scores of arcs and of parts, before a problem is built.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    parts : sequence of (type of PartFactor, float64 (n + 1, n + 1, n + 1))
        For each factor the scores of its parts by their word positions; 0 where there is no part.
    others : sequence of factors
        Factors that are data already, and parts of more than three words, as tables.
    """

    arcs: FloatArray
    parts: tuple[tuple[type[PartFactor], FloatArray], ...]
    projective: bool
    single_root: bool
    granularity: float | None
    others: tuple[Factor | ConfigurationFactor | BackboneFactor, ...] = ()

    @classmethod
    def of(cls, problem: ParsingProblem) -> SentenceArrays:
        """Extract the scores of a problem."""
        parts: list[tuple[type[PartFactor], FloatArray]] = []
        others: list[Factor | ConfigurationFactor | BackboneFactor] = [
            factor for factor in problem.factors if not isinstance(factor, Factor)
        ]
        for scored in problem.conjunctions:
            factor = scored.factor
            if not isinstance(factor, PartFactor):
                others.append(factor)
                continue
            if len(factor.places) > _WIDEST:
                others.append(factor.tabulated(problem.decisions))
                continue
            dense = np.zeros((problem.length + 1,) * len(factor.places))
            dense[factor.positions(scored.scopes, problem.decisions)] = scored.all_scores()
            parts.append((type(factor), dense))
        kind = problem.projective, problem.single_root, problem.granularity
        return cls(problem.scores, tuple(parts), *kind, tuple(others))

    def problem(self) -> ParsingProblem:
        """Build a new problem, without any caches."""
        parts = [kind(dense) for kind, dense in self.parts]
        return ParsingProblem(
            self.arcs,
            factors=[*parts, *self.others],
            projective=self.projective,
            single_root=self.single_root,
            granularity=self.granularity,
        )
