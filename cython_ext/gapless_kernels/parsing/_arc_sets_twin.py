"""Sets of candidate arcs and their scores, in NumPy: chains downwards, and modifiers of one head."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gapless_kernels.parsing._arguments import (
    check_arc_sets,
    check_arcs,
    check_candidates,
    check_part_table,
    check_width,
)

__all__ = ["arc_chains", "arcs_of_one_head", "candidate_arcs", "part_positions", "part_scores"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST = 1 << 31


def candidate_arcs(candidates: npt.NDArray[np.bool_]) -> tuple[Ints, Ints, Ints, Ints]:
    """Number the arcs that may be in a tree, by modifier, then by head.

    Parameters
    ----------
    candidates : bool (n + 1, n + 1)
        Whether there is an arc [head, modifier].

    Returns
    -------
    heads, modifiers : int64 (arcs,)
    index : int64 (n + 1, n + 1)
        Number of the arc [head, modifier]; -1 where there is none.
    first : int64 (n + 2,)
        Arcs into word m are ``first[m]:first[m + 1]``.
    """
    check_candidates(candidates)
    modifiers, heads = map(np.ascontiguousarray, np.nonzero(candidates.T))
    index = np.full(candidates.shape, -1, np.int64)
    index[heads, modifiers] = np.arange(heads.size)
    return heads, modifiers, index, np.searchsorted(modifiers, np.arange(len(candidates) + 1))


def arc_chains(heads: Ints, modifiers: Ints, first: Ints, width: int) -> Ints:
    """List the chains of `width` arcs, each from the modifier of the one before it; no word comes twice.

    Parameters
    ----------
    heads, modifiers, first
        As `candidate_arcs` gives them.

    Returns
    -------
    int64 (chains, width)
        The topmost arc first; sorted by the lowest one.
    """
    check_width(width)
    check_arcs(heads, modifiers, len(first) - 1)
    sizes = first[1:] - first[:-1]
    columns = [np.arange(heads.size)]
    for _ in range(1, width):
        above = heads[columns[0]]
        counts = sizes[above]  # the root, position 0, has no arcs into it
        ends = counts.cumsum()
        chain = np.arange(above.size).repeat(counts)
        new = np.arange(chain.size) + (first[above] - ends + counts)[chain]
        head = heads[new]
        columns = [column[chain] for column in columns]
        fresh = head != modifiers[columns[0]]
        for column in columns[1:]:
            fresh &= head != modifiers[column]
        columns = [column[fresh] for column in (new, *columns)]
    return _as_rows(columns)


def arcs_of_one_head(heads: Ints, modifiers: Ints, width: int) -> Ints:
    """List the sets of `width` arcs with a common head.

    Parameters
    ----------
    heads, modifiers
        As `candidate_arcs` gives them.

    Returns
    -------
    int64 (sets, width)
        Ascending by modifier in each set; sorted by head.
    """
    check_width(width)
    check_arcs(heads, modifiers, MOST)
    order = np.argsort(heads, kind="stable")
    # For each arc, in order of heads, where the arcs of its head end.
    ends = np.cumsum(np.bincount(heads, minlength=1))[heads[order]]
    columns = [np.arange(order.size)]
    for _ in range(1, width):
        last = columns[-1]
        counts = ends[last] - last - 1
        row = np.arange(last.size).repeat(counts)
        stops = counts.cumsum()
        new = np.arange(row.size) + (last + 1 - stops + counts)[row]
        columns = [*(column[row] for column in columns), new]
    return np.ascontiguousarray(order[_as_rows(columns)])


def part_positions(arc_sets: Ints, heads: Ints, modifiers: Ints, chained: bool) -> Ints:
    """Compute word positions of sets of arcs.

    Parameters
    ----------
    arc_sets : int64 (m, width)
        As `arc_chains` or `arcs_of_one_head` gives them.
    chained : bool
        One of the two.

    Returns
    -------
    int64 (width + 1, m)
        The heads from the topmost and the last modifier, or the head and its modifiers.
    """
    check_arc_sets(arc_sets)
    check_arcs(heads, modifiers, MOST)
    if arc_sets.size and not 0 <= arc_sets.min() <= arc_sets.max() < heads.size:
        raise ValueError(f"arc_sets must name arcs in 0..{heads.size - 1}")
    if chained:
        return np.vstack([heads[arc_sets.T], modifiers[arc_sets[:, -1]][None]])
    return np.vstack([heads[arc_sets[:, 0]][None], modifiers[arc_sets.T]])


def part_scores(
    table: Floats, arc_sets: Ints, heads: Ints, modifiers: Ints, chained: bool, largest: float
) -> tuple[Floats, bool]:
    """Look up the scores of sets of arcs.

    Parameters
    ----------
    table : float64 (n + 1,) * (width + 1), contiguous
        By positions, as `part_positions` orders them.
    arc_sets, heads, modifiers, chained
        As in `part_positions`.
    largest : float

    Returns
    -------
    scores : float64 (m,)
    allowed : bool
        Whether each is -inf, or at most `largest` in size.
    """
    check_arc_sets(arc_sets)
    check_part_table(table, arc_sets.shape[1])
    check_arcs(heads, modifiers, len(table))
    scores: Floats = table[tuple(part_positions(arc_sets, heads, modifiers, chained))]
    return scores, bool(np.all((np.abs(scores) <= largest) | (scores == -np.inf)))


def _as_rows(columns: list[Ints]) -> Ints:
    rows: Ints = np.empty((columns[0].size, len(columns)), np.int64)
    for number, column in enumerate(columns):
        rows[:, number] = column
    return rows
