"""Results from the output of the tree kernels, for one tree and for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gapless import BatchResult, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveRequest, Stats
from gapless_chains.batch_decoding import proved
from gapless_chains.proofs.potentials import TreePotentialsCertificate
from gapless_chains.trees.problem import TreeProblem

# Nodes per kernel call: enough to hide the cost of a call, few enough that Ctrl-C is prompt.
_CHUNK = 1 << 15


@attrs.frozen(eq=False)
class Decoded:
    """The results of a kernel for trees whose rows follow each other.

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


def decode_one(problem: TreeProblem, request: SolveRequest, decode: Decoder) -> Result[IntArray]:
    """Decode one tree or forest."""
    offsets = np.array([0, problem.positions])
    decoded = decode(problem.unary, problem.parents, offsets, problem.transition)
    value = float(decoded.values[0])
    request.budget.emit("stop", value, value)
    survivors = None if decoded.survived is None else int(decoded.survived[0])
    return _result(problem, decoded.labels, value, decoded.messages, survivors, request, request.budget.elapsed)


def decode_many(problems: Sequence[TreeProblem], request: SolveRequest, decode: Decoder) -> BatchResult[IntArray]:
    """Decode many trees, those of one model together; Ctrl-C keeps what is finished.

    `BatchResult.arrays` holds ``labels``, those of all trees one after another, and ``offsets``, where each begins.
    """
    offsets = row_offsets(problem.positions for problem in problems)
    labels = np.full(offsets[-1], -1, np.int64)
    values = np.full(len(problems), np.nan)
    evidence: dict[int, tuple[FloatArray, int | None]] = {}
    try:
        for group in _sharing_transitions(problems):
            trees = [problems[number] for number in group]
            starts = row_offsets(problem.positions for problem in trees)
            unary = np.concatenate([p.unary for p in trees]) if len(trees) > 1 else trees[0].unary
            parents = np.concatenate([p.parents for p in trees])
            decoded = decode(unary, parents, starts, trees[0].transition)
            for index, number in enumerate(group):
                rows = slice(starts[index], starts[index + 1])
                labels[offsets[number] : offsets[number + 1]] = decoded.labels[rows]
                evidence[number] = (
                    decoded.messages[rows],
                    None if decoded.survived is None else int(decoded.survived[index]),
                )
            values[group] = decoded.values
    except KeyboardInterrupt:
        request.budget.interrupt()

    def make(problems: Sequence[TreeProblem], i: int) -> Result[IntArray]:
        tree_labels = labels[offsets[i] : offsets[i + 1]]
        return _result(problems[i], tree_labels, float(values[i]), *evidence[i], request)

    arrays = {"labels": labels, "offsets": offsets}
    return BatchResult.from_rows(problems, values, values, arrays, make, method=request.method)


def _sharing_transitions(problems: Sequence[TreeProblem]) -> list[list[int]]:
    """Group problems that share one transition matrix, about `_CHUNK` nodes per group; return their numbers."""
    sharing: dict[int, list[int]] = {}
    for number, problem in enumerate(problems):
        # Identities are not negative, so trees with a matrix for each edge never share a group.
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
    survivors: int | None,
    request: SolveRequest,
    seconds: float = 0.0,
) -> Result[IntArray]:
    extra = {} if survivors is None else {"mean_survivors": survivors / problem.positions}
    stats = Stats(seconds=seconds, oracle_calls=1, extra=extra)
    certificate = TreePotentialsCertificate(messages)
    return proved(problem, [labels], value, certificate, request, stats, trace=request.budget.events)
