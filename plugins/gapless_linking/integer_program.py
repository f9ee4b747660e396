"""The problem as one integer program."""

from __future__ import annotations

from typing import Any

from gapless import LinearModel


def integer_program(problem: Any) -> LinearModel:
    """Not there yet."""
    raise NotImplementedError
