"""A sentence as arrays of scores: what both sides of a comparison are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency import ParsingProblem
from gapless_dependency.factors.part_factor import PartFactor


@attrs.frozen(eq=False)
class SentenceArrays:
    """Scores of arcs and of parts, no problem made of them yet.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
        [head, modifier]; -inf where there is no arc.
    parts : sequence of (type of PartFactor, float64 (n + 1, ...))
        For each factor the scores of its parts by their word positions; 0 where there is no part.
    projective, single_root : bool
    granularity : float or None
    """

    arcs: FloatArray
    parts: tuple[tuple[type[PartFactor], FloatArray], ...]
    projective: bool
    single_root: bool
    granularity: float | None

    @classmethod
    def of(cls, problem: ParsingProblem) -> SentenceArrays:
        """The scores of a problem.

        Raises
        ------
        InvalidProblem
            A factor whose parts are not named by word positions.
        """
        parts = []
        for scored in problem.conjunctions:
            factor = scored.factor
            if not isinstance(factor, PartFactor):
                raise InvalidProblem(f"factor {factor.name}: its parts are not named by word positions")
            dense = np.zeros((problem.length + 1,) * len(factor.places))
            dense[factor.positions(scored.scopes, problem.decisions)] = scored.all_scores()
            parts.append((type(factor), dense))
        if len(parts) < len(problem.factors):
            raise InvalidProblem("a factor is no conjunction, and has no array of scores")
        return cls(problem.scores, tuple(parts), problem.projective, problem.single_root, problem.granularity)

    def problem(self) -> ParsingProblem:
        """A new problem, of which nothing is laid out."""
        return ParsingProblem(
            self.arcs,
            factors=[kind(_reader(dense)) for kind, dense in self.parts],
            projective=self.projective,
            single_root=self.single_root,
            granularity=self.granularity,
        )


def _reader(dense: FloatArray) -> Callable[..., Any]:
    """Reads scores where they lie; a dense array given to a factor is copied first."""

    def read(*positions: IntArray) -> FloatArray:
        found: FloatArray = dense[positions]
        return found

    return read
