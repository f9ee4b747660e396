"""How much a verification may do, in steps: a count that is the same on every machine, and no clock.

A certificate comes from anyone, and some kinds say how long they keep their checker busy. Whatever a checker goes
through is charged to the account of the verification under way; when that is spent, the verdict is "undecided".
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
"""A step is a number that NumPy looks at; this many take about a second of a core."""

CALL = 2000.0
"""Steps that a call of NumPy, or a dozen lines of Python, cost beside the numbers they look at."""

DEFAULT_WORK = 1e11
"""Steps for one verification, unless somebody asks for more: a minute or two."""


class OutOfWork(GaplessError):
    """A verification was stopped at its work limit; nobody needs to handle it, the verdict says so."""


class Account:
    """What one verification has spent.

    Parameters
    ----------
    limit : float
        Steps, possibly infinite.

    Attributes
    ----------
    kept : dict
        What checkers lay out once for the whole verification; the next one, which is charged for the same, lays it
        out again.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.steps = limit, 0.0
        self.kept: dict[object, Any] = {}

    @property
    def spent(self) -> bool:
        """Whether the verification did not come to its end, even if something caught the error on its way."""
        return self.steps > self.limit

    def charge(self, steps: float) -> None:
        """Add steps; raise `OutOfWork` when that is too many, and ever after."""
        self.steps += steps
        if self.steps > self.limit:
            raise OutOfWork(f"the check was stopped after {self.limit:.3g} steps")


_open: ContextVar[Account | None] = ContextVar("the account of the verification under way", default=None)
_limit: ContextVar[float] = ContextVar("the work limit of verifications", default=DEFAULT_WORK)


def spend_work(numbers: float = 0.0, calls: float = 1.0) -> None:
    """Charge the verification under way; where there is none, nothing.

    A certificate whose check may take long, whatever its fields hold, calls this in its loops. It ends the check by
    an error when the work limit is reached.

    Parameters
    ----------
    numbers : float
        Numbers to be looked at.
    calls : float
        Calls of NumPy, or turns of a loop in Python.
    """
    account = _open.get()
    if account is not None:
        account.charge(numbers + CALL * calls)


def kept_meanwhile() -> dict[object, Any]:
    """What checkers have laid out for the verification under way; an empty dictionary where there is none."""
    account = _open.get()
    return {} if account is None else account.kept


@contextlib.contextmanager
def work_limit(steps: float) -> Iterator[None]:
    """Let each verification inside the block do so many steps; `math.inf` lifts the limit.

    Parameters
    ----------
    steps : float
        Above 0. A thousand million of them take about a second.

    Raises
    ------
    InvalidLimits
        No number above 0.
    """
    if isinstance(steps, bool) or not isinstance(steps, Real) or not steps > 0:
        raise InvalidLimits(f"the work limit is {steps!r}, expected a number of steps above 0")
    token = _limit.set(float(steps))
    try:
        yield
    finally:
        _limit.reset(token)


@contextlib.contextmanager
def opened() -> Iterator[tuple[Account, bool]]:
    """The account of the verification under way and False; or a new one and True, for whoever begins one."""
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
    """Why a verification that was stopped says neither yes nor no, and what to do."""
    return (
        f"undecided: the check was stopped after {account.limit:.3g} steps of work; allow more by "
        "`verify(problem, work=STEPS)`, `gapless.work_limit(STEPS)` or `gapless verify --work STEPS`"
    )


def in_seconds(steps: float) -> float:
    """About how long so many steps take; not finite where that is not known."""
    return steps / STEPS_A_SECOND if math.isfinite(steps) else math.inf
