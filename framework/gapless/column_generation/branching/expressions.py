"""Branching on sums of decisions: the number of vehicles, the arcs that leave a set of vertices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gapless.arrays.tolerance import INTEGRAL
from gapless.column_generation.branching.candidates import Candidate, CandidateBrancher, Fractional
from gapless.decisions.branch import Branch
from gapless.decisions.branch_row import BranchRow
from gapless.decisions.decisions import Fixings
from gapless.tree_search.relaxation import RelaxationResult


class Sum:
    """A sum of decisions with integral coefficients, for `Expressions`.

    Parameters
    ----------
    decisions : iterable of int
        Each at most once; of a quantity with several decisions, all.
    name : str
        Shown in messages and trees, such as ``"vehicles"``.
    coefficients : iterable of int, optional
        At least 1 each; by default 1.
    """

    def __init__(self, decisions: Iterable[int], name: str = "", coefficients: Iterable[int] | None = None) -> None:
        arguments = {} if coefficients is None else {"coefficients": tuple(coefficients)}
        self._row = BranchRow(tuple(decisions), name=name, **arguments)

    def at_most(self, limit: int) -> BranchRow:
        """Make the row that keeps the sum at `limit` or below."""
        row = self._row
        return BranchRow(row.decisions, None, limit, row.coefficients, row.name)

    def at_least(self, limit: int) -> BranchRow:
        """Make the row that keeps the sum at `limit` or above."""
        row = self._row
        return BranchRow(row.decisions, limit, None, row.coefficients, row.name)

    def at(self, point: Any) -> float:
        """Compute the sum at a point, float64 (decisions,)."""
        return self._row.activity(point)


class Expressions(CandidateBrancher[Any]):
    """Branching on a sum with a fractional value: at most its floor or at least its ceiling.

    Sums come first, because they move the bound while most decisions stay free. Only linear masters support them.

    Parameters
    ----------
    sums : sequence of Sum
    then : CandidateBrancher, optional
        Used at points where all sums are integral; `Fractional` by default.
    """

    def __init__(self, sums: Sequence[Sum], then: CandidateBrancher[Any] | None = None) -> None:
        self.sums, self.then = tuple(sums), then or Fractional()

    def candidates(self, fixings: Fixings, relaxed: RelaxationResult[Any]) -> Sequence[Candidate]:
        """List the fractional sums; if there are none, the candidates of the other brancher."""
        candidates = []
        for number, total in enumerate(self.sums if relaxed.point is not None else ()):
            value = total.at(relaxed.point)
            floor = math.floor(value)
            if min(value - floor, floor + 1 - value) > INTEGRAL:
                # The key is the sum, not its value: its pseudo-costs then serve all nodes, whatever the floor
                # there.
                branches = Branch(rows=(total.at_least(floor + 1),)), Branch(rows=(total.at_most(floor),))
                candidates.append(Candidate(("sum", number), branches, (floor + 1 - value, value - floor)))
        return candidates or self.then.candidates(fixings, relaxed)

    def last_resort(self, fixings: Fixings, relaxed: RelaxationResult[Any]) -> Sequence[Branch]:
        """Return the children of the other brancher."""
        return self.then.last_resort(fixings, relaxed)
