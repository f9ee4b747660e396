"""Calls into the code of a problem: what it raises becomes an `OracleError` that names the method."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from gapless.core.errors import GaplessError, OracleError
from gapless.core.factors.blame import blamed_factor

P = ParamSpec("P")
T = TypeVar("T")


def call_problem(problem: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``call(*args)``, a method of the problem.

    Errors of gapless pass, since they are about the input, as for a `start` of another shape. So do those of a
    factor's code, which have a note with its name.

    Raises
    ------
    OracleError
        The method raised anything else.
    """
    try:
        return call(*args, **kwargs)
    except GaplessError:
        raise
    except Exception as error:
        if blamed_factor(error):
            raise
        name = f"{type(problem).__name__}.{getattr(call, '__name__', 'call')}"
        raise OracleError(f"{name} raised {type(error).__name__}: {error}") from error
