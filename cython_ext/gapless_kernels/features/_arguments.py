"""Shape, type and range checks shared by the compiled hashing of parsing features and its NumPy twin.

The loops trust their arguments, so these checks refuse whatever could make them read or write out of bounds.
"""

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import REALS, check_type


def check_parts(parts: npt.NDArray[np.int64], templates: npt.NDArray[np.int32]) -> None:
    """Check tuples of word positions and the templates of their features against each other.

    Parameters
    ----------
    parts : (m, width) array of int64
        With ``width >= 1``.
    templates : (T, 5 + terms) array of int32
        Rows (seed, companion, from, to, middle, values...); `from` and `to` are -1 or below the width.
    """
    check_type("parts", parts, np.int64)
    check_type("templates", templates, np.int32)
    if parts.ndim != 2 or not parts.shape[1]:
        raise ValueError(f"parts must have shape (m, width) with width >= 1, got {parts.shape}")
    if templates.ndim != 2 or templates.shape[1] < 5:
        raise ValueError(f"templates must have shape (T, 5 + terms), got {templates.shape}")
    if len(templates) and templates[:, 0].min() < 0:
        raise ValueError(f"templates: seeds must be 0 or more, got {templates[:, 0].min()}")
    ends = templates[:, 2:4]
    bad = np.flatnonzero(((ends < -1) | (ends >= parts.shape[1])).any(axis=1) | ((ends < 0).sum(axis=1) == 1))
    if bad.size:
        raise ValueError(
            f"templates: row {bad[0]} looks between {ends[bad[0]].tolist()}, expected two of "
            f"0..{parts.shape[1] - 1}, or -1 twice"
        )


def check_parse_features(
    atoms: npt.NDArray[np.uint32],
    parts: npt.NDArray[np.int64],
    values: npt.NDArray[np.int32],
    templates: npt.NDArray[np.int32],
) -> None:
    """Check all arguments of feature hashing; see `_parse_features_twin` for the shapes."""
    check_parts(parts, templates)
    check_type("atoms", atoms, np.uint32)
    check_type("values", values, np.int32)
    if atoms.ndim != 2 or len(atoms) < 7:
        raise ValueError(f"atoms must have shape (n + 7, A), got {atoms.shape}")
    if values.ndim != 2 or values.shape[1] != 4:
        raise ValueError(f"values must have shape (V, 4), got {values.shape}")
    last, width = len(atoms) - 7, parts.shape[1]
    if parts.size and not 0 <= parts.min() <= parts.max() <= last:
        raise ValueError(f"parts: positions must be between 0 and {last}, got {parts.min()} to {parts.max()}")
    kind, first, second, column = values.T
    is_atom, is_order = kind == 0, kind == 1
    wrong = (kind < 0) | (kind > 3)
    wrong |= ~is_order & ((first < 0) | (first >= width))
    wrong |= is_atom & ((second < -3) | (second > 3))
    wrong |= ~is_atom & ~is_order & ((second < 0) | (second >= width))
    wrong |= (is_atom | (kind == 3)) & ((column < 0) | (column >= atoms.shape[1]))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"values: row {row} is {values[row].tolist()}, which names what {width} positions and "
            f"{atoms.shape[1]} atoms do not have"
        )
    between = templates[:, 2] >= 0
    middle = templates[between, 4]
    if middle.size and not 0 <= middle.min() <= middle.max() < atoms.shape[1]:
        raise ValueError(f"templates: the atom between must be in 0..{atoms.shape[1] - 1}, got {middle.tolist()}")
    named = templates[:, [1, *range(5, templates.shape[1])]]
    if named.size and not -1 <= named.min() <= named.max() < len(values):
        raise ValueError(f"templates: values must be in -1..{len(values) - 1}, got {named.min()} to {named.max()}")


def feature_counts(parts: npt.NDArray[np.int64], templates: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Count the features of each part.

    Parameters
    ----------
    parts : (m, width) array of int64
    templates : (T, 5 + terms) array of int32

    Returns
    -------
    (m,) array of int64

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or shape.
    """
    check_parts(parts, templates)
    companion, start, stop = templates[:, 1:4].T
    between = start >= 0
    fixed = np.count_nonzero(~between) + np.count_nonzero(companion[~between] >= 0)
    counts = np.full(len(parts), fixed)
    for first, last in zip(start[between], stop[between], strict=True):
        counts += np.maximum(np.abs(parts[:, first] - parts[:, last]) - 1, 0)
    return counts


def check_table(table: npt.NDArray[np.floating]) -> int:
    """Check a contiguous table of float32 or float64 weights, of shape ``(2^bits,)``; return the bits, 4 to 31."""
    check_type("table", table, *REALS)
    bits = table.size.bit_length() - 1
    if table.ndim != 1 or table.size != 1 << max(bits, 0) or not 4 <= bits <= 31:
        raise ValueError(f"table must have 2^bits weights, 4 to 31 bits, got shape {table.shape}")
    if not table.flags.c_contiguous:
        raise ValueError("table must be contiguous")
    return bits
