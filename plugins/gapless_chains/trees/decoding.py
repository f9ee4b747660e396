"""The methods ``viterbi`` and ``dominance`` of trees: exact messages of all labels, or of those none dominates.

Viterbi's algorithm takes O(n K^2), from the leaves to the roots. The kernels decode one tree or many together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gapless import BatchResult, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveRequest, Stats
from gapless_chains.batch import groups_of_tokens
from gapless_chains.batch_decoding import proved
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.proofs.potentials import TreePotentialsCertificate
from gapless_chains.trees.problem import TreeProblem
from gapless_kernels import parent_leads, tree_dominance, tree_viterbi

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


def _sharing_transitions(problems: Sequence[TreeProblem]) -> list[IntArray]:
    """Group problems that share one transition matrix, about `_CHUNK` nodes per group; return their numbers."""
    # Identities are not negative, so trees with a matrix for each edge never share a group.
    keys = (id(p.transition) if p.transition.ndim == 2 else -1 - number for number, p in enumerate(problems))
    return groups_of_tokens(keys, [problem.positions for problem in problems], _CHUNK)


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


def run_viterbi(problem: TreeProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one tree or forest.

    Limits never stop it: it has no bound before it has the answer. The certificate holds the messages, the best
    score of each node's subtree for each of its labels; where nothing is allowed they are minus infinity, so that
    they also prove that a tree is infeasible.
    """
    return decode_one(problem, request, decode_by_viterbi)


def run_viterbi_many(problems: Sequence[TreeProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many trees; those that share one transition matrix go through the kernel together.

    Values are those of `run_viterbi`, bit by bit. Ctrl-C keeps what is finished.
    """
    return decode_many(problems, request, decode_by_viterbi)


def decode_by_viterbi(unary: FloatArray, parents: IntArray, offsets: IntArray, transition: FloatArray) -> Decoded:
    """Decode trees whose rows follow each other; see `gapless_kernels.tree_viterbi`."""
    n, k = unary.shape
    decoded = Decoded(np.empty(n, np.int64), np.empty(offsets.size - 1), np.empty((n, k)))
    tree_viterbi(unary, parents, offsets, transition, decoded.messages, decoded.labels, decoded.values)
    return decoded


@attrs.frozen(eq=False)
class ParentTables:
    """Tables of transition scores, computed before any tree is seen.

    Parameters
    ----------
    child_first : float64 (K, K)
        The transposed scores, so that what a child's label offers to all labels of its parent is contiguous.
    leads : float64 (K, K)
        ``leads[y, x]`` is the most by which label x of a child can be ahead of label y, over the labels of the
        parent. See `gapless_kernels.parent_leads`.
    """

    child_first: FloatArray
    leads: FloatArray

    @classmethod
    def compute(cls, transition: FloatArray) -> ParentTables:
        """Compute the tables of a (K, K) array, in O(K^3)."""
        leads = np.empty(transition.shape)
        parent_leads(transition, leads)
        # A copy, also of a single label: what is remembered for an array must not keep the array alive.
        return cls(np.array(transition.T, order="C"), leads)


parent_tables = IdentityCache(ParentTables.compute)
"""`ParentTables.compute`, remembered for as long as the very array of transitions lives."""


def run_dominance(problem: TreeProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one tree or forest; a node costs one pass over K numbers for each child and surviving label.

    At each node, label x is dropped when the best label b there serves the parent better whatever the parent's
    label: ``message(x) + leads[b, x] < message(b)``. What is dropped is in no better labelling, and the survivors'
    offers are the offers of all, so the messages of all K labels are exact and the certificate is that of Viterbi.
    Sources: Goldstein's criterion (Biophysical Journal 66, 1994) with exact messages in place of bounds.

    Transitions that vary from edge to edge would need a table each, at K^3 a table; such trees are decoded by
    `run_viterbi`. Limits never stop it. ``stats.extra["mean_survivors"]`` is the average
    number of labels kept at a node.
    """
    return decode_one(problem, request, decode_by_dominance)


def run_dominance_many(problems: Sequence[TreeProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many trees; those that share one transition matrix go through the kernel together.

    Values are those of `run_dominance`, bit by bit. Ctrl-C keeps what is finished.
    """
    return decode_many(problems, request, decode_by_dominance)


def decode_by_dominance(unary: FloatArray, parents: IntArray, offsets: IntArray, transition: FloatArray) -> Decoded:
    """Decode trees whose rows follow each other; see `gapless_kernels.tree_dominance`."""
    # A table of leads for each edge would cost K^3 apiece, more than Viterbi's K^2.
    if transition.ndim == 3:
        return decode_by_viterbi(unary, parents, offsets, transition)
    n, k = unary.shape
    tables = parent_tables(transition)
    survived = np.empty(offsets.size - 1, np.int64)
    decoded = Decoded(np.empty(n, np.int64), np.empty(offsets.size - 1), np.empty((n, k)), survived)
    tree_dominance(
        unary,
        parents,
        offsets,
        transition,
        tables.child_first,
        tables.leads,
        decoded.messages,
        decoded.labels,
        decoded.values,
        survived,
    )
    return decoded
