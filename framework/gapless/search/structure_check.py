"""Checks of a search's structure against the problem itself."""

from __future__ import annotations

from typing import Any, TypeVar

from gapless.arrays.tolerance import score_tolerance
from gapless.errors import InconsistentBound
from gapless.factors.error_notes import call_problem
from gapless.problems.problem import Problem
from gapless.search.layout import SearchInput

S = TypeVar("S")

ROUNDED = 1e-10
"""Largest rounding error of a sum in float64, relative to the largest score."""


def check_structure(problem: Problem[S], structure: S) -> None:
    """Raise `InconsistentBound` if the problem calls a structure infeasible that a maximiser in Python returned."""
    violations = call_problem(problem, problem.violations, structure)
    if violations:
        raise InconsistentBound(
            f"the maximiser found {structure!r:.200}, which violations() of the {type(problem).__name__} refuses: "
            f"{violations[0]}"
        )


def bound_with_rounding_error(layout: SearchInput[Any], exact: float, bound: float, value: float) -> float:
    """Raise a bound by the rounding error of the incumbent's value.

    Raises `InconsistentBound`: search and problem score the incumbent differently, by more than rounding explains.
    """
    # The bound is a sum of the same scores, so it may contain the same error.
    noise = abs(exact - value)
    if noise <= score_tolerance(exact):
        return bound
    # "not <=" instead of ">": NaN must be refused, too.
    if not noise <= ROUNDED * layout.largest():
        raise InconsistentBound(
            f"the search scores its structure {value!r}, the problem {exact!r}; value() and backbone() of the "
            f"{type(layout.problem).__name__} differ, or value() leaves factor_value() out"
        )
    return max(bound, exact) + noise
