"""The *backbone* of a problem: everything but its factors, as decision weights and a maximiser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

import attrs

from gapless.arrays.sparse import FloatArray, float_array
from gapless.decisions.decisions import Fixings
from gapless.oracles.maximiser import Maximiser

S = TypeVar("S")


class Evidence(Protocol):
    """The interface of a `Certificate` that problems use; importing the class here would be circular."""

    def verify(self, problem: Any, fixings: Fixings | None = None) -> Any:
        """Recompute the bound from the problem's data."""


@attrs.frozen(eq=False)
class Backbone(Generic[S]):
    """A problem without its factors.

    A structure's score is ``constant + weights[on].sum()`` plus the maximiser's internal score; larger is better,
    also if the problem minimises.

    Parameters
    ----------
    maximiser : Maximiser
        Over the decisions of the problem.
    weights : float64 (decisions,)
        Finite, or -inf if a decision cannot be on.
    constant : float
    initial_structure : callable, optional
        Return a first incumbent, or None if that is not cheap; factors may forbid it.
    infeasibility_certificate : callable, optional
        Return a certificate that there is no structure. The search calls it if `Problem.infeasibility` gives
        reasons that no multipliers of factors prove at once.
    enumeration_certificate : Certificate, optional
        For fixings that leave few structures, if the problem can list them faster than `EnumeratedChoices`, which
        scores every choice of decisions.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> backbone = problem.backbone()
    >>> type(backbone.maximiser).__name__, backbone.weights
    ('ViterbiMaximiser', array([1., 0., 0., 2.]))
    """

    maximiser: Maximiser[S]
    weights: FloatArray = attrs.field(converter=float_array)
    constant: float = 0.0
    initial_structure: Callable[[], S | None] | None = None
    infeasibility_certificate: Callable[[], Evidence] | None = None
    enumeration_certificate: Evidence | None = None
