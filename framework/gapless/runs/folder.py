"""Folder with the answers of a run, so that a killed run can continue (decision 015)."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs

from gapless.arrays.serial import write_aside
from gapless.errors import GaplessError, InvalidProblem, SolveError
from gapless.runs.answer_log import AnswerLog
from gapless.runs.fingerprint import Fingerprint
from gapless.runs.lock import FolderLock
from gapless.runs.manifest import MANIFEST, Manifest, State

SUMMARY, TABLES = "summary.json", "tables.json"
"""Files written at the end of a run: the task's own document, and the tables shown."""
WAYS_OUT = "repeat those of the earlier run, choose another folder, or use --overwrite, which removes its answers"


class OtherVersion(UserWarning):
    """Another version of gapless continues a run."""


class RunFolder:
    """Folder of a new or continued run.

    A run that is refused (with a `GaplessError` other than `SolveError`) before its first answer leaves the folder
    unchanged. Raises `InvalidProblem`: another process writes to the folder, or it holds another run; the message
    states the differences. Warns `OtherVersion`: another version of gapless has worked on the run.

    Parameters
    ----------
    settings : mapping of str to JSON data
        Options that affect the answers.
    overwrite : bool
        If True, discard the run in the folder: opening the first log removes its logs, summary and tables.

    Attributes
    ----------
    interrupted : bool
        Set this when the run ends early; an exception sets it automatically.
    begun : bool
        Whether the folder contains this run; with `overwrite`, True only once a log is opened.
    """

    def __init__(self, path: Path, task: str, settings: Mapping[str, Any], *, overwrite: bool = False) -> None:
        self.path = path
        self.interrupted = False
        self._overwrite = overwrite
        self._listed = True
        self._logs: dict[str, AnswerLog] = {}
        self._counts_at_start: dict[str, int] = {}
        self.begun = False
        self._lock = FolderLock(path)
        try:
            self._previous_manifest = _content(path / MANIFEST)
            # Through JSON, so that tuples and lists compare as the stored settings do.
            requested = Manifest(task, json.loads(json.dumps(dict(settings))))
            stored = None if overwrite else Manifest.load(path)
            if stored is not None:
                self._compare(stored, requested)
                if stored.version != requested.version:
                    warnings.warn(
                        f"{path}: this run was last worked on by gapless {stored.version}, now by "
                        f"{requested.version}; use --overwrite to start it again",
                        OtherVersion,
                        stacklevel=2,
                    )
                requested = attrs.evolve(
                    stored, state=State.RUNNING, starts=stored.starts + 1, version=requested.version
                )
            self.manifest = requested
            # An earlier run is removed only when the first answer is near: the new one may still be refused.
            if not overwrite:
                self._begin()
        except BaseException:
            self._lock.release()
            raise

    def about(self, what: str, fingerprint: Fingerprint) -> None:
        """Record the data of the run; a continued run must have the same data.

        Raises `InvalidProblem`: the data differ.
        """
        stored = self.manifest.data.get(what)
        if stored is not None and stored != fingerprint:
            raise InvalidProblem(
                f"{self.path}: this folder holds a run with {what} {stored.name} ({stored.size}, {stored.digest}), "
                f"not {fingerprint.name} ({fingerprint.size}, {fingerprint.digest}); {WAYS_OUT}"
            )
        if stored is None:
            self._change(data={**self.manifest.data, what: fingerprint})

    def log(self, name: str, *, records: bool = True) -> AnswerLog:
        """Open one of the run's logs, with the answers of previous starts.

        Raises `InvalidProblem`: a line is damaged; or the file exists, but was not written by a run of this folder.

        Parameters
        ----------
        name : str
            ``NAME.jsonl`` or ``NAME.jsonl.gz``, inside the folder.
        records : bool
            If True, the log contains records, which ``gapless verify`` checks; otherwise `LoggedAnswer`.
        """
        self._begin()
        if name not in self._logs:
            path = self.path / name
            listed = self.manifest.records if records else self.manifest.measured
            if name not in listed:
                if path.exists() and self._listed:
                    raise InvalidProblem(f"{path}: does not belong to a run in {self.path}; move it away")
                path.unlink(missing_ok=True)
                # Before the file exists: a run killed in between must find its own log listed.
                self._change(**{"records" if records else "measured": (*listed, name)})
            path.parent.mkdir(parents=True, exist_ok=True)
            self._logs[name] = AnswerLog(path, records=records)
            self._counts_at_start[name] = len(self._logs[name])
        return self._logs[name]

    def timed(self, name: str, measure: Callable[[], float | None]) -> float | None:
        """Measure a speed once: a continued or finished run returns the measurement of its first start.

        `measure`: called if the run has no measurement yet.
        """
        if name not in self.manifest.timed:
            self._change(timed={**self.manifest.timed, name: measure()})
        return self.manifest.timed[name]

    def close(self, state: State) -> None:
        """Flush everything to disk, record the state of the run, and release the lock."""
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
        if isinstance(error, GaplessError) and not isinstance(error, SolveError) and not self._has_answers():
            with contextlib.suppress(OSError):
                self._restore()
            return
        if error is not None and not self.begun:  # the run to be overwritten is still complete
            self._lock.release()
            return
        done = error is None and not self.interrupted
        # The error that ended the run matters more than a failure to record its end, such as on a full disk.
        with contextlib.suppress(OSError) if error is not None else contextlib.nullcontext():
            self.close(State.FINISHED if done else State.INTERRUPTED)

    def _change(self, **fields: Any) -> None:
        self.manifest = attrs.evolve(self.manifest, **fields)
        if self.begun:
            self.manifest.save(self.path)

    def _begin(self) -> None:
        """Record this run in the folder, and remove the one that it overwrites."""
        if not self.begun:
            if self._overwrite:
                self._discard()
            self.manifest.save(self.path)
            self.begun = True

    def _has_answers(self) -> bool:
        """Return True if this start has added an answer."""
        return any(len(log) > self._counts_at_start[name] for name, log in self._logs.items())

    def _restore(self) -> None:
        """Restore the folder to its state before this start."""
        try:
            for log in self._logs.values():
                log.close()
            if not self.begun:
                return
            if self._previous_manifest is None or self._overwrite:
                (self.path / MANIFEST).unlink(missing_ok=True)
                for log in self._logs.values():
                    with contextlib.suppress(OSError):  # the run's own folder is never empty: it contains the lock
                        log.path.parent.rmdir()
            else:
                write_aside(self.path / MANIFEST, self._previous_manifest)
        finally:
            self._lock.release()

    def _compare(self, stored: Manifest, requested: Manifest) -> None:
        if stored.task != requested.task:
            raise InvalidProblem(
                f"{self.path}: this folder holds a run of {stored.task}, not of {requested.task}; {WAYS_OUT}"
            )
        different = [
            f"{name} {_in_words(stored.settings, name)}, not {_in_words(requested.settings, name)}"
            for name in dict.fromkeys([*stored.settings, *requested.settings])
            if _in_words(stored.settings, name) != _in_words(requested.settings, name)
        ]
        if different:
            raise InvalidProblem(f"{self.path}: this folder holds a run with {'; '.join(different)}; {WAYS_OUT}")

    def _discard(self) -> None:
        """Remove the logs of the stored run and its final documents."""
        # Only files of a run: without a manifest they belong to the user (decision 064).
        for name in (SUMMARY, TABLES) if (self.path / MANIFEST).exists() else ():
            (self.path / name).unlink(missing_ok=True)
        try:
            stored = Manifest.load(self.path)
        except InvalidProblem:  # unreadable, so that each log which this run opens counts as one of the old run
            self._listed = False
            return
        for name in (*stored.records, *stored.measured) if stored is not None else ():
            (self.path / name).unlink(missing_ok=True)


def _content(path: Path) -> str | None:
    return path.read_text("utf-8", "replace") if path.exists() else None


def _in_words(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(settings[name]) if name in settings else "unknown"
