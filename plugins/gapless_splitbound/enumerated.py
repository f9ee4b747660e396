"""The certificate of a node of which little is left: all its trees."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs

from gapless import InvalidProblem, Problem
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency import ParsingProblem
from gapless_splitbound.forbidden_configurations import ForbiddenConfigurations  # noqa: F401  read from old files
from gapless_splitbound.proofs.completions import best_completion


@serialisable("gapless_splitbound.EnumeratedTrees")
@attrs.frozen
class EnumeratedTrees(BoundCertificate):
    """The fixings leave so few choices of heads that a checker goes through all of them.

    There is nothing to hold: the bound is the score of the best tree that the fixings leave, found by scoring every
    choice of heads, without a search and without any code of the solver.

    Examples
    --------
    >>> from gapless.roles import Certificate
    >>> from gapless_splitbound import EnumeratedTrees
    >>> issubclass(EnumeratedTrees, Certificate)
    True
    """

    kind: ClassVar[str] = "enumerated trees"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Score of the best tree of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Not a parsing problem, or too many choices are left.
        """
        if not isinstance(problem, ParsingProblem):
            raise InvalidProblem(f"enumerated trees speak of a ParsingProblem, not of a {type(problem).__name__}")
        implied = fixings.implied(problem.decisions)
        return -math.inf if implied is None else best_completion(problem, implied)
