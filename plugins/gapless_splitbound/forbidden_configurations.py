"""The certificate of a node that a configuration factor forbids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem, Verdict
from gapless.core.certificate import UNREADABLE
from gapless.core.configuration_bound import allows_configuration
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency import ParsingProblem


@serialisable("gapless_splitbound.ForbiddenConfigurations")
@attrs.frozen
class ForbiddenConfigurations(BoundCertificate):
    """Some factor scores -inf whatever the arcs are that the fixings leave open.

    There is nothing to hold: the checker asks every factor that is no conjunction. The bound is -inf when one of
    them allows nothing, else infinite.

    Examples
    --------
    >>> from gapless.roles import Certificate
    >>> from gapless_splitbound import ForbiddenConfigurations
    >>> issubclass(ForbiddenConfigurations, Certificate)
    True
    """

    kind: ClassVar[str] = "forbidden configurations"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Minus infinity or infinity.

        Raises
        ------
        InvalidProblem
            Not a parsing problem.
        """
        return _bound(_parsing(problem), fixings, None)

    def verify_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int]
    ) -> Verdict:
        """As `upper_bound` for one flip after the other; factors that look at the arc are asked first."""
        bound = -math.inf
        try:
            for on_too, off_too in (*(((d,), ()) for d in off), *(((), (d,)) for d in on)):
                other = fixings.fix(on_too, off_too)
                if other is not None:
                    bound = max(bound, _bound(_parsing(problem), other, (*on_too, *off_too)[0]))
        except UNREADABLE as error:
            return Verdict(False, f"the evidence does not fit the problem: {error}", f"certificate ({self.kind})")
        return Verdict(True, "", "", bound)


def _parsing(problem: Problem[Any]) -> ParsingProblem:
    if not isinstance(problem, ParsingProblem):
        raise InvalidProblem(
            f"forbidden configurations speak of a ParsingProblem, not of a {type(problem).__name__}"
        )
    return problem


def _bound(problem: ParsingProblem, fixings: Fixings, first: int | None) -> float:
    implied = fixings.implied(problem.decisions)
    if implied is None:
        return -math.inf
    for factor, scope in sorted(problem.configurations, key=lambda pair: not np.any(pair[1] == first)):
        if not allows_configuration(factor, problem.decisions, implied.state[scope]):
            return -math.inf
    return math.inf
