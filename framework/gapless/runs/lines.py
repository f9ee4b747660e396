"""Complete lines of a log and their offsets; the torn end left by a killed process is not a line."""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import attrs

from gapless.errors import InvalidProblem

_GZIP = 31
"""zlib's `wbits` for gzip members."""
_MAGIC = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
"""First bytes of every member by `encoded`: deflate, no name, no time."""
_BLOCK = 1 << 20
"""Bytes per read."""
_LEVEL = 1
"""Level of compression: for numbers in JSON, higher levels take several times as long for a few percent."""


@attrs.frozen
class LogLine:
    """Line of a log.

    Parameters
    ----------
    number : int
        Counted from 1.
    offset, size : int
        Position and length in the file in bytes, compressed or not.
    text : bytes
        Content without the line end.
    """

    number: int
    offset: int
    size: int
    text: bytes


def is_compressed(path: Path) -> bool:
    """Return True if each line of the file is a gzip member."""
    return path.suffix == ".gz"


def encoded(text: str, path: Path) -> bytes:
    """Encode a line for the file."""
    line = f"{text}\n".encode()
    if not is_compressed(path):
        return line
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(line) + packer.flush()


def decoded(content: bytes, path: Path) -> bytes:
    """Decode the output of `encoded`."""
    return zlib.decompress(content, _GZIP) if is_compressed(path) else content


def whole_lines(path: Path) -> Iterator[LogLine]:
    """Yield the lines of a log in order; skip a torn end, as left by a killed process.

    Raises `InvalidProblem`: the file is damaged before its end, or missing; the message names file and line.
    """
    try:
        with path.open("rb") as file:
            yield from _members(file, path) if is_compressed(path) else _plain(file)
    except FileNotFoundError as error:
        raise InvalidProblem(f"{path}: no such file") from error


def damaged(path: Path, number: int, reason: object) -> InvalidProblem:
    """Make the error for a damaged line."""
    return InvalidProblem(f"{path}, line {number}: damaged ({reason}); restore the file, or start the run anew")


def _plain(file: IO[bytes]) -> Iterator[LogLine]:
    offset = 0
    for number, content in enumerate(file, 1):
        if not content.endswith(b"\n"):
            return
        yield LogLine(number, offset, len(content), content[:-1])
        offset += len(content)


def _members(file: IO[bytes], path: Path) -> Iterator[LogLine]:
    """Yield one line from each gzip member."""
    offset, number, ahead = 0, 1, file.read(_BLOCK)
    while ahead:
        opener, texts, size = zlib.decompressobj(_GZIP), [], 0
        while ahead and not opener.eof:
            try:
                texts.append(opener.decompress(ahead))
            except zlib.error as error:
                if _only_zeros(file, offset):
                    return
                raise damaged(path, number, error) from error
            size += len(ahead) - len(opener.unused_data)
            ahead = opener.unused_data or file.read(_BLOCK)
        if not opener.eof:
            if _goes_on(file, offset + 1):
                raise damaged(path, number, "it has no end, but more lines follow")
            return
        yield LogLine(number, offset, size, _one_line(b"".join(texts), path, number))
        offset, number = offset + size, number + 1


def _only_zeros(file: IO[bytes], offset: int) -> bool:
    """Return True if only zeros follow, as a power failure leaves where data had not reached the disk."""
    file.seek(offset)
    return not any(block.strip(b"\0") for block in iter(lambda: file.read(_BLOCK), b""))


def _goes_on(file: IO[bytes], offset: int) -> bool:
    """Return True if another member begins after `offset`, so that the end is not torn but damaged."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(_MAGIC, offset) >= 0


def _one_line(content: bytes, path: Path, number: int) -> bytes:
    if not content.endswith(b"\n") or content.count(b"\n") != 1:
        raise damaged(path, number, "each line must be compressed separately")
    return content[:-1]
