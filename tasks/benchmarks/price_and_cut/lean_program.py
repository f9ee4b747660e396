"""The linear program over all grandparents at once, with the fewest rows, as a general LP solver gets it."""

from __future__ import annotations

import numpy as np

import gapless_kernels
from benchmarks.frame.highs import RowBlocks, RowProgram
from gapless import InvalidProblem
from gapless_dependency import Arcs, Grandchild
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


def lean_program(arrays: SentenceArrays, *, flow: bool) -> RowProgram:
    """Build the program of a sentence from its arrays, without building a `ParsingProblem`.

    The columns are the arcs, then the grandparent parts, then, with a flow, its amount on each arc. The rows say
    that every word has one head, that each arc whose head is a word has one grandparent, that a part is on only if
    its upper arc is, and, with a flow, that a unit reaches every word from the root. Riedel et al. (2012), section
    3, has more rows; they follow from these.

    Parameters
    ----------
    arrays : SentenceArrays
        With grandparents as the only factor.
    flow : bool
        Whether a single-commodity flow excludes cycles (Riedel et al. 2012, section 3.1); otherwise the program
        allows them.
    """
    if [kind for kind, _ in arrays.parts] != [Grandchild] or arrays.others:
        raise InvalidProblem("a peer takes grandparents, and no other factor")
    dense = arrays.parts[0][1]
    arcs = arcs_of(arrays)
    chains = gapless_kernels.arc_chains(arcs.heads, arcs.modifiers, arcs.first, 2)
    upper, lower = chains[:, 0], chains[:, 1]
    scores = dense[arcs.heads[upper], arcs.modifiers[upper], arcs.modifiers[lower]]
    if not np.all(np.isfinite(scores)):
        raise InvalidProblem("a peer takes finite scores, but a grandparent is forbidden")
    n = arcs.length
    arc, part = np.arange(arcs.count), np.arange(len(scores))
    into, ones = arcs.modifiers - 1, np.ones(arcs.count)
    rows = RowBlocks()
    rows.add(into, arc, ones, (1.0, 1.0), n)
    below = np.flatnonzero(arcs.heads > 0)
    row_of = np.full(arcs.count, -1)
    row_of[below] = np.arange(below.size)
    rows.add(
        np.concatenate([row_of[below], row_of[lower]]),
        np.concatenate([below, arcs.count + part]),
        np.concatenate([-np.ones(below.size), np.ones(part.size)]),
        (0.0, 0.0),
        below.size,
    )
    rows.add_even(np.stack([upper, arcs.count + part], axis=1), (-1.0, 1.0), (-np.inf, 0.0))
    if arrays.single_root:
        rows.add_even(np.flatnonzero(arcs.heads == 0)[None], 1.0, (1.0, 1.0))
    objective = np.concatenate([arrays.arcs[arcs.heads, arcs.modifiers], scores])
    if flow:
        amount = objective.size + arc
        rows.add_even(np.stack([arc, amount], axis=1), (-n, 1.0), (-np.inf, 0.0))
        leaving = arcs.heads > 0
        rows.add(
            np.concatenate([into, arcs.heads[leaving] - 1]),
            np.concatenate([amount, amount[leaving]]),
            np.concatenate([ones, -ones[leaving]]),
            (1.0, 1.0),
            n,
        )
        objective = np.concatenate([objective, np.zeros(arcs.count)])
    return rows.program(objective)


def arcs_of(arrays: SentenceArrays) -> Arcs:
    """Return the candidate arcs of a sentence."""
    return Arcs(arrays.arcs > -np.inf, None)
