"""Listed sets of arcs with a score each: for features that no template describes."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Decisions, Factor, serialisable
from gapless_dependency.arcs import as_arcs


def _scores(values: Any) -> FloatArray:
    array = score_array(values, "conjunction: scores")
    check_scores(array, bracketed("conjunction: scores"))
    array.flags.writeable = False
    return array


def _arcs(values: Any) -> IntArray:
    try:
        array = np.array(values)
    except ValueError as error:
        raise InvalidProblem(f"conjunction: arcs are not an array (sets, width, 2): {error}") from error
    if array.dtype.kind not in "iu" or array.ndim != 3 or array.shape[2] != 2 or array.shape[1] < 1:
        raise InvalidProblem(
            f"conjunction: arcs have shape {array.shape} and dtype {array.dtype}, "
            "expected integers (sets, width, 2)"
        )
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


@serialisable("gapless_dependency.ArcConjunctions")
@attrs.frozen(eq=False)
class ArcConjunctions(Factor):
    """Each listed set of arcs scores when the tree has all of them.

    Sets with an arc that the problem has no candidate for can never fire and are left out.

    Parameters
    ----------
    arcs : int (sets, width, 2)
        Head and modifier of each arc.
    scores : float64 (sets,)

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import ArcConjunctions
    >>> both = ArcConjunctions([[(0, 1), (1, 2)]], [9.0])
    >>> gl.solve(ParsingProblem(scores, factors=[both])).best.heads
    array([0, 1, 2])
    """

    name: ClassVar[str] = "conjunction"
    arcs: IntArray = attrs.field(converter=_arcs)
    scores: FloatArray = attrs.field(converter=_scores)

    def __attrs_post_init__(self) -> None:
        if self.scores.shape != self.arcs.shape[:1]:
            raise InvalidProblem(f"conjunction: {len(self.arcs)} sets of arcs, but scores of {self.scores.shape}")
        # Unordered: the same arcs in another order are the same conjunction.
        keys = [frozenset(map(tuple, arcs)) for arcs in self.arcs.tolist()]
        for number, key in enumerate(keys):
            if len(key) < self.arcs.shape[1]:
                raise InvalidProblem(f"conjunction: arcs[{number}] names an arc twice")
        if len(set(keys)) < len(keys):
            raise InvalidProblem("conjunction: a set of arcs is listed twice; add up its scores")

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets whose arcs are all candidates, int64 (parts, width)."""
        ids, are_candidates = self._listed(decisions)
        scopes: IntArray = ids[are_candidates]
        return scopes

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look up the given scores."""
        ids, are_candidates = self._listed(decisions)
        # By scope, since a problem with fewer candidates lists fewer sets, and callers ask for any of them.
        score_of = dict(
            zip(map(tuple, ids[are_candidates].tolist()), self.scores[are_candidates].tolist(), strict=True)
        )
        return np.array([score_of[tuple(scope)] for scope in scopes.tolist()], np.float64)

    def _listed(self, decisions: Decisions) -> tuple[IntArray, Any]:
        arcs = as_arcs(decisions, self.name)
        if self.arcs.size and not 0 <= self.arcs.min() <= self.arcs.max() <= arcs.length:
            bad = self.arcs[((self.arcs < 0) | (self.arcs > arcs.length)).any(axis=2)][0].tolist()
            raise InvalidProblem(
                f"conjunction: the arc {bad[0]} -> {bad[1]} is not between positions 0..{arcs.length}"
            )
        ids = arcs.index[self.arcs[:, :, 0], self.arcs[:, :, 1]]
        return ids, (ids >= 0).all(axis=1)
