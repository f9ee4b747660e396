"""Python twin of the compiled reader of edge lists: same signature, same answers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["parse_edges"]

_DIGITS = 18


def _wrong_ids(fields: list[bytes]) -> int:
    for field in fields[:2]:
        if not field.isdigit() or len(field.lstrip(b"0")) > _DIGITS:
            return 2
    return 1 if len(fields) < 2 else 0


def _wrong_weight(fields: list[bytes], columns: int) -> int:
    if (len(fields) == 2) != (columns == 2):
        return 4
    if columns == 2:
        return 0
    try:
        weight = float(fields[2]) if b"_" not in fields[2] else math.nan
    except ValueError:
        return 3
    if not 0 < weight < math.inf:
        return 3
    return 0 if len(fields) == 3 else 1


def parse_edges(
    text: bytes, columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64] | None, int, int, int]:
    """Read lines of two ids, or of two ids and a weight, separated by blanks or tabs.

    Parameters
    ----------
    text : bytes
        Whole lines. Empty ones and those that start with ``#`` or ``%`` are skipped.
    columns : {0, 2, 3}
        Number of fields in each line; 0 if the first line decides.

    Returns
    -------
    edges : int64 (m, 2)
    weights : float64 (m,), or None
    columns : {0, 2, 3}
        0 if no line has decided yet.
    line : int
        Number of lines read; those before the first wrong one.
    fault : int
        0; 1 if the line has too few fields, or too many; 2 if an id is no whole number from 0 to 10^18; 3 if the
        weight is not positive and finite; 4 if it has a weight and earlier ones had none, or the other way round.
    """
    edges, weights, fault, line = [], [], 0, 0
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for content in lines:
        fields = content.replace(b"\r", b" ").replace(b"\t", b" ").split(b" ")
        fields = [field for field in fields if field]
        if not fields or fields[0][:1] in (b"#", b"%"):
            line += 1
            continue
        fault = _wrong_ids(fields)
        if fault:
            break
        columns = columns or (2 if len(fields) == 2 else 3)
        fault = _wrong_weight(fields, columns)
        if fault:
            break
        line += 1
        edges.append((int(fields[0]), int(fields[1])))
        weights.append(float(fields[2]) if columns == 3 else 1.0)
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return pairs, np.array(weights) if columns == 3 else None, columns, line, fault
