"""Errors in a user's code: those of a factor get a note, those of a problem become an `OracleError`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from gapless.errors import GaplessError, OracleError

P = ParamSpec("P")
T = TypeVar("T")


def factor_name(factor: object) -> str:
    """Return a factor's name, or its class if it has none."""
    return str(getattr(factor, "name", None) or type(factor).__name__)


class named_after:  # noqa: N801  reads as a statement; a generator would cost more than what it guards
    """Context manager that adds a note with the factor's name to errors in a user's code."""

    __slots__ = ("arguments", "call", "factor")

    def __init__(self, factor: object, call: str, arguments: str = "") -> None:
        self.factor, self.call, self.arguments = factor, call, arguments

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, GaplessError):
            return  # a message of ours names its origin
        factor, call = self.factor, self.call
        error.add_note(
            f"raised in {call}({self.arguments}) of the factor {factor_name(factor)!r} "
            f"({type(factor).__qualname__})"
        )
        with contextlib.suppress(Exception):  # a class of exceptions may take no further attributes
            setattr(
                error, _BLAME, f"factor {factor_name(factor)} raised {type(error).__name__}: {error}, in {call}()"
            )


_BLAME = "_raised_by_factor"


def blamed_factor(error: BaseException) -> str:
    """Describe the factor whose code raised an error, if it went through `named_after`; else empty."""
    return str(getattr(error, _BLAME, ""))


def call_problem(owner: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a method of a problem or a function of its backbone.

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
        name = f"{type(owner).__name__}.{getattr(call, '__name__', 'call')}"
        raise OracleError(f"{name} raised {type(error).__name__}: {error}") from error
