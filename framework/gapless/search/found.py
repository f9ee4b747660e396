"""Structures that a search found, scored and checked by the problem itself."""

from __future__ import annotations

from typing import Any, TypeVar

from gapless.core.errors import InconsistentBound
from gapless.core.factors.blame import call_problem
from gapless.core.problem import Problem
from gapless.core.tolerance import margin
from gapless.search.layout import Layout

S = TypeVar("S")

ROUNDED = 1e-10
"""Loss of sums in float64, relative to the largest score."""


def check_found(problem: Problem[S], structure: S) -> None:
    """Refuse what a maximiser in Python found, where the problem does.

    Raises `InconsistentBound`; the message has what is wrong.
    """
    broken = call_problem(problem, problem.violations, structure)
    if broken:
        raise InconsistentBound(
            f"the maximiser found {structure!r:.200}, which violations() of the {type(problem).__name__} refuses: "
            f"{broken[0]}"
        )


def bound_with_rounding(layout: Layout[Any], exact: float, bound: float, value: float) -> float:
    """The bound, raised by the rounding seen in the value of the structure, which may be in the bound as well.

    Raises `InconsistentBound`: the search scored its structure otherwise than the problem does, by more than
    rounding explains.
    """
    noise = abs(exact - value)
    if noise <= margin(exact):
        return bound
    if not noise <= ROUNDED * layout.largest():
        raise InconsistentBound(
            f"the search scores its structure {value!r}, the problem {exact!r}; value() and backbone() of the "
            f"{type(layout.problem).__name__} differ, or value() leaves factor_value() out"
        )
    return max(bound, exact) + noise
