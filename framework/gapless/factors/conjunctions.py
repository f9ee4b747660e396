"""Conjunctions as a list: sets of decisions with a score each."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.factor import Factor


def _sets(values: Any) -> IntArray:
    try:
        array = np.array(values)
    except ValueError as error:
        raise InvalidProblem(f"conjunctions: sets are not an array (sets, width): {error}") from error
    if array.size == 0 and (array.ndim != 2 or not len(array)):  # no sets: a factor may find none in a problem
        array = np.zeros((0, max(1, array.shape[1]) if array.ndim == 2 else 1), np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] < 1:
        raise InvalidProblem(
            f"conjunctions: sets have shape {array.shape} and dtype {array.dtype}, expected integers (sets, width)"
        )
    array = array.astype(np.int64)
    ascending = np.sort(array, axis=1)
    if len(np.unique(ascending, axis=0)) < len(array):
        raise InvalidProblem("conjunctions: a set of decisions is listed twice; add up its scores")
    array.flags.writeable = False
    return array


def _scores(values: Any) -> FloatArray:
    array = score_array(values, "conjunctions: scores")
    check_scores(array, bracketed("conjunctions: scores"))
    array.flags.writeable = False
    return array


@serialisable("gapless.Conjunctions")
@attrs.frozen(eq=False)
class Conjunctions(Factor):
    """A factor of listed sets of decisions, each of which scores when all its decisions are on.

    Parameters
    ----------
    sets : int (sets, width)
        Ids of decisions.
    scores : float64 (sets,)
        At most 1e12 in size, or -inf, which forbids.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import Conjunctions
    >>> from gapless_chains import ChainProblem
    >>> both = Conjunctions([[0, 3]], [5.0])  # label 0 at token 0 and label 1 at token 1
    >>> gl.solve(ChainProblem([[0.0, 1.0]] * 2, [[0.0, 0.0]] * 2, factors=[both])).best
    array([0, 1])
    """

    name: ClassVar[str] = "conjunctions"
    sets: IntArray = attrs.field(converter=_sets)
    scores: FloatArray = attrs.field(converter=_scores)

    def __attrs_post_init__(self) -> None:
        if self.scores.shape != self.sets.shape[:1]:
            raise InvalidProblem(f"conjunctions: {len(self.sets)} sets, but scores of shape {self.scores.shape}")

    def scopes(self, decisions: Decisions) -> IntArray:
        """Return the sets."""
        return self.sets

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look the scores up."""
        # Nearly always all sets are scored, in order; a dictionary of them would cost more than all else.
        if scopes is self.sets or np.array_equal(scopes, self.sets):
            return self.scores
        score_of = dict(zip(map(tuple, self.sets.tolist()), self.scores.tolist(), strict=True))
        return np.array([score_of[tuple(scope)] for scope in scopes.tolist()], np.float64)
