"""The *Brancher* role: children of a node, made of original decisions only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import score_tolerance
from gapless.certificates.certificate import PointCertificate
from gapless.decisions.branch import Branch
from gapless.decisions.decisions import Fixings
from gapless.errors import InconsistentBound, UncoveredBranching
from gapless.problems.problem import Problem
from gapless.tree_search.relaxation import RelaxationResult

S = TypeVar("S")


class Brancher(ABC, Generic[S]):
    """A rule that splits a node into children that cover it and exclude its point.

    Examples
    --------
    >>> from gapless.roles import Brancher, MostFractional
    >>> issubclass(MostFractional, Brancher)
    True
    """

    @abstractmethod
    def split(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> Sequence[Branch]:
        """Return children whose union is the parent; none if no decision is free."""


class MostFractional(Brancher[Any]):
    """Branching on the free decision whose value at the point is nearest to one half.

    Parameters
    ----------
    on_first : bool
        Whether the child that turns the decision on comes first; depth-first search enters the first child first.

    Examples
    --------
    >>> from gapless.roles import Brancher, MostFractional
    >>> isinstance(MostFractional(on_first=False), Brancher)
    True
    """

    def __init__(self, *, on_first: bool = True) -> None:
        self.on_first = on_first

    def split(self, fixings: Fixings, relaxed: RelaxationResult[Any]) -> Sequence[Branch]:
        """Return two children, decision on and decision off."""
        free = fixings.free
        if not free.size:
            return ()
        # Without a point any free decision is a valid split; an integral point still needs one if it is no
        # structure.
        nearest = 0 if relaxed.point is None else np.argmin(np.abs(relaxed.point[free] - 0.5))
        decision = int(free[nearest])
        children = Branch(on=(decision,), why=f"{decision} on"), Branch(off=(decision,), why=f"{decision} off")
        return children if self.on_first else children[::-1]


def only_structure(
    problem: Problem[Any], brancher: Brancher[Any], fixings: Fixings, bound: float, location: str, claim: str
) -> tuple[float, IntArray | None]:
    """Return score and decisions of the only structure of a node without children, -inf and None if it has none.

    Raises `UncoveredBranching`: more than one structure may be left. `InconsistentBound`: the structure exceeds the
    bound, of which `claim` is the beginning of a sentence.
    """
    verdict = PointCertificate().verify(problem, fixings)
    if not verdict:
        raise UncoveredBranching(
            f"{type(brancher).__name__} gave no children for {location}, which is still open: {verdict.reason}"
        )
    if verdict.bound > bound + score_tolerance(bound):
        raise InconsistentBound(
            f"{claim} {problem.sense.turn(bound):.12g}, but the only structure left there {problem.sense.verb}s "
            f"{verdict.value_bound:.12g}"
        )
    implied = fixings.implied(problem.decisions)
    if verdict.bound == -math.inf or implied is None:
        return -math.inf, None
    return verdict.bound, implied.on
