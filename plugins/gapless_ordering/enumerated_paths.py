"""The certificate of a node of which little is left: all its paths."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.roles import BoundCertificate, Fixings, charge_work, serialisable
from gapless_ordering.path_problem import PathProblem

MOST = 1 << 18
"""Candidates for paths of one length; more are refused, so that no certificate makes its checker work for hours."""


@serialisable("gapless_ordering.EnumeratedPaths")
@attrs.frozen
class EnumeratedPaths(BoundCertificate):
    """The fixings leave so few paths that a checker goes through all of them.

    There is nothing to hold: the bound is the score of the best path along edges that the fixings leave. Of the
    choices of edges that `EnumeratedChoices` would score one by one, few are paths.
    """

    kind: ClassVar[str] = "enumerated paths"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Score of the best path of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Not an ordering problem, or too many paths are left.
        """
        if not isinstance(problem, PathProblem):
            raise InvalidProblem(f"enumerated paths speak of an OrderingProblem, not of a {type(problem).__name__}")
        from gapless.testing import SpaceTooLarge  # noqa: PLC0415  the testing kit, needed if fixings leave little
        from gapless_ordering.enumeration import all_paths  # noqa: PLC0415

        # Charged before the enumeration, whose size is not known beforehand.
        charge_work(float(MOST), 20 * problem.length)
        try:
            paths, scores = all_paths(problem.restricted(fixings), limit=MOST)
        except SpaceTooLarge as error:
            raise InvalidProblem(f"too many paths are left to enumerate: {error}") from error
        best = -math.inf
        for path, score in zip(paths, scores.tolist(), strict=True):
            charge_work(problem.decisions.count, 20)
            if np.isin(fixings.on, problem.encode(path)).all():
                best = max(best, score + problem.factor_value(path) if problem.factors else score)
        return best
