"""Checks of a run's answers: certificates hold, and values agree with the proved optimum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gapless as gl
from gapless.arrays.tolerance import meets


def refused_certificates(answers: Iterable[tuple[str, gl.Result[Any], gl.Problem[Any]]]) -> list[str]:
    """Verify the certificate of each answer; describe those that do not hold.

    Parameters
    ----------
    answers : iterable of (str, Result, Problem)
        The name for the message, the answer, and its problem.
    """
    verdicts = ((name, result.verify(problem)) for name, result, problem in answers)
    return [f"{name}: {verdict.location}: {verdict.reason}" for name, verdict in verdicts if not verdict]


def contradicted_optimum(name: str, result: gl.Result[Any], problem: gl.Problem[Any], optimum: float) -> str | None:
    """Describe a value better than the proved optimum, or a second proved optimum; None if there is neither."""
    sign = problem.sense.sign
    proved = result.status is gl.Status.OPTIMAL
    if meets(sign * result.value, sign * optimum) and (not proved or meets(sign * optimum, sign * result.value)):
        return None
    return f"{name} {'proved' if proved else 'found'} {result.value!r}, the proved optimum is {optimum!r}"
