"""OR: a score when at least one of some arcs is in the tree."""

from __future__ import annotations

import itertools
import operator
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.linear_form import LinearForm
from gapless.roles import DecisionDiagram, Decisions, serialisable
from gapless_dependency.arcs import as_arcs
from gapless_dependency.factors.arc_conjunctions import ArcConjunctions
from gapless_dependency.factors.single_score import single_score

WIDEST = 12
"""Limit on the arcs of `AnyOf.polynomial`, which has up to 2 ** WIDEST terms."""


def _score(value: Any) -> float:
    return single_score(value, "any-of")


def _pairs(values: Any) -> tuple[tuple[int, int], ...]:
    try:
        pairs = tuple((operator.index(h), operator.index(m)) for h, m in values)
    except (TypeError, ValueError) as error:
        raise InvalidProblem(f"any-of: arcs are {values!r}, expected pairs of integers (head, modifier)") from error
    if not pairs or len(set(pairs)) < len(pairs):
        raise InvalidProblem(f"any-of: arcs are {list(pairs)}, expected one or more, none of them twice")
    return pairs


@serialisable("gapless_dependency.AnyOf")
@attrs.frozen(eq=False)
class AnyOf(DecisionDiagram):
    """`score` once, when the tree has one or more of the arcs.

    Arcs that the problem has no candidate for are left out.

    Parameters
    ----------
    arcs : sequence of (head, modifier)
    score : float
        -inf forbids all the arcs.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import AnyOf
    >>> result = gl.solve(ParsingProblem(scores, factors=[AnyOf([(3, 1), (3, 2)], 6.0)]))
    >>> result.best.heads
    array([3, 0, 2])
    """

    name: ClassVar[str] = "any-of"
    arcs: tuple[tuple[int, int], ...] = attrs.field(converter=_pairs)
    score: float = attrs.field(converter=_score)

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Return each candidate among the arcs as a layer."""
        arcs = as_arcs(decisions, self.name)
        for head, modifier in self.arcs:
            if not (0 <= head <= arcs.length and 0 <= modifier <= arcs.length):
                raise InvalidProblem(
                    f"any-of: the arc {head} -> {modifier} is not between positions 0..{arcs.length}"
                )
        ids = np.array([arcs.index[pair] for pair in self.arcs], np.int64)
        return [[arc] for arc in sorted(ids[ids >= 0].tolist())]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """Make the state 1 once an arc is on."""
        return (states if choice < 0 else np.ones_like(states)), 0.0

    def final(self, states: IntArray) -> FloatArray:
        """Return the score for state 1."""
        return np.array([0.0, self.score])[states]

    def possible_values(self) -> FloatArray:
        """Return 0 and the score."""
        return np.array([0.0, self.score])

    def polynomial(self) -> tuple[ArcConjunctions, ...]:
        """Return the same as conjunctions, ``z + z' - z z'`` (Qian and Liu 2013, section 5.1), by width.

        Products of arcs into one word are left out: no tree has both.

        Raises
        ------
        InvalidProblem
            The score is -inf, or there are more than 12 arcs.
        """
        if self.score == -np.inf or len(self.arcs) > WIDEST:
            raise InvalidProblem(
                f"any-of: a score of {self.score} over {len(self.arcs)} arcs has no polynomial of reasonable size; "
                "use the factor itself"
            )
        factors = []
        # Inclusion and exclusion: sets of odd size score s, sets of even size -s.
        for width in range(1, len(self.arcs) + 1):
            sets = [
                arcs
                for arcs in itertools.combinations(self.arcs, width)
                if len({modifier for _, modifier in arcs}) == width
            ]
            if sets:
                factors.append(ArcConjunctions(sets, np.full(len(sets), self.score if width % 2 else -self.score)))
        return tuple(factors)

    def linear_form(self, size: int) -> LinearForm:
        """Use one column: at least each arc, at most their sum."""
        allowed = self.score > -np.inf
        return LinearForm(
            objective=np.array([self.score if allowed else 0.0]),
            upper=np.array([float(allowed)]),
            scope_coefficients=np.concatenate([-np.eye(size), np.ones((1, size))]),
            column_coefficients=np.concatenate([np.ones((size, 1)), [[-1.0]]]),
            row_lower=np.zeros(size + 1),
            row_upper=np.full(size + 1, np.inf),
            # Rows and integral arcs leave it no other values than 0 and 1.
            integer=False,
        )
