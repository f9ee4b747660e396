"""NumPy twin of the compiled hashing of parsing features: same signatures, same places, same sums.

A *part* is a tuple of word positions (head and modifier of an arc; grandparent, head and modifier; ...), 0 being
the root. A *template* names values of a part, which are hashed together into a place of one table of weights.

`atoms` describes the sentence: row ``PAD + i`` holds numbers of position ``i`` (word, tag, ...), the first and last
PAD rows those of the places outside.

A row of `values` is (kind, a, b, c):

- ``ATOM``: ``atoms[PAD + part[a] + b, c]`` with ``abs(b) <= PAD``;
- ``ORDER``: how the positions of the part compare, pair by pair;
- ``DISTANCE``: the bucket of the distance of ``part[a]`` and ``part[b]``: 0, 1, 2, 3, 4, 5 to 9, more;
- ``COUNT``: column c holds running counts; by how much it rises strictly between ``part[a]`` and ``part[b]``, at
  most 3.

A row of `templates` is (seed, companion, from, to, middle, value, value, ..., -1, ...). Its values are hashed in
order, beginning with the seed. With ``companion >= 0`` there is a second feature, which in addition looks at that
value modulo 7 and lies next to the first in the table (one cache line serves both). With ``from >= 0`` there is one
feature for each position strictly between ``part[from]`` and ``part[to]``, which looks at the atom `middle` there.
"""

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_output
from gapless_kernels.features._arguments import check_parse_features, check_table

__all__ = ["ATOM", "COUNT", "DISTANCE", "ORDER", "PAD", "part_features", "score_parts"]

Atoms = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]
States = npt.NDArray[np.uint64]

ATOM, ORDER, DISTANCE, COUNT = range(4)
PAD = 3
_MOST = 3


def score_parts(
    atoms: Atoms,
    parts: Integers,
    values: Rows,
    templates: Rows,
    table: npt.NDArray[np.floating],
    scores: npt.NDArray[np.float64],
) -> None:
    """Add up the weights of each part's features, in float64, template by template.

    Parameters
    ----------
    atoms : (n + 1 + 2 PAD, A) array of uint32
    parts : (m, width) array of int64
        Positions 0..n.
    values : (V, 4) array of int32
    templates : (T, 5 + terms) array of int32
    table : (2^bits,) array of float32 or float64, contiguous
        The weights; 4 to 31 bits.
    scores : (m,) array of float64
        Overwritten.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, a position lies outside the sentence, or a row of `values` or
        `templates` names what is not there.
    """
    check_parse_features(atoms, parts, values, templates)
    bits = check_table(table)
    check_output("scores", scores, (len(parts),), np.float64)
    for p, row in enumerate(_places(atoms, parts, values, templates, bits)):
        scores[p] = np.cumsum([0.0, *table[row]])[-1]  # in order, as the compiled loop does it


def part_features(atoms: Atoms, parts: Integers, values: Rows, templates: Rows, bits: int) -> Integers:
    """List the table places of all features, part by part.

    Parameters
    ----------
    atoms, parts, values, templates
        As for `score_parts`.
    bits : int
        The table has ``2^bits`` places, 4 to 31.

    Returns
    -------
    (features,) array of int64
        ``table[places].sum()`` is the score of all parts together.

    Raises
    ------
    TypeError, ValueError
        As for `score_parts`.
    """
    check_parse_features(atoms, parts, values, templates)
    if not 4 <= bits <= 31:
        raise ValueError(f"bits must be between 4 and 31, got {bits}")
    rows = _places(atoms, parts, values, templates, bits)
    return np.concatenate([np.zeros(0, np.int64), *rows])


def _places(atoms: Atoms, parts: Integers, values: Rows, templates: Rows, bits: int) -> list[Integers]:
    """List the table places of each part."""
    evaluated = [_value(atoms, parts, row) for row in values.tolist()]
    shift = np.uint64(64 - bits)
    rows: list[list[int]] = [[] for _ in parts]
    for seed, companion, start, stop, middle, *terms in templates.tolist():
        state = _stir(np.zeros(len(parts), np.uint64), np.uint64(seed))
        for term in terms:
            if term < 0:
                break
            state = _stir(state, evaluated[term])
        if start >= 0:
            low, high = np.sort(parts[:, [start, stop]], axis=1).T
            for p, row in enumerate(rows):
                inner = atoms[PAD + low[p] + 1 : PAD + high[p], middle].astype(np.uint64)
                row.extend((_stir(state[p : p + 1], inner) >> shift).tolist())
            continue
        index = state >> shift
        paired = index ^ (1 + (evaluated[companion] & np.uint64(7)) % np.uint64(7)) if companion >= 0 else None
        for p, row in enumerate(rows):
            row.append(int(index[p]))
            if paired is not None:
                row.append(int(paired[p]))
    return [np.array(row, np.int64) for row in rows]


def _stir(state: States, value: States | np.uint64) -> States:
    """Take a step of the hash: multiplicative (Knuth, TAOCP volume 3, section 6.4), high bits folded back."""
    mixed: States = (state ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


def _value(atoms: Atoms, parts: Integers, row: list[int]) -> States:
    kind, a, b, c = row
    if kind == ATOM:
        atom: States = atoms[PAD + parts[:, a] + b, c].astype(np.uint64)
        return atom
    if kind == ORDER:
        code = np.zeros(len(parts), np.uint64)
        for i in range(parts.shape[1]):
            for j in range(i):
                first, second = parts[:, j], parts[:, i]
                code = 3 * code + (first < second).astype(np.uint64) + 2 * (first == second).astype(np.uint64)
        return code
    low, high = np.sort(parts[:, [a, b]], axis=1).T
    if kind == DISTANCE:
        return np.where(high - low < 5, high - low, np.where(high - low < 10, 5, 6)).astype(np.uint64)
    rise = atoms[PAD + np.maximum(high - 1, low), c] - atoms[PAD + low, c]
    count: States = np.minimum(rise, _MOST).astype(np.uint64)
    return count
