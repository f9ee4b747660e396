"""Exceptions inside SCIP callbacks: stored, and raised again once SCIP has returned.

SCIP prints an exception of a Python callback and continues with an undefined answer. So no exception may leave a
callback: the first one is stored, SCIP is asked to stop, and every later callback returns at once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gapless.errors import OracleError, SolveError
from gapless.limits.limits import SolveBudget

CallbackReturn = dict[str, Any]


class CallbackGuard:
    """Wrapper of the callbacks of a model, which no exception leaves."""

    def __init__(self, model: Any, budget: SolveBudget) -> None:
        self._model, self._budget = model, budget
        self.error: BaseException | None = None
        self.halted = False

    def halt(self) -> None:
        """Interrupt SCIP as soon as possible."""
        self.halted = True
        self._model.interruptSolve()

    def interrupted(self) -> None:
        """Record a Ctrl-C."""
        self._budget.interrupt()
        self.halt()

    def run(self, body: Callable[[], CallbackReturn], otherwise: Callable[[], CallbackReturn]) -> CallbackReturn:
        """Return the result of `body`; that of `otherwise`, which must not raise, after errors and interrupts."""
        # SCIP calls back a few times after an interrupt; the roles must not work any more.
        if self.halted:
            return otherwise()
        try:
            return body()
        except KeyboardInterrupt:
            self.interrupted()
        except BaseException as error:  # SystemExit must not get lost either
            self.error = error
            self.halt()
        return otherwise()

    def failure(self) -> SolveError | None:
        """Return the stored error, named; None if there is none. Exits of the interpreter are raised unchanged."""
        if self.error is None or isinstance(self.error, SolveError):
            return self.error
        if not isinstance(self.error, Exception):
            raise self.error
        wrapped = OracleError(f"a role returned an unusable answer: {type(self.error).__name__}: {self.error}")
        wrapped.__cause__ = self.error
        return wrapped

    @contextmanager
    def ctrl_c(self) -> Iterator[None]:
        """While SCIP runs, a Ctrl-C stops it; a second one also aborts the running callback.

        Otherwise Python would raise in the glue between SCIP and a callback, where the exception is lost. Only the
        main thread may set signal handlers; in other threads SCIP runs until a limit.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
            again = self._budget.interrupted
            self.interrupted()
            if again:
                raise KeyboardInterrupt

        previous = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)
