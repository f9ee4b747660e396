"""The flow formulation of the paper: the monolithic model, for export and as an independent judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gapless import LinearModel

if TYPE_CHECKING:
    from gapless_ordering.problem import OrderingProblem


def integer_program(problem: OrderingProblem) -> LinearModel:
    """Section 4 of the paper."""
    raise NotImplementedError
