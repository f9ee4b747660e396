"""A hang is told from a slow machine: by CPU time that is used up, or by nobody's doing anything.

A process that computes for ever uses up its CPU time, on a busy machine later. One that waits for ever uses none,
nor do its children: for so many of our own seconds, which pass only while we run ourselves. The clock says neither.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

try:
    import psutil
except ImportError:  # without it, children count once they have ended
    psutil = None

CPU = 600.0
"""Seconds of CPU time, of a process and its children, that nothing in the tests comes near."""

IDLE = 300
"""Turns of a second in which a family of processes did nothing that shows."""

STUCK = 1800
"""Seconds for one call of compiled code that gives nobody else a turn; those of ours take less than one."""

SHOWS = 0.01
"""The share of a turn that must be computing, on average: whoever polls uses less, whoever is starved more."""


class Hang(AssertionError):
    """Something that will never end."""


def cpu_time(pid):
    """Seconds of CPU time of a process and of all that it started, as far as they are seen; 0 when it has gone."""
    if psutil is None:
        if pid != os.getpid():
            return 0.0
        return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    total = 0.0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(process.cpu_times()[:4])  # user, system, and of children that have ended
    return total


class Patience:
    """Whether to go on waiting for a family of processes; ask once a turn, and at other times as often as you like.

    Parameters
    ----------
    pid : int
    cpu : float
        Seconds of CPU time after which it hangs; infinity without end.
    idle : int
        Turns without CPU time after which it hangs.
    used : callable
        The CPU time of a process; tests bring their own.
    """

    def __init__(
        self, pid: int, cpu: float = CPU, idle: int = IDLE, used: Callable[[int], float] = cpu_time
    ) -> None:
        self.pid, self.cpu, self.idle, self._used = pid, cpu, idle, used
        self._begin = self._seen = self._most = used(pid)
        self._quiet = 0

    def turn(self, own: float = 0.0) -> None:
        """A second has passed, of which `own` seconds of CPU time were this very watching.

        Raises
        ------
        Hang
        """
        # Who has ended takes its time along when nobody waits for it: the count never falls.
        self._most = max(self._most, self._used(self.pid) - own)
        if self._most - self._begin > self.cpu:
            raise Hang(f"it used more than {self.cpu:g} s of CPU time and has not ended")
        self._quiet += 1
        if self._most - self._seen >= SHOWS * self._quiet:
            self._quiet, self._seen = 0, self._most
        if self._quiet >= self.idle:
            raise Hang(f"it did nothing for {self.idle} s and has not ended")


def until(condition, pid, **patience):
    """Poll until something is true, and return it; `Hang` when the process that should make it so never will."""
    watch, turns = Patience(pid, **patience), 0
    while not (found := condition()):
        time.sleep(0.02)
        turns += 1
        if turns % 50 == 0:
            watch.turn()
    return found


def ended(process, **patience):
    """The exit status of a process; one that hangs is killed, and raises `Hang`."""
    try:
        until(lambda: process.poll() is not None, process.pid, **patience)
    except Hang:
        process.kill()
        process.wait()
        raise
    return int(process.returncode)


def run(command, *, text=True, **more):
    """As `subprocess.run` with ``capture_output=True, check=False``, with patience instead of a timeout."""
    patience = {name: more.pop(name) for name in ("cpu", "idle") if name in more}
    with tempfile.TemporaryDirectory() as folder:
        # Files, not pipes: nobody has to read while waiting, and what was said before a hang is kept.
        paths = [Path(folder, name) for name in ("out", "err")]
        with paths[0].open("wb") as out, paths[1].open("wb") as err:
            process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=err, **more)
        try:
            code = ended(process, **patience)
        except Hang as hang:
            hang.add_note(paths[1].read_text(errors="replace"))
            raise
        finally:
            if process.poll() is None:  # Ctrl-C in us
                process.kill()
                process.wait()
        said = [path.read_text(errors="replace") if text else path.read_bytes() for path in paths]
    return subprocess.CompletedProcess(command, code, *said)


@contextlib.contextmanager
def ctrl_c_after(seconds):
    """Press Ctrl-C when this process has computed for so long, if the block still runs then."""
    before = signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def kill_children(pid):
    """End all that a process has started."""
    if psutil is not None:
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    process.kill()
