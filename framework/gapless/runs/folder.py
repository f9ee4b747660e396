"""A folder in which a run keeps its answers, and goes on after it was killed."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs

from gapless.core.errors import GaplessError, InvalidProblem, SolveError
from gapless.core.serial import write_aside
from gapless.runs.answer_log import AnswerLog
from gapless.runs.fingerprint import Fingerprint
from gapless.runs.lock import FolderLock
from gapless.runs.manifest import MANIFEST, Manifest, State

SUMMARY, TABLES = "summary.json", "tables.json"
"""What is written when a run ends: the task's own document; every table that it showed."""
WAYS_OUT = "repeat the earlier run's, give another folder, or --anew to start again, which removes its answers"


class OtherVersion(UserWarning):
    """A run goes on with another version of gapless than the one that began it."""


class RunFolder:
    """Opens the folder of a run: a new one, or one to continue.

    A run that is refused (a `GaplessError` that is no `SolveError`) before it has kept an answer leaves the folder
    as it was.

    Parameters
    ----------
    path : Path
        An existing folder.
    task : str
    settings : mapping of str to JSON data
        Options by which answers differ.
    anew : bool
        Forget the run that the folder holds: its logs, summary and tables are removed when the first log is opened.

    Attributes
    ----------
    manifest : Manifest
    interrupted : bool
        Set it when the run ends before all is done; an exception says so by itself.
    begun : bool
        Whether the folder holds this run; with `anew` not before a log is opened.

    Raises
    ------
    InvalidProblem
        Another process writes to it; it holds another run, and the message says where it differs.

    Warns
    -----
    OtherVersion
        Another version of gapless has worked on it.
    """

    def __init__(self, path: Path, task: str, settings: Mapping[str, Any], *, anew: bool = False) -> None:
        self.path = path
        self.interrupted = False
        self._anew = anew
        self._logs: dict[str, AnswerLog] = {}
        self._known: dict[str, int] = {}
        self.begun = False
        self._lock = FolderLock(path)
        try:
            self._before = _content(path / MANIFEST)
            asked = Manifest(task, json.loads(json.dumps(dict(settings))))
            known = None if anew else Manifest.load(path)
            if known is not None:
                self._compare(known, asked)
                if known.version != asked.version:
                    warnings.warn(
                        f"{path}: this run was last worked on by gapless {known.version} and goes on with "
                        f"{asked.version}; --anew starts it again",
                        OtherVersion,
                        stacklevel=2,
                    )
                asked = attrs.evolve(known, state=State.RUNNING, starts=known.starts + 1, version=asked.version)
            self.manifest = asked
            if not anew:
                self._begin()
        except BaseException:
            self._lock.release()
            raise

    def about(self, what: str, fingerprint: Fingerprint) -> None:
        """Say what the run is about; one that is continued must be about the same.

        Raises
        ------
        InvalidProblem
            It is not.
        """
        known = self.manifest.data.get(what)
        if known is not None and known != fingerprint:
            raise InvalidProblem(
                f"{self.path}: this folder holds a run with {what} {known.name} ({known.size}, {known.digest}), "
                f"not {fingerprint.name} ({fingerprint.size}, {fingerprint.digest}); {WAYS_OUT}"
            )
        if known is None:
            self._change(data={**self.manifest.data, what: fingerprint})

    def log(self, name: str, *, records: bool = True) -> AnswerLog:
        """Open one of the run's logs; answers of earlier starts are in it.

        Parameters
        ----------
        name : str
            ``NAME.jsonl`` or ``NAME.jsonl.gz``, below the folder.
        records : bool
            Whether it holds records, which ``gapless verify`` re-checks; else `Answer`.

        Raises
        ------
        InvalidProblem
            A line is damaged; or the file is there, but no run of this folder wrote it.
        """
        self._begin()
        if name not in self._logs:
            path = self.path / name
            listed = self.manifest.records if records else self.manifest.measured
            if name not in listed:
                if path.exists() and not self._anew:
                    raise InvalidProblem(
                        f"{path}: is of no run that {self.path} knows; move it away, or give --anew"
                    )
                path.unlink(missing_ok=True)
                self._change(**{"records" if records else "measured": (*listed, name)})
            path.parent.mkdir(parents=True, exist_ok=True)
            self._logs[name] = AnswerLog(path, records=records)
            self._known[name] = len(self._logs[name])
        return self._logs[name]

    def timed(self, name: str, measure: Callable[[], float | None]) -> float | None:
        """A speed that is measured once: a run that goes on, or is finished, keeps the one of its first start.

        Parameters
        ----------
        name : str
        measure : callable
            Asked when the run does not know it yet.
        """
        if name not in self.manifest.timed:
            self._change(timed={**self.manifest.timed, name: measure()})
        return self.manifest.timed[name]

    def close(self, state: State) -> None:
        """Have everything on the disk, say how the run ended, and let others write."""
        try:
            self._begin()
            for log in self._logs.values():
                log.close()
            self._change(state=state)
        finally:
            self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, GaplessError) and not isinstance(error, SolveError) and not self._kept():
            with contextlib.suppress(OSError):
                self._withdraw()
            return
        if error is not None and not self.begun:  # what was to be forgotten is still whole
            self._lock.release()
            return
        done = error is None and not self.interrupted
        # What ended the run matters more than that its end could not be written, such as on a full disk.
        with contextlib.suppress(OSError) if error is not None else contextlib.nullcontext():
            self.close(State.FINISHED if done else State.INTERRUPTED)

    def _change(self, **fields: Any) -> None:
        self.manifest = attrs.evolve(self.manifest, **fields)
        if self.begun:
            self.manifest.save(self.path)

    def _begin(self) -> None:
        """Write down that there is this run; from here on one that was to be forgotten is gone."""
        if not self.begun:
            if self._anew:
                self._forget()
            self.manifest.save(self.path)
            self.begun = True

    def _kept(self) -> bool:
        """Whether this start has added an answer."""
        return any(len(log) > self._known[name] for name, log in self._logs.items())

    def _withdraw(self) -> None:
        """Leave the folder as it was before; of a run that was to be forgotten only once a log has been opened."""
        try:
            for log in self._logs.values():
                log.close()
            if not self.begun:
                return
            if self._before is None or self._anew:
                (self.path / MANIFEST).unlink(missing_ok=True)
                for log in self._logs.values():
                    with contextlib.suppress(OSError):  # the run's folder is not empty, it holds the lock
                        log.path.parent.rmdir()
            else:
                write_aside(self.path / MANIFEST, self._before)
        finally:
            self._lock.release()

    def _compare(self, known: Manifest, asked: Manifest) -> None:
        if known.task != asked.task:
            raise InvalidProblem(
                f"{self.path}: this folder holds a run of {known.task}, not of {asked.task}; {WAYS_OUT}"
            )
        different = [
            f"{name} {_told(known.settings, name)}, not {_told(asked.settings, name)}"
            for name in dict.fromkeys([*known.settings, *asked.settings])
            if _told(known.settings, name) != _told(asked.settings, name)
        ]
        if different:
            raise InvalidProblem(f"{self.path}: this folder holds a run with {'; '.join(different)}; {WAYS_OUT}")

    def _forget(self) -> None:
        """Remove the logs of the run that is here, and what it wrote at its end, which is not the new one's."""
        for name in (SUMMARY, TABLES) if (self.path / MANIFEST).exists() else ():
            (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(InvalidProblem):  # a manifest that cannot be read lists nothing
            known = Manifest.load(self.path)
            for name in (*known.records, *known.measured) if known is not None else ():
                (self.path / name).unlink(missing_ok=True)


def _content(path: Path) -> str | None:
    return path.read_text("utf-8", "replace") if path.exists() else None


def _told(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(settings[name]) if name in settings else "unknown"
