"""The *backbone* of a problem: all but its factors, as weights of decisions and a maximiser over all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import attrs

from gapless.core.certificate import Certificate
from gapless.core.oracle import Maximiser
from gapless.core.sparse import FloatArray, float_array

S = TypeVar("S")


@attrs.frozen(eq=False)
class Backbone(Generic[S]):
    """A problem without its factors.

    A structure's score is ``constant + weights[on].sum() + own``, where `own` is the maximiser's; larger is better,
    also where the problem minimises.

    Parameters
    ----------
    maximiser : Maximiser
        Over the decisions of the problem.
    weights : float64 (decisions,)
        Finite, or -inf where a decision cannot be on.
    constant : float
    guess : callable, optional
        Makes a structure to begin with, or None, where that is cheap; factors may forbid it.
    nothing : callable, optional
        Makes evidence that there is no structure. It is called where `Problem.infeasibility` says so and no
        multipliers of factors show it at once.
    enumerated : Certificate, optional
        For fixings that leave few structures, where the problem can list them faster than `EnumeratedChoices`,
        which scores every choice of decisions.

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
    guess: Callable[[], S | None] | None = None
    nothing: Callable[[], Certificate] | None = None
    enumerated: Certificate | None = None
