"""The lines of a text file, plain or gzip-compressed, with their numbers; damage is reported with its line."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
STDIN = Path("-")


def said(path: Path) -> str:
    """Format a file's name for messages."""
    return "standard input" if path == STDIN else str(path)


def _opened(path: Path) -> Any:
    if path == STDIN:
        # The bytes, whatever encoding the terminal has; a test's standard input may have none.
        return contextlib.nullcontext(getattr(sys.stdin, "buffer", None) or io.BytesIO(sys.stdin.read().encode()))
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _remedy(path: Path, line: bytes, error: UnicodeDecodeError) -> str:
    """Explain how to read a file whose line is not UTF-8, by the first bytes of the line."""
    if line.startswith(_GZIP):
        return "it is compressed: zcat FILE |" if path == STDIN else "it is compressed: add .gz to the name"
    if line.startswith(_UTF_16):
        return "re-encode the file, which looks like UTF-16: iconv -f UTF-16 -t UTF-8"
    letter = error.object[error.start : error.start + 1].decode("cp1252", "replace")
    read = f", where that byte is {letter!r}" if letter.isalpha() else ""
    return f"re-encode the file, which looks like Latin-1 or Windows-1252{read}: iconv -f WINDOWS-1252 -t UTF-8"


def numbered_lines(path: Path, refuse: type[ValueError], suffix: str) -> Iterator[tuple[int, str]]:
    """Decode line by line, so that a bad byte or a cut archive is reported with its line number.

    Parameters
    ----------
    path : Path
        A UTF-8 file, gzip-compressed if its name ends in ``.gz``; ``-`` is standard input.
    refuse : type
        The error to raise for what cannot be read; its message names file and line.
    suffix : str
        The usual suffix of such files, for messages, such as ``.tsv``.

    Yields
    ------
    (int, str)
        Numbers count from 1; lines have no line break.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        Of the type `refuse`: a folder, not UTF-8, or damaged gzip data.
    """
    number = 0
    try:
        with _opened(path) as stream:
            for number, raw in enumerate(stream, start=1):
                content = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
                yield number, content.decode("utf-8").rstrip("\r\n")
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: no such file; check the path") from error
    except IsADirectoryError as error:
        raise refuse(f"{path}: is a folder; give a {suffix} or {suffix}.gz file in it") from error
    except UnicodeDecodeError as error:
        raise refuse(
            f"{said(path)}, line {number}: not UTF-8 (byte 0x{error.object[error.start]:02x}); "
            f"{_remedy(path, raw, error)}"
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refuse(
            f"{path}, line {number + 1}: the gzip data is damaged or cut short ({error}); download or "
            "compress the file again"
        ) from error
