"""Instances in the text format of the BPPLIB (Delorme, Iori and Martello 2018, http://or.dei.unibo.it/library/bpplib).

A file holds one instance in integers: the number of items, the capacity of a bin, and then one line per item, with
its weight in the bin packing files, and with weight and demand of an item type in the cutting stock files.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import gapless as gl
from gapless_cutting_stock.problem import CuttingStockProblem

LICENCE = "LICENSE.txt"
"""Lies beside instances that ``gapless data fetch`` has brought."""
DIGITS = 18
"""Limit on the digits of a number; a bin cannot hold a longer one."""


def read_bpplib(path: str | os.PathLike[str]) -> CuttingStockProblem:
    """Read the instance of a file, in either of the two formats.

    Equal weights in a bin packing file become one item type, the largest first. Empty lines are skipped.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    CuttingStockProblem

    Raises
    ------
    InvalidProblem
        The file is missing, not text, truncated, too long or contains something else; the message names file and
        line.
    """
    lines = list(_numbered(path))
    if not lines:
        raise gl.InvalidProblem(f"{path}: the file is empty; expected a BPPLIB instance")
    count = _only(path, lines, 0, "the number of items")
    capacity = _only(path, lines, 1, "the capacity")
    items = lines[2:]
    if len(items) < count:
        raise gl.InvalidProblem(
            f"{path}: the file ends after {len(items)} items, line 1 says {count}; it may have been cut short"
        )
    if len(items) > count:
        raise gl.InvalidProblem(f"{path}, line {items[count][0]}: more items than the {count} that line 1 says")
    weights, demands = _items(path, items)
    try:
        return CuttingStockProblem(capacity, weights, demands)
    except gl.InvalidProblem as error:
        raise gl.InvalidProblem(f"{path}: {error}") from error


def bpplib_files(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """List the files in `paths`, and every ``.txt`` file in the folders of `paths`, sorted by name.

    Raises
    ------
    InvalidProblem
        A path does not exist, or a folder contains no such file.
    """
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise gl.InvalidProblem(f"{path}: no such file or folder")
        inside = [path]
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*.txt")) if file.name != LICENCE]
        if not inside and (packed := sorted(path.rglob("*.rar"))):
            raise gl.InvalidProblem(f"{path}: the files are packed; unpack them: bsdtar -xf {packed[0]} -C {path}")
        if not inside:
            raise gl.InvalidProblem(f"{path}: no file in this folder ends in .txt; the files of the BPPLIB do")
        files += inside
    return files


Line = tuple[int, list[int]]
"""Line number, from 1, and the numbers of the line."""


def _numbered(path: str | os.PathLike[str]) -> Iterator[Line]:
    try:
        text = Path(path).read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise gl.InvalidProblem(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise gl.InvalidProblem(f"{path}: cannot be read ({type(error).__name__}: {error})") from error
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.split():
            yield number, [_whole(path, number, word) for word in words]


def _whole(path: str | os.PathLike[str], number: int, word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) <= DIGITS):
        shown = word if len(word) <= 40 else f"{word[:40]}..."
        raise gl.InvalidProblem(f"{path}, line {number}: {shown!r} is no whole number of at least 0")
    return int(word)


def _only(path: str | os.PathLike[str], lines: Sequence[Line], at: int, meaning: str) -> int:
    """The single number on one of the first two lines."""
    if at >= len(lines):
        raise gl.InvalidProblem(f"{path}: the file ends before {meaning}; it may have been cut short")
    number, values = lines[at]
    if len(values) != 1 or values[0] < 1:
        said = " ".join(map(str, values))
        raise gl.InvalidProblem(
            f"{path}, line {number}: expected {meaning}, one number of at least 1, found {said}"
        )
    return values[0]


def _items(path: str | os.PathLike[str], lines: Sequence[Line]) -> tuple[list[int], list[int]]:
    """Weights and demands of the item types."""
    width = len(lines[0][1])
    for number, values in lines:
        if len(values) != width or width > 2:
            expected = f"{width}, as for the first item" if width <= 2 else "a weight, or a weight and a demand"
            raise gl.InvalidProblem(f"{path}, line {number}: expected {expected}, found {len(values)} numbers")
        if min(values) < 1:
            raise gl.InvalidProblem(f"{path}, line {number}: weights and demands are at least 1")
    if width == 2:
        return [values[0] for _, values in lines], [values[1] for _, values in lines]
    counted = Counter(values[0] for _, values in lines)
    weights = sorted(counted, reverse=True)
    return weights, [counted[weight] for weight in weights]
