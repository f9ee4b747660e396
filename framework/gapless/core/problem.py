"""The role *Problem*: what is decided, what it is worth, and what is wrong with a bad answer."""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import IntArray

if TYPE_CHECKING:
    from gapless.core.model import LinearModel

S = TypeVar("S")


class Sense(enum.Enum):
    """Whether larger or smaller values are better."""

    MAXIMISE = "maximise"
    MINIMISE = "minimise"

    @property
    def sign(self) -> int:
        """``sign * value`` is the score, which the inside of gapless always maximises."""
        return 1 if self is Sense.MAXIMISE else -1

    @property
    def verb(self) -> str:
        """``"score"`` or ``"cost"``: how a sentence states a value."""
        return "score" if self is Sense.MAXIMISE else "cost"

    def turn(self, number: float) -> float:
        """A score as a value in this sense, or a value as a score; never -0.0."""
        return self.sign * number + 0.0

    def beyond(self, bound: float) -> str:
        """A bound on scores as a sentence about values: ``"nothing costs less than 154"``."""
        if bound == -math.inf:
            return "nothing is feasible"
        return f"nothing {self.verb}s {'more' if self is Sense.MAXIMISE else 'less'} than {self.turn(bound):.12g}"


class Problem(ABC, Generic[S]):
    """A scoring model over structures of type `S`.

    A problem knows no algorithm. What it owes is checked by `gapless.testing.check_problem`.

    Attributes
    ----------
    sense : Sense
        Values are maximised unless a subclass says otherwise.
    granularity : float or None
        If every feasible value is an integer multiple of this number, bounds are rounded to it.
    """

    sense: ClassVar[Sense] = Sense.MAXIMISE
    granularity: float | None = None

    @property
    @abstractmethod
    def decisions(self) -> Decisions:
        """The named 0/1 decisions. Build it once."""

    @abstractmethod
    def value(self, structure: S) -> float:
        """What `structure` is worth, computed from the scores alone, in float64."""

    @abstractmethod
    def violations(self, structure: S) -> Sequence[str]:
        """Readable sentences, one per broken rule; empty exactly when `structure` is feasible."""

    @abstractmethod
    def encode(self, structure: S) -> IntArray:
        """Ids of the decisions that a feasible `structure` turns on, ascending."""

    @abstractmethod
    def decode(self, on_ids: IntArray) -> S:
        """The inverse of `encode`. Ids of no feasible structure may be mended, or give one with violations."""

    def infeasibility(self) -> Sequence[str]:
        """Sentences that explain why nothing is feasible, where that can be seen without solving."""
        return ()

    def linear_model(self) -> LinearModel:
        """The whole problem as one mixed-integer model, for export and as an independent judge."""
        raise NotImplementedError(f"{type(self).__name__} offers no linear model; override linear_model()")


def score_of(problem: Problem[S], structure: S) -> float:
    """The value turned so that larger is better. No method: a problem may well have a field `score` of its own."""
    return problem.sense.sign * problem.value(structure)


def check_start(problem: Problem[S], structures: Iterable[S]) -> None:
    """Refuse structures to begin with that are infeasible.

    Raises
    ------
    InvalidProblem
        The message says the first rule that is broken.
    """
    for structure in structures:
        broken = list(problem.violations(structure))
        if broken:
            raise InvalidProblem(f"start: the structure is infeasible: {broken[0]}")
