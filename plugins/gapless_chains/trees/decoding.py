"""From what the tree kernels write to results, for one tree and for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gapless import BatchResult, Result
from gapless.core.batch_result import row_offsets
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Solve, Stats
from gapless_chains.proved import proved
from gapless_chains.trees.certificate import TreePotentialsCertificate
from gapless_chains.trees.problem import TreeProblem

# Nodes that a kernel gets at once: enough that a call costs nothing, little enough that Ctrl-C is prompt.
_CHUNK = 1 << 15


@attrs.frozen(eq=False)
class Decoded:
    """The answers of a kernel to trees whose rows follow each other.

    Parameters
    ----------
    labels : int64 (N,)
        -1 on a tree without an allowed labelling.
    values : float64 (T,)
    messages : float64 (N, K)
        The best score of each node's subtree for each of its labels, rounded up.
    survived : int64 (T,), optional
        Number of labels kept in each tree.
    """

    labels: IntArray
    values: FloatArray
    messages: FloatArray
    survived: IntArray | None = None


Decoder = Callable[[FloatArray, IntArray, IntArray, FloatArray], Decoded]
"""Called with unary (N, K), parents (N,), offsets (T+1,) and transition (K, K), or (N, K, K) if T is 1."""


def decode_one(problem: TreeProblem, solve: Solve, decode: Decoder) -> Result[IntArray]:
    """Decode one tree or forest."""
    offsets = np.array([0, problem.positions])
    found = decode(problem.unary, problem.parents, offsets, problem.transition)
    value = float(found.values[0])
    solve.budget.emit("stop", value, value)
    kept = None if found.survived is None else int(found.survived[0])
    return _result(problem, found.labels, value, found.messages, kept, solve, solve.budget.elapsed)


def decode_many(problems: Sequence[TreeProblem], solve: Solve, decode: Decoder) -> BatchResult[IntArray]:
    """Decode many trees, those of one model together; Ctrl-C keeps what is finished.

    `BatchResult.arrays` holds ``labels``, those of all trees one after another, and ``offsets``, where each begins.
    """
    offsets = row_offsets(problem.positions for problem in problems)
    labels = np.full(offsets[-1], -1, np.int64)
    values = np.full(len(problems), np.nan)
    held: dict[int, tuple[FloatArray, int | None]] = {}
    try:
        for group in _sharing_transitions(problems):
            some = [problems[number] for number in group]
            starts = row_offsets(problem.positions for problem in some)
            unary = np.concatenate([p.unary for p in some]) if len(some) > 1 else some[0].unary
            parents = np.concatenate([p.parents for p in some])
            found = decode(unary, parents, starts, some[0].transition)
            for at, number in enumerate(group):
                rows = slice(starts[at], starts[at + 1])
                labels[offsets[number] : offsets[number + 1]] = found.labels[rows]
                held[number] = found.messages[rows], None if found.survived is None else int(found.survived[at])
            values[group] = found.values
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def make(problems: Sequence[TreeProblem], i: int) -> Result[IntArray]:
        here = labels[offsets[i] : offsets[i + 1]]
        return _result(problems[i], here, float(values[i]), *held[i], solve)

    arrays = {"labels": labels, "offsets": offsets}
    return BatchResult.from_rows(problems, values, values, arrays, make, method=solve.method)


def _sharing_transitions(problems: Sequence[TreeProblem]) -> list[list[int]]:
    """Numbers of the problems in groups, each of one transition matrix or of one problem, about `_CHUNK` nodes."""
    sharing: dict[int, list[int]] = {}
    for number, problem in enumerate(problems):
        key = id(problem.transition) if problem.transition.ndim == 2 else -1 - number
        sharing.setdefault(key, []).append(number)
    groups: list[list[int]] = []
    for numbers in sharing.values():
        nodes = np.cumsum([problems[number].positions for number in numbers])
        cuts = np.flatnonzero(np.diff(nodes // _CHUNK)) + 1
        groups += [some.tolist() for some in np.split(np.array(numbers), cuts)]
    return groups


def _result(
    problem: TreeProblem,
    labels: IntArray,
    value: float,
    messages: FloatArray,
    kept: int | None,
    solve: Solve,
    seconds: float = 0.0,
) -> Result[IntArray]:
    extra = {} if kept is None else {"mean_survivors": kept / problem.positions}
    stats = Stats(seconds=seconds, oracle_calls=1, extra=extra)
    certificate = TreePotentialsCertificate(messages)
    return proved(problem, labels, value, certificate, solve, stats, trace=solve.budget.events)
