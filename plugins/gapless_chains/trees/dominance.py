"""The method ``dominance`` for trees: exact messages from the few labels that no other label dominates."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from gapless import BatchResult, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import SolveRequest
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.trees import viterbi
from gapless_chains.trees.decoding import Decoded, decode_many, decode_one
from gapless_chains.trees.problem import TreeProblem
from gapless_kernels import parent_leads, tree_dominance


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


def run(problem: TreeProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one tree or forest; a node costs one pass over K numbers for each child and surviving label.

    At each node, label x is dropped when the best label b there serves the parent better whatever the parent's
    label: ``message(x) + leads[b, x] < message(b)``. What is dropped is in no better labelling, and the survivors'
    offers are the offers of all, so the messages of all K labels are exact and the certificate is that of Viterbi.
    Sources: Goldstein's criterion (Biophysical Journal 66, 1994) with exact messages in place of bounds.

    Transitions that vary from edge to edge would need a table each, at K^3 a table; such trees are decoded by
    `gapless_chains.trees.viterbi`. Limits never stop it. ``stats.extra["mean_survivors"]`` is the average
    number of labels kept at a node.
    """
    return decode_one(problem, request, decode)


def run_many(problems: Sequence[TreeProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many trees; those that share one transition matrix go through the kernel together.

    Values are those of `run`, bit by bit. Ctrl-C keeps what is finished.
    """
    return decode_many(problems, request, decode)


def decode(unary: FloatArray, parents: IntArray, offsets: IntArray, transition: FloatArray) -> Decoded:
    """Decode trees whose rows follow each other; see `gapless_kernels.tree_dominance`."""
    # A table of leads for each edge would cost K^3 apiece, more than Viterbi's K^2.
    if transition.ndim == 3:
        return viterbi.decode(unary, parents, offsets, transition)
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
