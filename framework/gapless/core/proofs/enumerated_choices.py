"""The certificate of a node of which little is left: all its structures."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

import attrs
import numpy as np

from gapless.core.certificate import BoundCertificate
from gapless.core.decisions import OFF, Fixings
from gapless.core.errors import GaplessError, InvalidProblem
from gapless.core.problem import Problem, score_of
from gapless.core.proofs.taken_on_trust import choices_left
from gapless.core.serial import serialisable
from gapless.core.sparse import IntArray
from gapless.core.work import spend_work

S = TypeVar("S")
MOST = 1 << 12
"""More choices are refused: a certificate must not make its checker work for hours."""


def possible_under(problem: Problem[Any], fixings: Fixings) -> Fixings | None:
    """`fixings` with what they imply; what the backbone weighs -inf is off. None where nothing is left."""
    try:
        weights = problem.backbone().weights
    except NotImplementedError:  # not every problem that is enumerated names a backbone
        return fixings.implied(problem.decisions)
    barred = np.flatnonzero((weights == -np.inf) & (fixings.state != OFF))
    possible = fixings.fix(off=barred) if barred.size else fixings
    return None if possible is None else possible.implied(problem.decisions)


@serialisable("gapless.EnumeratedChoices")
@attrs.frozen
class EnumeratedChoices(BoundCertificate):
    """The fixings leave so few choices that a checker goes through all of them.

    There is nothing to hold: the bound is the score of the best structure that the fixings leave, by
    `Problem.decode`, `Problem.violations` and `Problem.value`, without a search.
    """

    kind: ClassVar[str] = "enumerated choices"
    factors: ClassVar[bool] = True
    most: ClassVar[int] = MOST

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Score of the best structure of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Too many choices are left.
        """
        implied = possible_under(problem, fixings)
        if implied is None:
            return -math.inf
        listed = choices_left(problem.decisions, implied, MOST)
        if listed is None:
            raise InvalidProblem(f"more than {MOST} choices are left, too many to enumerate")
        best = -math.inf
        for on_ids in listed:
            spend_work(problem.decisions.count, 50)
            structure = self.structure(problem, on_ids)
            if structure is not None:
                best = max(best, score_of(problem, structure))
        return best

    @staticmethod
    def structure(problem: Problem[S], on_ids: IntArray) -> S | None:
        """The feasible structure that turns on exactly these decisions; None where there is none."""
        try:
            structure = problem.decode(on_ids)
        except (GaplessError, ValueError, TypeError, LookupError):
            return None
        broken = problem.violations(structure)
        return structure if not broken and np.array_equal(np.sort(problem.encode(structure)), on_ids) else None
