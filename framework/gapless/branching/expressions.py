"""Branching on sums of decisions: the number of vehicles, the arcs that leave a set of places."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gapless.branching.candidates import Candidate, CandidateBrancher, Fractional
from gapless.core.branch import Branch
from gapless.core.branch_row import BranchRow
from gapless.core.decisions import Fixings
from gapless.core.relaxation import Relaxed
from gapless.core.tolerance import INTEGRAL


class Sum:
    """A sum of decisions with whole coefficients, for `Expressions`.

    Parameters
    ----------
    decisions : iterable of int
        Each at most once; of a quantity with several decisions, all.
    name : str
        For people, such as ``"vehicles"``.
    coefficients : iterable of int, optional
        At least 1 each; by default 1.
    """

    def __init__(self, decisions: Iterable[int], name: str = "", coefficients: Iterable[int] | None = None) -> None:
        given = {} if coefficients is None else {"coefficients": tuple(coefficients)}
        self._row = BranchRow(tuple(decisions), name=name, **given)

    def at_most(self, limit: int) -> BranchRow:
        """The row that keeps the sum at `limit` or below."""
        row = self._row
        return BranchRow(row.decisions, None, limit, row.coefficients, row.name)

    def at_least(self, limit: int) -> BranchRow:
        """The row that keeps the sum at `limit` or above."""
        row = self._row
        return BranchRow(row.decisions, limit, None, row.coefficients, row.name)

    def at(self, point: Any) -> float:
        """Its value at a point, float64 (decisions,)."""
        return self._row.at(point)


class Expressions(CandidateBrancher[Any]):
    """Each sum with a fractional value, at most its floor or at least its ceiling; then another brancher.

    Sums come first, because they move the bound while most decisions stay free. Only linear masters heed them.

    Parameters
    ----------
    sums : sequence of Sum
    then : CandidateBrancher, optional
        Asked where all sums are whole; `Fractional` by default.
    """

    def __init__(self, sums: Sequence[Sum], then: CandidateBrancher[Any] | None = None) -> None:
        self.sums, self.then = tuple(sums), then or Fractional()

    def candidates(self, fixings: Fixings, relaxed: Relaxed[Any]) -> Sequence[Candidate]:
        """Of the sums, or, where those are whole, of the other brancher."""
        found = []
        for number, one in enumerate(self.sums if relaxed.point is not None else ()):
            value = one.at(relaxed.point)
            below = math.floor(value)
            if min(value - below, below + 1 - value) > INTEGRAL:
                branches = Branch(rows=(one.at_least(below + 1),)), Branch(rows=(one.at_most(below),))
                found.append(Candidate(("sum", number), branches, (below + 1 - value, value - below)))
        return found or self.then.candidates(fixings, relaxed)

    def last_resort(self, fixings: Fixings, relaxed: Relaxed[Any]) -> Sequence[Branch]:
        """The other brancher's."""
        return self.then.last_resort(fixings, relaxed)
