"""Distances between candidates as a factor: what linking scores beyond its choice groups."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Decisions, Factor

if TYPE_CHECKING:
    from gapless_linking.problem import LinkingProblem

MOST_PAIRS = 1_000_000
"""A problem of more pairs of candidates is refused: `linking-search` asks for no table of them."""


class PairCosts(Factor):
    """Minus twice the distance of each two candidates of different sets; -inf where no path connects them.

    Parameters
    ----------
    problem : LinkingProblem

    Raises
    ------
    InvalidProblem
        There are more than a million pairs.
    """

    name: ClassVar[str] = "distance"

    def __init__(self, problem: LinkingProblem) -> None:
        sizes = np.diff(problem.first)
        pairs = (int(sizes.sum()) ** 2 - int((sizes**2).sum())) // 2
        if pairs > MOST_PAIRS:
            raise InvalidProblem(
                f"the candidates make {pairs} pairs, and factors take up to {MOST_PAIRS}: leave out candidates, or "
                "solve it without factors by the problem's own methods"
            )
        self.problem = problem

    def scopes(self, decisions: Decisions) -> IntArray:
        """The pairs that are apart, int64 (pairs, 2)."""
        first = self.problem.first.tolist()
        blocks = [
            np.stack(np.meshgrid(np.arange(*one), np.arange(*other), indexing="ij"), axis=-1).reshape(-1, 2)
            for one, other in itertools.combinations(itertools.pairwise(first), 2)
        ]
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *blocks])
        apart: IntArray = pairs[self._scores(pairs) != 0.0]
        return apart

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Each distance counts both ways."""
        return self._scores(scopes)

    def _scores(self, pairs: IntArray) -> FloatArray:
        at = self.problem.slots
        apart = self.problem.distances[at[pairs[:, 0]], at[pairs[:, 1]]]
        lengths: FloatArray = apart.astype(np.float64)
        if apart.dtype.kind == "u":
            lengths[apart == np.iinfo(apart.dtype).max] = np.inf
        return -2.0 * lengths
