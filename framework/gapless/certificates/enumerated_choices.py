"""Certificate of a search node with few remaining choices: the verifier enumerates them."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

import attrs
import numpy as np

from gapless.arrays.serial import serialisable
from gapless.certificates.certificate import BoundCertificate
from gapless.certificates.trusted_maximiser import remaining_choices, structure_with
from gapless.decisions.decisions import OFF, Fixings
from gapless.errors import InvalidProblem
from gapless.limits.work import charge_work
from gapless.problems.problem import Problem, score_of

S = TypeVar("S")
MOST = 1 << 12
"""Limit on the number of assignments, so that a forged certificate cannot keep the verifier busy for hours."""


def possible_under(problem: Problem[Any], fixings: Fixings) -> Fixings | None:
    """Return `fixings` with their implications, decisions of weight -inf off; None if they are contradictory."""
    try:
        weights = problem.backbone().weights
    except NotImplementedError:  # enumeration needs no backbone, and not every problem names one
        return fixings.implied(problem.decisions)
    forbidden = np.flatnonzero((weights == -np.inf) & (fixings.state != OFF))
    possible = fixings.fix(off=forbidden) if forbidden.size else fixings
    return None if possible is None else possible.implied(problem.decisions)


@serialisable("gapless.EnumeratedChoices")
@attrs.frozen
class EnumeratedChoices(BoundCertificate):
    """Certificate for fixings that leave so few choices that the verifier enumerates all of them.

    It stores no data; the bound is the best score among the structures that agree with the fixings, by
    `Problem.decode`, `Problem.violations` and `Problem.value`.
    """

    kind: ClassVar[str] = "enumerated choices"
    factors: ClassVar[bool] = True
    most: ClassVar[int] = MOST

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Return the best score of a structure that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            More than `most` choices remain.
        """
        implied = possible_under(problem, fixings)
        if implied is None:
            return -math.inf
        assignments = remaining_choices(problem.decisions, implied, MOST)
        if assignments is None:
            raise InvalidProblem(f"more than {MOST} choices are left, too many to enumerate")
        best = -math.inf
        for on_ids in assignments:
            # Decoding and scoring read every decision; 50 calls are about what a problem type makes (decision 028).
            charge_work(problem.decisions.count, 50)
            structure = structure_with(problem, on_ids)
            if structure is not None:
                best = max(best, score_of(problem, structure))
        return best
