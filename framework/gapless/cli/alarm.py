"""Ending work that takes too long from outside, where nobody inside looks at a clock."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from gapless.core.errors import InvalidLimits


class TimeIsUp(BaseException):
    """Raised wherever the work is; no error, so that nothing that handles errors takes it for one."""


@contextlib.contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raise `TimeIsUp` inside the block after so many seconds; None waits for ever.

    Raises `InvalidLimits`: `seconds` is not positive, or this is no main thread of a Unix process, which alone can
    hear it.
    """
    if seconds is None:
        yield
        return
    if not 0 < seconds < 1e8:
        raise InvalidLimits(f"--time is {seconds}, expected a positive number of seconds")
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        raise InvalidLimits("--time needs a Unix system: leave it out, or end the process from outside")

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
