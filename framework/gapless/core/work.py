"""Limits on the work of a verification, in steps: a machine-independent count, not a clock.

A certificate may come from anyone, and some kinds determine the length of their own check. All work is charged to
the account of the current verification; when that is spent, the verdict is "undecided".
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar
from numbers import Real
from typing import Any

from gapless.core.errors import GaplessError, InvalidLimits

STEPS_A_SECOND = 1e9
"""Steps per second of one core, roughly; a step is one number read by NumPy."""

CALL = 2000.0
"""Fixed cost, in steps, of a NumPy call or a dozen lines of Python."""

DEFAULT_WORK = 1e11
"""Default limit of one verification, in steps: a minute or two."""


class OutOfWork(GaplessError):
    """A verification reached its work limit. No handler is needed; the verdict reports it.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import OutOfWork
    >>> issubclass(OutOfWork, gl.GaplessError)
    True
    """


class Account:
    """The account of one verification.

    Parameters
    ----------
    limit : float
        Steps, possibly infinite.

    Attributes
    ----------
    kept : dict
        Layouts that checkers build once per verification. Each verification builds and is charged for its own.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.steps = limit, 0.0
        self.kept: dict[object, Any] = {}

    @property
    def spent(self) -> bool:
        """Whether the limit was exceeded, even if something caught the error."""
        return self.steps > self.limit

    def charge(self, steps: float) -> None:
        """Add steps; raise `OutOfWork` beyond the limit, and at every later call."""
        self.steps += steps
        if self.steps > self.limit:
            raise OutOfWork(f"the check was stopped after {self.limit:.3g} steps")


_open: ContextVar[Account | None] = ContextVar("the account of the current verification", default=None)
_limit: ContextVar[float] = ContextVar("the work limit of verifications", default=DEFAULT_WORK)


def spend_work(numbers: float = 0.0, calls: float = 1.0) -> None:
    """Charge the current verification, if there is one.

    Certificates call this in loops whose length depends on their fields. Beyond the work limit it raises, which
    ends the check.

    Parameters
    ----------
    Numbers read.
        Numbers to be looked at.
    NumPy calls, or iterations of a Python loop.
        Calls of NumPy, or turns of a loop in Python.
    """
    account = _open.get()
    if account is not None:
        account.charge(numbers + CALL * calls)


def kept_meanwhile() -> dict[object, Any]:
    """Layouts kept for the current verification; an empty dictionary when there is none."""
    account = _open.get()
    return {} if account is None else account.kept


@contextlib.contextmanager
def work_limit(steps: float) -> Iterator[None]:
    """Limit each verification inside the block to `steps`; `math.inf` lifts the limit.

    Parameters
    ----------
    steps : float
        Above 0. A thousand million take about a second.

    Raises
    ------
    InvalidLimits
        `steps` is not a number above 0.
    """
    if isinstance(steps, bool) or not isinstance(steps, Real) or not steps > 0:
        raise InvalidLimits(f"the work limit is {steps!r}, expected a number of steps above 0")
    token = _limit.set(float(steps))
    try:
        yield
    finally:
        _limit.reset(token)


@contextlib.contextmanager
def verification_account() -> Iterator[tuple[Account, bool]]:
    """The account of the current verification and False; or a new account and True when there is none."""
    account = _open.get()
    if account is not None:
        yield account, False
        return
    account = Account(_limit.get())
    token = _open.set(account)
    try:
        yield account, True
    finally:
        _open.reset(token)


def undecided(account: Account) -> str:
    """The verdict of a stopped verification, and the remedy."""
    return (
        f"undecided: the check was stopped after {account.limit:.3g} steps of work; allow more with "
        "`verify(problem, work=STEPS)`, `gapless.work_limit(STEPS)` or `gapless verify --work STEPS`"
    )


def in_seconds(steps: float) -> float:
    """Estimated seconds of this number of steps; infinite where unknown."""
    return steps / STEPS_A_SECOND if math.isfinite(steps) else math.inf
