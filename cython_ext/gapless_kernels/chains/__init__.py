"""Chains whose labels are all allowed: Viterbi, and dominance between labels."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.chains._dominance_tables import DominanceTables
from gapless_kernels.chains._transition_tables import TransitionTables, centring, score_spread, transition_tables

if COMPILED:
    from gapless_kernels.chains._dominance import (
        dominance,
        dominance_batch,
        dominance_tables,
        viterbi_batch,
    )
    from gapless_kernels.chains._viterbi import forward_messages, viterbi
else:
    from gapless_kernels.chains._dominance_twin import dominance, dominance_batch, dominance_tables
    from gapless_kernels.chains._viterbi_twin import forward_messages, viterbi, viterbi_batch

__all__ = [
    "DominanceTables",
    "TransitionTables",
    "centring",
    "dominance",
    "dominance_batch",
    "dominance_tables",
    "forward_messages",
    "score_spread",
    "transition_tables",
    "viterbi",
    "viterbi_batch",
]
