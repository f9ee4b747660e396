"""A folder in which a run keeps its answers, so that it can continue after it was killed."""

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
"""Files written at the end of a run: the task's own document, and the tables shown."""
WAYS_OUT = "repeat those of the earlier run, choose another folder, or use --anew, which removes its answers"


class OtherVersion(UserWarning):
    """A run is continued by another version of gapless."""


class RunFolder:
    """Opens the folder of a new or continued run.

    A run that is refused (with a `GaplessError` other than `SolveError`) before its first answer leaves the folder
    unchanged. Raises `InvalidProblem`: another process writes to the folder, or it holds another run; the message
    states the differences. Warns `OtherVersion`: another version of gapless has worked on the run.

    Parameters
    ----------
    settings : mapping of str to JSON data
        Options that affect the answers.
    anew : bool
        Discard the run in the folder: its logs, summary and tables are removed when the first log is opened.

    Attributes
    ----------
    interrupted : bool
        Set this when the run ends early; an exception sets it automatically.
    begun : bool
        Whether the folder holds this run; with `anew` only once a log is opened.
    """

    def __init__(self, path: Path, task: str, settings: Mapping[str, Any], *, anew: bool = False) -> None:
        self.path = path
        self.interrupted = False
        self._anew = anew
        self._listed = True
        self._logs: dict[str, AnswerLog] = {}
        self._known: dict[str, int] = {}
        self.begun = False
        self._lock = FolderLock(path)
        try:
            self._before = _content(path / MANIFEST)
            requested = Manifest(task, json.loads(json.dumps(dict(settings))))
            known = None if anew else Manifest.load(path)
            if known is not None:
                self._compare(known, requested)
                if known.version != requested.version:
                    warnings.warn(
                        f"{path}: this run was last worked on by gapless {known.version}, now by "
                        f"{requested.version}; use --anew to start it again",
                        OtherVersion,
                        stacklevel=2,
                    )
                requested = attrs.evolve(
                    known, state=State.RUNNING, starts=known.starts + 1, version=requested.version
                )
            self.manifest = requested
            if not anew:
                self._begin()
        except BaseException:
            self._lock.release()
            raise

    def about(self, what: str, fingerprint: Fingerprint) -> None:
        """Record the data of the run; a continued run must have the same data.

        Raises `InvalidProblem`: the data differ.
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
        """Open one of the run's logs, with the answers of earlier starts.

        Raises `InvalidProblem`: a line is damaged; or the file exists, but was not written by a run of this folder.

        Parameters
        ----------
        name : str
            ``NAME.jsonl`` or ``NAME.jsonl.gz``, inside the folder.
        records : bool
            Whether it holds records, which ``gapless verify`` checks; else `Answer`.
        """
        self._begin()
        if name not in self._logs:
            path = self.path / name
            listed = self.manifest.records if records else self.manifest.measured
            if name not in listed:
                if path.exists() and self._listed:
                    raise InvalidProblem(f"{path}: does not belong to a run in {self.path}; move it away")
                path.unlink(missing_ok=True)
                self._change(**{"records" if records else "measured": (*listed, name)})
            path.parent.mkdir(parents=True, exist_ok=True)
            self._logs[name] = AnswerLog(path, records=records)
            self._known[name] = len(self._logs[name])
        return self._logs[name]

    def timed(self, name: str, measure: Callable[[], float | None]) -> float | None:
        """A speed that is measured once: a continued or finished run keeps the measurement of its first start.

        `measure`: called when the run has no measurement yet.
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
        if error is not None and not self.begun:  # a run to be discarded is still complete
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
        """Record this run; a run to be discarded is gone from here on."""
        if not self.begun:
            if self._anew:
                self._discard()
            self.manifest.save(self.path)
            self.begun = True

    def _has_answers(self) -> bool:
        """Whether this start has added an answer."""
        return any(len(log) > self._known[name] for name, log in self._logs.items())

    def _restore(self) -> None:
        """Restore the folder; a run to be discarded is touched only once a log has been opened."""
        try:
            for log in self._logs.values():
                log.close()
            if not self.begun:
                return
            if self._before is None or self._anew:
                (self.path / MANIFEST).unlink(missing_ok=True)
                for log in self._logs.values():
                    with contextlib.suppress(OSError):  # the folder of the run is not empty: it holds the lock
                        log.path.parent.rmdir()
            else:
                write_aside(self.path / MANIFEST, self._before)
        finally:
            self._lock.release()

    def _compare(self, known: Manifest, requested: Manifest) -> None:
        if known.task != requested.task:
            raise InvalidProblem(
                f"{self.path}: this folder holds a run of {known.task}, not of {requested.task}; {WAYS_OUT}"
            )
        different = [
            f"{name} {_in_words(known.settings, name)}, not {_in_words(requested.settings, name)}"
            for name in dict.fromkeys([*known.settings, *requested.settings])
            if _in_words(known.settings, name) != _in_words(requested.settings, name)
        ]
        if different:
            raise InvalidProblem(f"{self.path}: this folder holds a run with {'; '.join(different)}; {WAYS_OUT}")

    def _discard(self) -> None:
        """Remove the logs of the present run and its final documents."""
        for name in (SUMMARY, TABLES) if (self.path / MANIFEST).exists() else ():
            (self.path / name).unlink(missing_ok=True)
        try:
            known = Manifest.load(self.path)
        except InvalidProblem:  # it lists nothing, so each log that this run opens is taken for an old one
            self._listed = False
            return
        for name in (*known.records, *known.measured) if known is not None else ():
            (self.path / name).unlink(missing_ok=True)


def _content(path: Path) -> str | None:
    return path.read_text("utf-8", "replace") if path.exists() else None


def _in_words(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(settings[name]) if name in settings else "unknown"
