"""The base of factors over word positions: scopes from the arcs, scores from positions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Decisions, Factor
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.part_scores import PartScores


class PartFactor(Factor):
    """A factor whose sets of arcs are identified by a few word positions, which index their scores.

    `scores` (array of n + 1 positions on each axis, or callable): one axis, or one int64 array (parts,), for each
    letter of `places`. A callable with a method ``upper_bound`` of the same arguments is called only where
    its bounds do not decide.
    """

    places: ClassVar[str]
    """The positions that name a part, a letter each, as messages write them."""

    def __init__(self, scores: Any) -> None:
        self.scores = PartScores(self.name, scores, self.places)

    def check_length(self, length: int) -> None:
        """Raise `InvalidProblem` when a dense array is for sentences of another length."""
        self.scores.check_length(length)

    @abstractmethod
    def arc_sets(self, arcs: Arcs) -> IntArray:
        """List the sets of arcs, int64 (parts, width)."""

    @abstractmethod
    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Return the word positions of the given sets of arcs for each place, int64 (parts,) each."""

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets of arcs that score, int64 (parts, width)."""
        arcs = as_arcs(decisions, self.name)
        self.check_length(arcs.length)
        return self.arc_sets(arcs)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look up the scores."""
        return self.scores.lookup(*self.positions(scopes, as_arcs(decisions, self.name)))

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the scorer's ``upper_bound``; the scores if it has none."""
        return self.scores.bound(*self.positions(scopes, as_arcs(decisions, self.name)))

    @property
    def bounded(self) -> bool:
        """Whether the scorer has a method ``upper_bound``."""
        return self.scores.bounded

    def tabulated(self, decisions: Decisions) -> Self:
        """Return the factor as JSON can hold it: a table of this sentence's parts replaces a callable."""
        arcs = as_arcs(decisions, self.name)
        positions = self.positions(self.scopes(decisions), arcs)
        return type(self).from_fields({**self.to_fields(), "scores": self.scores.tabulated(*positions)})

    def to_fields(self) -> dict[str, Any]:
        """Return the constructor's arguments, for JSON."""
        return {"scores": self.scores.given}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Build the factor from `to_fields`."""
        return cls(**fields)
