"""The *Problem* role: decisions, value of a structure, and violations of a bad one."""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.factors.blame import call_problem
from gapless.core.results.names import Names
from gapless.core.results.notebook import html_repr
from gapless.core.sparse import FloatArray, IntArray

if TYPE_CHECKING:
    from gapless.core.backbone import Backbone
    from gapless.core.factor import ConfigurationFactor, Factor
    from gapless.core.factors.factor_set import FactorSet
    from gapless.core.model import LinearModel
    from gapless.core.proofs.checked_bounds import CheckedBounds

S = TypeVar("S")


class Sense(enum.Enum):
    """Direction of optimisation: larger or smaller values are better.

    Examples
    --------
    >>> from gapless.roles import Sense
    >>> Sense.MINIMISE.turn(3.0), Sense.MAXIMISE.turn(3.0)
    (-3.0, 3.0)
    """

    MAXIMISE = "maximise"
    MINIMISE = "minimise"

    @property
    def sign(self) -> int:
        """``sign * value`` is the score, which gapless always maximises internally."""
        return 1 if self is Sense.MAXIMISE else -1

    @property
    def verb(self) -> str:
        """Verb for a value in a sentence: ``"score"`` or ``"cost"``."""
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

    A problem knows no algorithm. `gapless.testing.check_problem` checks its duties.

    Attributes
    ----------
    sense : Sense
        Maximisation unless a subclass overrides it.
    granularity : float or None
        A number that divides every feasible value; bounds are rounded to its multiples.
    factors : sequence
        Scores of sets of decisions beyond the `backbone`. Larger is better, also where the problem minimises: a
        value is then the cost less what the factors score.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> isinstance(problem, gl.Problem)
    True
    >>> problem.value([0, 1]), problem.value([1, 1])
    (0.0, 2.0)
    >>> problem.encode([1, 1])
    array([1, 3])
    """

    sense: ClassVar[Sense] = Sense.MAXIMISE
    granularity: float | None = None
    factors: Sequence[Any] = ()
    _repr_html_ = html_repr

    @property
    @abstractmethod
    def decisions(self) -> Decisions:
        """The named 0/1 decisions. Build them once."""

    @abstractmethod
    def value(self, structure: S) -> float:
        """Value of `structure`, computed from the scores alone, in float64."""

    @abstractmethod
    def violations(self, structure: S) -> Sequence[str]:
        """Readable sentences, one per broken rule; empty exactly when `structure` is feasible."""

    @abstractmethod
    def encode(self, structure: S) -> IntArray:
        """Ids of the decisions that a feasible `structure` turns on, ascending."""

    @abstractmethod
    def decode(self, on_ids: IntArray) -> S:
        """The inverse of `encode`. Infeasible ids may be repaired, or give a structure with violations."""

    def named(self, structure: S, words: Sequence[str] = ()) -> Names:
        """A structure in names, for people; by default the names of the decisions that it turns on.

        Parameters
        ----------
        words : sequence of str
            Those of a `Record`: the words of the sentence, the mentions of the text. Empty where there are none.

        Returns
        -------
        tuple of str, or of tuples of str that belong together
            Such as ``("DET", "NOUN")``, or ``(("the", "DET"), ("dog", "NOUN"))``.
        """
        del words
        return tuple([self.decisions.name(int(decision)) for decision in self.encode(structure)])

    def infeasibility(self) -> Sequence[str]:
        """Reasons why nothing is feasible, where they can be seen without solving."""
        return ()

    @property
    def factor_set(self) -> FactorSet:
        """The `factors` over `decisions`; empty without them."""
        return self._kept_factors("_factor_set", tuple(self.factors))

    @property
    def structural_factors(self) -> Sequence[Factor | ConfigurationFactor]:
        """Scores and rules of the problem's own that its `backbone` leaves out, as factors; none by default.

        `value` and `violations` know them anyway.
        """
        return ()

    @property
    def search_factors(self) -> FactorSet:
        """All that scores beyond the `backbone`: `factors`, then `structural_factors`."""
        return self._kept_factors("_search_factors", (*self.factors, *self.structural_factors))

    def _kept_factors(self, name: str, given: tuple[Any, ...]) -> FactorSet:
        """The factors over the decisions, made once for the same factors."""
        from gapless.core.factors.factor_set import FactorSet  # noqa: PLC0415  most problems have no factors

        kept: tuple[Any, FactorSet] | None = self.__dict__.get(name)
        if (
            kept is None
            or len(kept[0]) != len(given)
            or any(a is not b for a, b in zip(kept[0], given, strict=True))
        ):
            self.__dict__[name] = kept = given, FactorSet(given, self.decisions, self.granularity)
        return kept[1]

    def factor_value(self, structure: S) -> float:
        """The part of a structure's value that the `factors` make up, in the problem's own sense."""
        if not len(self.factors):
            return 0.0
        return self.sense.turn(self.factor_set.value(call_problem(self, self.encode, structure)))

    def factor_violations(self, structure: S) -> list[str]:
        """A sentence for each of the `factors` that forbids a structure, for `violations` to add."""
        if not len(self.factors):
            return []
        return self.factor_set.violations(call_problem(self, self.encode, structure))

    def backbone(self) -> Backbone[S]:
        """The problem without its `factors`: what the search needs, beside them, to solve it."""
        raise NotImplementedError(f"{type(self).__name__} names no backbone; override backbone()")

    def checked_backbone(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds | None:
        """Bounds on the `backbone` under other weights, for verifiers; see `Maximiser.checked_bounds`."""
        return self.backbone().maximiser.checked_bounds(weights, fixings)

    def linear_model(self) -> LinearModel:
        """The whole problem as one mixed-integer model, for export and as an independent check."""
        raise NotImplementedError(f"{type(self).__name__} offers no linear model; override linear_model()")


def score_of(problem: Problem[S], structure: S) -> float:
    """The value, turned so that larger is better. Not a method: a problem may have a field `score`."""
    return problem.sense.sign * call_problem(problem, problem.value, structure)


def check_start(problem: Problem[S], structures: Iterable[S]) -> None:
    """Refuse structures to begin with that are infeasible.

    Raises `InvalidProblem`: the message says the first rule that is broken.
    """
    for structure in structures:
        broken = list(call_problem(problem, problem.violations, structure))
        if broken:
            raise InvalidProblem(f"start: the structure is infeasible: {broken[0]}")
