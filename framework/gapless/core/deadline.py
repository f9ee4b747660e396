"""The time limit of a solve, for the roles that the solve calls: whether to stop, and the seconds that are left.

A `Budget` belongs to whoever runs the solve. A generator meets it as `View.stop`; `gapless.labelling`, which
generators call, looks up the deadline of the question that is being answered, so that also a generator that passes
no ``stop`` on keeps the limits of its solve.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class LimitsTime(Protocol):
    """The part of a `Budget` that a deadline reads."""

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite."""

    def must_stop(self) -> bool:
        """Whether the time is up, or Ctrl-C was pressed."""


class Deadline:
    """The time limit of one question to a role; it remembers whether it said stop.

    Parameters
    ----------
    budget : Budget, optional
        Without one there is no limit.

    Attributes
    ----------
    has_stopped : bool
        Whether `stop` was True at least once: the answer may be unfinished, whatever it claims.
    """

    def __init__(self, budget: LimitsTime | None = None) -> None:
        self._budget, self.has_stopped = budget, False

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite."""
        return math.inf if self._budget is None else self._budget.time_left

    def stop(self) -> bool:
        """Whether to stop: at the time limit and after Ctrl-C."""
        if self._budget is not None and self._budget.must_stop():
            self.has_stopped = True
        return self.has_stopped


NO_DEADLINE = Deadline()

_current: ContextVar[Deadline] = ContextVar(
    "the deadline of the question that is being answered", default=NO_DEADLINE
)


def current_deadline() -> Deadline:
    """The deadline of the question that is being answered; `NO_DEADLINE` outside of questions."""
    return _current.get()


@contextmanager
def question_deadline(budget: LimitsTime) -> Iterator[Deadline]:
    """Give a question to a role the deadline of `budget`, inside the block."""
    deadline = Deadline(budget)
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)
