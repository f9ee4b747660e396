"""The certificate of a node that is closed by scoring all of its trees."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs

from gapless import Problem
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency.proofs.backbones import parsing_problem
from gapless_splitbound.proofs.exhaustive_trees import best_completion


@serialisable("gapless_splitbound.EnumeratedTrees")
@attrs.frozen
class EnumeratedTrees(BoundCertificate):
    """Proof by enumeration: the fixings leave so few choices of heads that the verifier scores all of them.

    It stores no data; the bound is the score of the best tree that agrees with the fixings, found by scoring every
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
        """Return the score of the best tree of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Not a parsing problem, or too many choices remain.
        """
        trees = parsing_problem(problem, "enumerated trees")
        implied = fixings.implied(trees.decisions)
        return -math.inf if implied is None else best_completion(trees, implied)
