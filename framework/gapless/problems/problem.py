"""The *Problem* role: decisions, the value of a structure, and the violations of an infeasible one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.decisions.decisions import Decisions, Fixings
from gapless.errors import InvalidProblem
from gapless.factors.error_notes import call_problem
from gapless.notebook import html_repr
from gapless.problems.names import Names
from gapless.sense import Sense

if TYPE_CHECKING:
    from gapless.decisions.linear_model import LinearModel
    from gapless.factors.factor import ConfigurationFactor, Factor
    from gapless.factors.factor_set import FactorSet
    from gapless.oracles.verifier_bounds import CheckedBounds
    from gapless.problems.backbone import Backbone

S = TypeVar("S")


class Problem(ABC, Generic[S]):
    """A scoring model over structures of type `S`.

    A problem contains no algorithm. `gapless.testing.check_problem` checks its contract.

    Attributes
    ----------
    sense : Sense
        Maximisation unless a subclass overrides it.
    granularity : float or None
        A number that divides every feasible value; bounds are rounded to its multiples.
    factors : sequence
        Scores of sets of decisions beyond the `backbone`. Larger is better, also if the problem minimises: its
        value is then the cost minus the score of the factors (decision 037).

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
        """Compute the value of `structure` from the scores alone, in float64."""

    @abstractmethod
    def violations(self, structure: S) -> Sequence[str]:
        """Return readable sentences, one per broken rule; empty exactly if `structure` is feasible."""

    @abstractmethod
    def encode(self, structure: S) -> IntArray:
        """Return the ids of the decisions that a feasible `structure` turns on, ascending."""

    @abstractmethod
    def decode(self, on_ids: IntArray) -> S:
        """Invert `encode`. Infeasible ids may be repaired, or give a structure with violations."""

    def describe(self, structure: S, words: Sequence[str] = ()) -> Names:
        """Describe a structure by names, by default those of the decisions that it turns on.

        Parameters
        ----------
        words : sequence of str
            Those of a `Record`: the words of the sentence, the mentions of the text. Empty if there are none.

        Returns
        -------
        tuple of str, or of tuples of str that belong together
            Such as ``("DET", "NOUN")``, or ``(("the", "DET"), ("dog", "NOUN"))``.
        """
        del words
        return tuple([self.decisions.name(int(decision)) for decision in self.encode(structure)])

    def infeasibility(self) -> Sequence[str]:
        """Return reasons why no structure is feasible, if they can be seen without solving."""
        return ()

    @property
    def factor_set(self) -> FactorSet:
        """The `factors` over `decisions`; empty without them."""
        return self._cached_factors("_factor_set", tuple(self.factors))

    @property
    def structural_factors(self) -> Sequence[Factor | ConfigurationFactor]:
        """Scores and rules of the problem itself that its `backbone` leaves out, as factors; none by default.

        `value` and `violations` count them in any case.
        """
        return ()

    @property
    def factors_beyond_backbone(self) -> FactorSet:
        """All scores beyond the `backbone`: `factors`, then `structural_factors`."""
        return self._cached_factors("_search_factors", (*self.factors, *self.structural_factors))

    def _cached_factors(self, name: str, factors: tuple[Any, ...]) -> FactorSet:
        """Return the factors over the decisions, rebuilt only if the factors changed."""
        from gapless.factors.factor_set import FactorSet  # noqa: PLC0415  most problems have no factors

        # Compared by identity, as factors need no `__eq__`. In `__dict__`, because the class may be frozen.
        cached: tuple[Any, FactorSet] | None = self.__dict__.get(name)
        if (
            cached is None
            or len(cached[0]) != len(factors)
            or any(a is not b for a, b in zip(cached[0], factors, strict=True))
        ):
            self.__dict__[name] = cached = factors, FactorSet(factors, self.decisions, self.granularity)
        return cached[1]

    def factor_value(self, structure: S) -> float:
        """Compute the part of a structure's value due to the `factors`, in the problem's own sense."""
        if not len(self.factors):
            return 0.0
        return self.sense.turn(self.factor_set.value(call_problem(self, self.encode, structure)))

    def factor_violations(self, structure: S) -> list[str]:
        """Return a sentence for each of the `factors` that forbids a structure, for `violations` to add."""
        if not len(self.factors):
            return []
        return self.factor_set.violations(call_problem(self, self.encode, structure))

    def backbone(self) -> Backbone[S]:
        """Return the problem without its `factors`; the search needs it, and the factors, to solve the problem."""
        raise NotImplementedError(f"{type(self).__name__} names no backbone; override backbone()")

    def verifier_backbone_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds | None:
        """Bound the `backbone` under other weights, for verifiers; see `Maximiser.verifier_bounds`."""
        return self.backbone().maximiser.verifier_bounds(weights, fixings)

    def linear_model(self) -> LinearModel:
        """Write the whole problem as one mixed-integer model, for export and as an independent check."""
        raise NotImplementedError(f"{type(self).__name__} offers no linear model; override linear_model()")


def score_of(problem: Problem[S], structure: S) -> float:
    """Return the value, turned so that larger is better. Not a method: a problem may have a field `score`."""
    return problem.sense.sign * call_problem(problem, problem.value, structure)


def check_start(problem: Problem[S], structures: Iterable[S]) -> None:
    """Refuse initial structures that are infeasible.

    Raises `InvalidProblem`: the message states the first rule that is broken.
    """
    for structure in structures:
        broken = list(call_problem(problem, problem.violations, structure))
        if broken:
            raise InvalidProblem(f"start: the structure is infeasible: {broken[0]}")
