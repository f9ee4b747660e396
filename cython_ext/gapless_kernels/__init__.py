"""Hot loops: arrays in, arrays out, no policy.

Every function exists twice with one signature: compiled (``_viterbi``) and in plain NumPy (``_viterbi_ref``).
The NumPy twin is the oracle in the tests, and runs instead of the compiled code when the environment
variable ``GAPLESS_PURE`` is ``1`` at import. The two agree bit by bit: neither reorders a sum.

Attributes
----------
COMPILED : bool
    Whether the compiled kernels are in use.
"""

import os

from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID

if os.environ.get("GAPLESS_PURE") == "1":
    from gapless_kernels._beam_ref import beam_batch
    from gapless_kernels._k_best_ref import k_best_batch
    from gapless_kernels._trees_ref import parent_leads, tree_dominance, tree_viterbi
    from gapless_kernels._viterbi_pruned_ref import viterbi_pruned_batch
    from gapless_kernels._viterbi_ref import edge_maxima, forward_messages, viterbi, viterbi_batch

    COMPILED = False
else:
    from gapless_kernels._beam import beam_batch
    from gapless_kernels._k_best import k_best_batch
    from gapless_kernels._trees import parent_leads, tree_dominance, tree_viterbi
    from gapless_kernels._viterbi import edge_maxima, forward_messages, viterbi, viterbi_batch
    from gapless_kernels._viterbi_pruned import viterbi_pruned_batch

    COMPILED = True

__all__ = [
    "COMPILED",
    "DECIDED",
    "DOUBTFUL",
    "INFEASIBLE",
    "INVALID",
    "beam_batch",
    "edge_maxima",
    "forward_messages",
    "k_best_batch",
    "parent_leads",
    "tree_dominance",
    "tree_viterbi",
    "viterbi",
    "viterbi_batch",
    "viterbi_pruned_batch",
]
