"""The method ``viterbi`` for trees: exact max-product messages from the leaves to the roots, O(n K^2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless import BatchResult, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import SolveRequest
from gapless_chains.trees.decoding import Decoded, decode_many, decode_one
from gapless_chains.trees.problem import TreeProblem
from gapless_kernels import tree_viterbi


def run(problem: TreeProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one tree or forest.

    Limits never stop it: it has no bound before it has the answer. The certificate holds the messages, the best
    score of each node's subtree for each of its labels; where nothing is allowed they are minus infinity, so that
    they also prove that a tree is infeasible.
    """
    return decode_one(problem, request, decode)


def run_many(problems: Sequence[TreeProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many trees; those that share one transition matrix go through the kernel together.

    Values are those of `run`, bit by bit. Ctrl-C keeps what is finished.
    """
    return decode_many(problems, request, decode)


def decode(unary: FloatArray, parents: IntArray, offsets: IntArray, transition: FloatArray) -> Decoded:
    """Decode trees whose rows follow each other; see `gapless_kernels.tree_viterbi`."""
    n, k = unary.shape
    decoded = Decoded(np.empty(n, np.int64), np.empty(offsets.size - 1), np.empty((n, k)))
    tree_viterbi(unary, parents, offsets, transition, decoded.messages, decoded.labels, decoded.values)
    return decoded
