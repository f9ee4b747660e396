"""Lock of a folder that one process at a time may write to."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import TracebackType
from typing import IO

from gapless.errors import InvalidProblem

try:
    import fcntl
except ImportError:  # Windows: two runs on one folder go unnoticed
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"


class FolderLock:
    """Lock of a folder from construction to `release`; the system releases the lock of a dead process.

    Raises `InvalidProblem`: another process holds it; the message names the process.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._file: IO[str] | None = None
        # Again if another process removed the file between our opening and locking it.
        while self._file is None:
            self._file = self._locked(folder)

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            # Remove before closing: afterwards the path may be the lock of the next process.
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _locked(self, folder: Path) -> IO[str] | None:
        """Open and lock the file; return None if its last holder removed it in the meantime."""
        file = self._path.open("a+", encoding="utf-8")
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(self._path.stat(), os.fstat(file.fileno())):
                file.close()
                return None
        except FileNotFoundError:
            file.close()
            return None
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise InvalidProblem(
                f"{folder}: {holder} is writing to this folder; wait for it to end, or choose another folder"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        return file
