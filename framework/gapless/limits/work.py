"""Limits on the work of a verification, in steps: a count that is the same on every machine, not a clock.

A certificate may come from an untrusted source, and some kinds determine the length of their own check. All work is
charged to the account of the current verification; beyond its limit, the verdict is "undecided" (decision 028).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar
from numbers import Real
from typing import Any

from gapless.errors import GaplessError, InvalidLimits

STEPS_A_SECOND = 1e9
"""Steps per second of one core; a step is one number read by NumPy. Measured: 1.0e9 to 3.7e9 (decision 028)."""

CALL = 2000.0
"""Fixed cost, in steps, of a NumPy call or a dozen lines of Python."""

DEFAULT_WORK = 1e11
"""Default limit of one verification, in steps: a minute or two."""


class WorkLimitReached(GaplessError):
    """A verification reached its work limit. No handler is needed; the verdict reports it.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import WorkLimitReached
    >>> issubclass(WorkLimitReached, gl.GaplessError)
    True
    """


class WorkAccount:
    """Work counted during one verification, and its limit.

    Parameters
    ----------
    limit : float
        Steps, possibly infinite.

    Attributes
    ----------
    cache : dict
        Layouts that verifiers build once per verification. Each verification builds and is charged for its own, so
        that a second one counts the same steps.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.steps = limit, 0.0
        self.cache: dict[object, Any] = {}

    @property
    def spent(self) -> bool:
        """Whether the limit was exceeded, even if something caught the error."""
        return self.steps > self.limit

    def charge(self, steps: float) -> None:
        """Add steps; raise `WorkLimitReached` beyond the limit, and at every later call."""
        # Added before the check: `spent` then stays True even if a certificate's code catches the error.
        self.steps += steps
        if self.steps > self.limit:
            raise WorkLimitReached(f"the check was stopped after {self.limit:.3g} steps")


_open: ContextVar[WorkAccount | None] = ContextVar("the account of the current verification", default=None)
_limit: ContextVar[float] = ContextVar("the work limit of verifications", default=DEFAULT_WORK)


def charge_work(numbers: float = 0.0, calls: float = 1.0) -> None:
    """Charge the current verification, if there is one.

    Certificates call this in loops whose length depends on their fields. Beyond the work limit it raises
    `WorkLimitReached`, which ends the check. Outside of a verification it does nothing.

    Parameters
    ----------
    numbers : float
        Numbers that NumPy reads.
    calls : float
        Calls of NumPy, or iterations of a Python loop.
    """
    account = _open.get()
    if account is not None:
        account.charge(numbers + CALL * calls)


def verification_cache() -> dict[object, Any]:
    """Return the cache of the current verification; an empty dictionary if there is none."""
    account = _open.get()
    return {} if account is None else account.cache


@contextlib.contextmanager
def work_limit(steps: float) -> Iterator[None]:
    """Limit each verification inside the block to `steps`; `math.inf` lifts the limit.

    Parameters
    ----------
    steps : float
        Above 0. 1e9 steps take about a second.

    Raises
    ------
    InvalidLimits
        `steps` is not a number above 0.
    """
    # "not > 0" refuses NaN; bool is a subclass of int, but True is no number of steps.
    if isinstance(steps, bool) or not isinstance(steps, Real) or not steps > 0:
        raise InvalidLimits(f"the work limit is {steps!r}, expected a number of steps above 0")
    token = _limit.set(float(steps))
    try:
        yield
    finally:
        _limit.reset(token)


@contextlib.contextmanager
def verification_account() -> Iterator[tuple[WorkAccount, bool]]:
    """Yield the account of the current verification and False, or a new account and True if there is none."""
    account = _open.get()
    # A check inside a check is charged to the outer one, else nesting would multiply the limit.
    if account is not None:
        yield account, False
        return
    account = WorkAccount(_limit.get())
    token = _open.set(account)
    try:
        yield account, True
    finally:
        _open.reset(token)


def undecided(account: WorkAccount) -> str:
    """Word the verdict of a stopped verification, with the remedy."""
    return (
        f"undecided: the check was stopped after {account.limit:.3g} steps of work; allow more with "
        "`verify(problem, work=STEPS)`, `gapless.work_limit(STEPS)` or `gapless verify --work STEPS`"
    )


def in_seconds(steps: float) -> float:
    """Estimate the seconds that a number of steps takes; infinite if the number is not finite."""
    return steps / STEPS_A_SECOND if math.isfinite(steps) else math.inf
