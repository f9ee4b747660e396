"""The linear program over all grandparents at once, with the fewest rows, as a general LP solver gets it."""

from __future__ import annotations

import attrs
import numpy as np

import gapless_kernels
from benchmarks.frame.highs import RowProgram
from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_dependency import Arcs, Grandchild, ParsingProblem
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


@attrs.define(eq=False)
class _Rows:
    """Blocks of rows, collected with entries as (row in the block, column, value)."""

    counts: list[IntArray] = attrs.field(factory=list)
    columns: list[IntArray] = attrs.field(factory=list)
    values: list[FloatArray] = attrs.field(factory=list)
    lower: list[FloatArray] = attrs.field(factory=list)
    upper: list[FloatArray] = attrs.field(factory=list)

    def add(
        self, row: IntArray, column: IntArray, value: FloatArray, sides: tuple[float, float], count: int
    ) -> None:
        order = np.argsort(row, kind="stable")
        self.counts.append(np.bincount(row, minlength=count))
        self.columns.append(column[order])
        self.values.append(value[order])
        self.lower.append(np.full(count, sides[0]))
        self.upper.append(np.full(count, sides[1]))


def grandparents_of(problem: ParsingProblem) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the upper arc, the lower arc and the score of every grandparent part.

    Raises
    ------
    InvalidProblem
        A factor whose scopes are no such pairs, a part that is missing, or a score of -inf.
    """
    arcs = problem.decisions
    if len(problem.conjunctions) != 1 or len(problem.factors) != 1:
        raise InvalidProblem(
            f"a peer takes one grandparent factor, this problem has {len(problem.factors)} factors"
        )
    factor = problem.conjunctions[0]
    scopes, scores = factor.scopes, factor.all_scores()
    if scopes.shape[1] != 2 or not np.array_equal(arcs.modifiers[scopes[:, 0]], arcs.heads[scopes[:, 1]]):
        raise InvalidProblem(f"factor {factor.factor.name}: its scopes are no arcs with one below another")
    if not np.all(np.isfinite(scores)):
        raise InvalidProblem("a peer takes finite scores, but a grandparent is forbidden")
    entering = np.diff(arcs.first)
    below = arcs.heads > 0
    reverse = arcs.index[arcs.modifiers[below], arcs.heads[below]] >= 0
    if int((entering[arcs.heads[below]] - reverse).sum()) != len(scopes):
        raise InvalidProblem("a peer takes all grandparents, but some are no parts of the factor")
    return scopes[:, 0], scopes[:, 1], scores


def lean_program(problem: ParsingProblem, *, flow: bool) -> RowProgram:
    """Build the program of a sentence with one factor over all grandparents; see `lean_program_of`."""
    return _program(problem.decisions, problem.arc_weights, *grandparents_of(problem), problem.single_root, flow)


def lean_program_of(arrays: SentenceArrays, *, flow: bool) -> RowProgram:
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
    return _program(arcs, arrays.arcs[arcs.heads, arcs.modifiers], upper, lower, scores, arrays.single_root, flow)


def arcs_of(arrays: SentenceArrays) -> Arcs:
    """Return the candidate arcs of a sentence."""
    return Arcs(arrays.arcs > -np.inf, None)


def _program(
    arcs: Arcs,
    weights: FloatArray,
    upper: IntArray,
    lower: IntArray,
    scores: FloatArray,
    single_root: bool,
    flow: bool,
) -> RowProgram:
    n = arcs.length
    arc, part = np.arange(arcs.count), np.arange(len(scores))
    into, ones = arcs.modifiers - 1, np.ones(arcs.count)
    rows = _Rows()
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
    pairs = np.stack([upper, arcs.count + part], axis=1).ravel()
    rows.add(np.repeat(part, 2), pairs, np.tile([-1.0, 1.0], part.size), (-np.inf, 0.0), part.size)
    if single_root:
        root = np.flatnonzero(arcs.heads == 0)
        rows.add(np.zeros_like(root), root, np.ones(root.size), (1.0, 1.0), 1)
    objective = np.concatenate([weights, scores])
    if flow:
        amount = objective.size + arc
        carried = np.stack([arc, amount], axis=1).ravel()
        rows.add(np.repeat(arc, 2), carried, np.tile([-float(n), 1.0], arcs.count), (-np.inf, 0.0), arcs.count)
        leaving = arcs.heads > 0
        rows.add(
            np.concatenate([into, arcs.heads[leaving] - 1]),
            np.concatenate([amount, amount[leaving]]),
            np.concatenate([ones, -ones[leaving]]),
            (1.0, 1.0),
            n,
        )
        objective = np.concatenate([objective, np.zeros(arcs.count)])
    starts = np.concatenate([[0], np.cumsum(np.concatenate(rows.counts))])
    return RowProgram(
        objective,
        np.concatenate(rows.lower),
        np.concatenate(rows.upper),
        starts.astype(np.int32),
        np.concatenate(rows.columns).astype(np.int32),
        np.concatenate(rows.values),
        column_upper=np.inf,
    )
