"""Valency: a score for the number of modifiers of a word."""

from __future__ import annotations

import math
import operator
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless_kernels
from gapless import InvalidProblem
from gapless.arrays.score_array import check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.linear_form import LinearForm
from gapless.roles import DecisionDiagram, Decisions, Factor, serialisable
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.single_score import single_score

MOST_SETS = 200_000
"""Limit on the terms of a polynomial for one word."""


def _counted(values: Any) -> FloatArray:
    array = score_array(values, "valency: scores")
    if array.ndim != 1 or not array.size:
        raise InvalidProblem(f"valency: scores have shape {array.shape}, expected one for each number of modifiers")
    check_scores(array, lambda index: f"valency: the score of {index[0]} modifiers")
    array.flags.writeable = False
    return array


def _score(value: Any) -> float:
    return single_score(value, "valency")


def _position(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise InvalidProblem(f"valency: head is {value!r}, expected the position of a word, or 0") from error


@serialisable("gapless_dependency.Valency")
@attrs.frozen(eq=False)
class Valency(DecisionDiagram):
    """``scores[k]`` when `head` has k modifiers (Qian and Liu 2013, section 5.1; Martins et al. 2009).

    Parameters
    ----------
    head : int
        A position, 0 for the root.
    scores : float64 (most + 1,)
        For 0 to `most` modifiers, as many as the head has candidates, or more; -inf forbids a number.

    Raises
    ------
    InvalidProblem
        No scores, or not numbers; by `scope`, fewer scores than the head may have modifiers.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import Valency
    >>> one = Valency(2, [0.0, 2.0, -9.0, -9.0])  # word 2 likes a single modifier
    >>> gl.solve(ParsingProblem(scores, factors=[one])).best.heads
    array([2, 0, 1])
    """

    name: ClassVar[str] = "valency"
    head: int = attrs.field(converter=_position)
    scores: FloatArray = attrs.field(converter=_counted)

    def layers(self, decisions: Decisions) -> list[list[int]]:
        """Return each arc from the head as a layer."""
        arcs = as_arcs(decisions, self.name)
        own = _arcs_from(arcs, self.head)
        # Scores of more modifiers cannot be guessed: 0, the last score and -inf are all plausible.
        if own.size >= self.scores.size:
            raise InvalidProblem(
                f"valency: head {self.head} may have up to {own.size} modifiers, but the scores end at "
                f"{self.scores.size - 1}; give one for each number up to {own.size}, -inf for what is forbidden"
            )
        return [[arc] for arc in own.tolist()]

    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, float]:
        """Count the modifiers so far in the state."""
        return (states if choice < 0 else states + 1), 0.0

    def final(self, states: IntArray) -> FloatArray:
        """Look up the number of modifiers."""
        return self.scores[states]

    def possible_values(self) -> FloatArray:
        """Return the scores."""
        return self.scores

    def polynomial(self, degree: int | None = None) -> tuple[Factor, ...]:
        """Return the same as conjunctions, exactly: a polynomial of the arcs (Qian and Liu 2013, section 5.1).

        ``f(k) = sum over j of d[j] * binomial(k, j)`` with d the forward differences of the scores at 0, and
        ``binomial(k, j)`` counts the sets of j modifiers. The constant d[0] goes to the arcs into word 1, of which
        every tree has one.

        Parameters
        ----------
        degree : int, optional
            Refuse to make sets of more modifiers than this.

        Returns
        -------
        tuple of Factor
            One for each width whose difference is not 0.

        Raises
        ------
        InvalidProblem
            A score is -inf, or the degree does not suffice.
        """
        if not np.all(np.isfinite(self.scores)):
            raise InvalidProblem("valency: a score of -inf has no polynomial; use the factor itself")
        # Newton's forward differences at 0, one order after the other.
        differences, row = [], self.scores
        while row.size:
            differences.append(float(row[0]))
            row = np.diff(row)
        needed = max((j for j, d in enumerate(differences) if d != 0.0), default=0)
        if degree is not None and needed > degree:
            raise InvalidProblem(f"valency: the scores of head {self.head} need degree {needed}, not {degree}")
        limit = self.scores.size - 1
        factors: list[Factor] = [Always(differences[0])] if differences[0] else []
        return (*factors, *(ModifierSets(self.head, j, d, limit) for j, d in enumerate(differences) if j and d))

    def linear_form(self, size: int) -> LinearForm:
        """Use an indicator for each number of modifiers (Martins et al. 2009)."""
        counts = np.arange(min(size + 1, self.scores.size), dtype=np.float64)
        scores = self.scores[: counts.size]
        allowed = scores > -np.inf
        return LinearForm(
            objective=np.where(allowed, scores, 0.0),
            upper=allowed.astype(np.float64),
            # One indicator is on; the sum of its number over the indicators is the number of arcs that are on.
            scope_coefficients=np.stack([np.zeros(size), np.ones(size)]),
            column_coefficients=np.stack([np.ones(counts.size), -counts]),
            row_lower=np.array([1.0, 0.0]),
            row_upper=np.array([1.0, 0.0]),
        )


def valency(scores: Any) -> tuple[Valency, ...]:
    """Make one `Valency` for each position: ``scores[h, k]`` when h has k modifiers.

    Parameters
    ----------
    scores : (n + 1, most + 1) array of numbers
        Row 0 is the root. No head may have more than `most` candidate modifiers; -inf forbids a number.
    """
    array = score_array(scores, "valency: scores")
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidProblem(f"valency: scores have shape {array.shape}, expected (n + 1, most + 1)")
    return tuple(Valency(head, row) for head, row in enumerate(array))


def _arcs_from(arcs: Arcs, head: int) -> IntArray:
    if not 0 <= head <= arcs.length:
        raise InvalidProblem(f"valency: head {head} is not between 0 and {arcs.length}")
    row: IntArray = arcs.index[head]
    own: IntArray = row[row >= 0]
    return own


@serialisable("gapless_dependency.ModifierSets")
@attrs.frozen(eq=False)
class ModifierSets(Factor):
    """`score` for every set of `width` modifiers of one head: a term of the polynomial of a `Valency`.

    `most`: the polynomial is the valency's up to this many modifiers.
    """

    name: ClassVar[str] = "modifier-sets"
    head: int
    width: int
    score_each: float = attrs.field(converter=_score)
    most: int

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets, int64 (sets, width)."""
        arcs = as_arcs(decisions, self.name)
        own = _arcs_from(arcs, self.head)
        # Beyond `most` modifiers the polynomial would extrapolate, where the valency itself refuses.
        if own.size > self.most:
            raise InvalidProblem(
                f"valency: the scores of head {self.head} end at {self.most} modifiers, but it has {own.size} "
                "candidates; give a score for each number of modifiers"
            )
        if math.comb(own.size, self.width) > MOST_SETS:
            raise InvalidProblem(
                f"valency: head {self.head} has {math.comb(own.size, self.width)} sets of {self.width} modifiers; "
                "use the factor itself"
            )
        members = gapless_kernels.arcs_of_one_head(arcs.heads[own], arcs.modifiers[own], self.width)
        return own[members]

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the same score for all."""
        return np.full(len(scopes), self.score_each)


@serialisable("gapless_dependency.Always")
@attrs.frozen(eq=False)
class Always(Factor):
    """`score_each` for every arc into word 1, hence once in every tree: a constant written as a factor."""

    name: ClassVar[str] = "always"
    score_each: float = attrs.field(converter=_score)

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the arcs into word 1, int64 (arcs, 1)."""
        arcs = as_arcs(decisions, self.name)
        return np.arange(arcs.first[1], arcs.first[2])[:, None]

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the same score for all."""
        return np.full(len(scopes), self.score_each)
