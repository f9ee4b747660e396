"""Labellings of rooted trees: Viterbi and dominance."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.trees._trees import parent_leads, tree_dominance, tree_viterbi
else:
    from gapless_kernels.trees._trees_twin import parent_leads, tree_dominance, tree_viterbi

__all__ = ["parent_leads", "tree_dominance", "tree_viterbi"]
