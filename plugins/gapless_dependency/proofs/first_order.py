"""The certificate of sums over arcs: nothing is stored, the bound follows from the scores."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs

from gapless import InvalidProblem, Problem
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.proofs.cut_set_duals import arborescence_bounds
from gapless_dependency.proofs.spans import bounds_through_arcs


@serialisable("gapless_dependency.FirstOrderCertificate")
@attrs.frozen
class FirstOrderCertificate(BoundCertificate):
    """The best tree of a problem without factors.

    Projective trees are bounded by Eisner's recursion in NumPy; others by prices of sets that every tree enters,
    checked by weak duality. No kernel is used.
    """

    kind: ClassVar[str] = "arcs only"

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound all trees that agree with the fixings. Raises `InvalidProblem` if there are factors."""
        # A factor of positive scores could lift a tree above this bound.
        if not isinstance(problem, ParsingProblem) or problem.factors:
            raise InvalidProblem(f"this evidence is for a ParsingProblem without factors, got {problem!r}")
        arcs = problem.decisions
        implied = fixings.implied(arcs)
        if implied is None:
            return -math.inf
        weights = problem.scores.copy()
        weights[arcs.heads[implied.off], arcs.modifiers[implied.off]] = -math.inf
        bounds = bounds_through_arcs if problem.projective else arborescence_bounds
        return bounds(weights, problem.single_root, through=False)[0]
