"""Downloading a corpus: every file aside, checked, then renamed; the folder appears when all of them are there."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import logging
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

import gapless as gl
from gapless.cli import Console
from gapless_models.corpora.places import folder_of
from gapless_models.corpora.registry import CorpusFile, OpenCorpus

RETRIES = 2
"""After an answer of the server that may pass, a connection that broke, or a checksum that does not fit."""
SILENCE = 30
"""Seconds without a byte after which a connection counts as broken."""
_LEFT_BEHIND = re.compile(r"tmp[a-z0-9_]{8}")
"""Names of pooch's temporary files."""
_PASSING = (408, 429)
"""Answers of a server that are the client's fault by their number, but may be different in a second."""


class NotFetched(gl.GaplessError):
    """A corpus that could not be downloaded; whole files are kept for the next try."""


def fetch(corpus: OpenCorpus, root: Path, console: Console, mirror: str | None = None) -> int:
    """Download a corpus into its folder below `root`; files that are there and correct are not requested.

    Parameters
    ----------
    root : Path
        A folder of corpora.
    console : Console
        Shows the progress.
    mirror : str, optional
        Stands in for the scheme and host of every address.

    Returns
    -------
    int
        The number of downloaded files.

    Raises
    ------
    NotFetched
        No network, an answer that is none, a checksum that does not fit, no space. Nothing half-written stays.
    MissingDependency
        The extra ``data`` is not installed.
    """
    if mirror and urlsplit(mirror).scheme not in ("http", "https"):
        raise gl.InvalidProblem(f"mirror {mirror!r}: the address of a web server is needed, http:// or https://")
    _pooch()
    folder = folder_of(corpus, root)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder, console):
            if folder.is_dir():
                return _download(corpus, folder, folder, console, mirror)
            aside = folder.with_name(f".{folder.name}.part")
            aside.mkdir(exist_ok=True)
            try:
                count = _download(corpus, aside, folder, console, mirror)
            except BaseException:
                with contextlib.suppress(OSError):
                    aside.rmdir()  # holds nothing: forget it
                raise
            aside.rename(folder)
            return count
    except OSError as error:
        raise NotFetched(f"{corpus.name}: cannot write into {folder.parent}: {error.strerror or error}") from error


@contextlib.contextmanager
def _alone(folder: Path, console: Console) -> Iterator[None]:
    """Lock a folder against other downloads; the lock of a process that was killed disappears with it."""
    with folder.with_name(f".{folder.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.error(f"{folder.name}: another process is fetching it; waiting")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _download(corpus: OpenCorpus, folder: Path, final: Path, console: Console, mirror: str | None) -> int:
    """Download every file of the corpus that the folder lacks or has wrong; `final` will be the folder's name."""
    pooch = _pooch()
    for leftover in folder.iterdir():  # of a download that was killed: the lock keeps other processes out
        if _LEFT_BEHIND.fullmatch(leftover.name):
            leftover.unlink()
    cabinet = pooch.Pooch(
        path=folder,
        base_url="",
        registry={file.name: f"sha256:{file.sha256}" for file in corpus.files},
        urls={file.name: corpus.url(file, mirror) for file in corpus.files},
        retry_if_failed=RETRIES,
    )
    missing = [file for file in corpus.files if not right(folder / file.name, file)]
    _check_space(corpus, folder, sum(file.bytes for file in missing))
    with console.progress(corpus.name, sum(file.bytes for file in missing)) as advance:
        for file in missing:
            _download_file(cabinet, corpus, file, final, advance, mirror)
    return len(missing)


def _download_file(
    cabinet: Any,
    corpus: OpenCorpus,
    file: CorpusFile,
    final: Path,
    advance: Callable[[int], None],
    mirror: str | None,
) -> None:
    import requests  # noqa: PLC0415  pooch brings it, and it is slow to import

    source = f"{corpus.name}: {file.name} from {corpus.url(file, mirror)}"
    try:
        cabinet.fetch(file.name, downloader=_Downloader(_Bar(file.bytes, advance), source))
    except requests.HTTPError as error:
        raise NotFetched(f"{source}: the server still answered {_answer(error)}; try later") from error
    except requests.RequestException as error:
        raise NotFetched(
            f"{source}: the connection failed ({_reason(error)}); check the network, name a mirror (--mirror, or "
            f"GAPLESS_DATA_MIRROR), or put the file into {final} by other means and fetch again"
        ) from error
    except ValueError as error:  # pooch's word for a wrong checksum; names file, expected and found
        raise NotFetched(f"{source}: {error}") from error


def right(path: Path, file: CorpusFile) -> bool:
    """Return whether a file is there, with the content that the registry knows."""
    if not path.is_file() or path.stat().st_size != file.bytes:
        return False
    return checksum(path) == file.sha256


def checksum(path: Path) -> str:
    """Compute the SHA-256 digest of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_space(corpus: OpenCorpus, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{corpus.name} needs {needed:,} bytes and {free:,} are free")


@attrs.define
class _Bar:
    """Progress of one file, as Pooch reports it: in steps of the bytes it requests, not receives."""

    size: int
    advance: Callable[[int], None]
    total: int = 0
    shown: int = 0

    def update(self, step: int) -> None:
        """Advance the bar, but never past its end: a second attempt starts at the beginning again."""
        step = min(step, self.size - self.shown)
        self.shown += step
        self.advance(step)

    def reset(self) -> None:
        """Reset the bar; Pooch calls this before it fills the bar."""

    def close(self) -> None:
        """Do nothing: the command closes the bar."""


@attrs.frozen
class _Downloader:
    """Pooch's download, without further attempts after an answer with an HTTP status."""

    bar: _Bar
    place: str

    def __call__(self, url: str, output: Any, cabinet: Any) -> None:
        import requests  # noqa: PLC0415

        download = _pooch().HTTPDownloader(progressbar=self.bar, chunk_size=1 << 16, timeout=SILENCE)
        try:
            download(url, output, cabinet)
        except requests.HTTPError as error:
            code = _answer(error)
            if 400 <= code < 500 and code not in _PASSING:
                raise NotFetched(
                    f"{self.place}: the server answered {code}; the file is not there, or not for you (a mirror "
                    "must hold this repository at this commit)"
                ) from error
            raise


def _reason(error: BaseException) -> BaseException:
    """Return the innermost error, because those that libraries wrap around it repeat the address."""
    while isinstance(inner := getattr(error, "reason", None) or next(iter(error.args), None), BaseException):
        error = inner
    return error


def _answer(error: Any) -> int:
    """Return the HTTP status that a server answered with."""
    return int(error.response.status_code)


def _pooch() -> Any:
    try:
        import pooch  # noqa: PLC0415  an extra
    except ImportError as error:
        raise gl.MissingDependency("downloading corpora needs pooch: pip install 'gapless[data]'") from error
    pooch.get_logger().setLevel(logging.WARNING)  # the command says itself what it does
    return pooch
